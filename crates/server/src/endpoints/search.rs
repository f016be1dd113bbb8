//! `POST /v1/search`: ranked passages, no answer.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use vouch_domain::Question;
use vouch_engine::retrieve::{Lane, LaneChoice};

use super::body;
use crate::{
    context,
    problem::{Code, Problem},
    service::{Service, replied, request_id},
    wire::PassageWire,
};

const HITS: usize = 10;
const HITS_MAX: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchBody {
    query: String,
    k: Option<usize>,
    #[serde(default)]
    lane: LaneWord,
    tags: Option<BTreeSet<String>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LaneWord {
    #[default]
    All,
    Dense,
    Lexical,
    Address,
    Memory,
}

impl LaneWord {
    fn choice(self) -> LaneChoice {
        match self {
            Self::All => LaneChoice::All,
            Self::Dense => LaneChoice::Only(Lane::Dense),
            Self::Lexical => LaneChoice::Only(Lane::Lexical),
            Self::Address => LaneChoice::Only(Lane::Address),
            Self::Memory => LaneChoice::Only(Lane::Memory),
        }
    }
}

#[derive(Serialize)]
struct Found {
    request_id: String,
    hits: Vec<PassageWire>,
}

pub(crate) async fn search(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    replied(&id, found(&service, &headers, body, &id).await)
}

async fn found(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Found, Problem> {
    let caller = service.door.reader(headers, id).await?;
    let body: SearchBody = body::read(body, id)?;
    let wanted = body.k.unwrap_or(HITS);
    if !(1..=HITS_MAX).contains(&wanted) {
        let detail = format!("k is {wanted}, it must lie between 1 and {HITS_MAX}");
        return Err(Problem::of(Code::InvalidRequest, detail, id));
    }
    let reader = caller.narrowed(body.tags.as_ref());
    let question = Question { passages_max: Some(wanted), ..Question::of(body.query, reader) };
    let search = async {
        let clock = &service.desk.engine.clock;
        let started = clock.since_start();
        let asked = service.desk.engine.search(&question, body.lane.choice()).await;
        let found = asked.map_err(|error| Problem::of_question(&error, id))?;
        let collections: BTreeSet<&str> =
            found.items().iter().map(|one| one.passage.document.collection.as_str()).collect();
        tracing::Span::current().record("route", if collections.len() > 1 { context::TREE } else { context::DIRECT });
        service.desk.figures.observe_search(&found, clock.since_start().saturating_sub(started));
        Ok(found)
    };
    let candidates = service.admitted(id, search).await?;
    Ok(Found { request_id: id.to_owned(), hits: candidates.items().iter().map(PassageWire::of).collect() })
}
