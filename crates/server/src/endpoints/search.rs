//! `POST /v1/search`: ranked passages, no answer.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::Question;
use vouch_engine::retrieve::{Lane, LaneChoice};

use super::body;
use vouch_service::wire::PassageWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const HITS: usize = 10;
const HITS_MAX: usize = 1_000;

/// A search for passages.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "annual leave", "k": 5 }))]
pub(crate) struct SearchBody {
    /// Words or a question.
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// Most passages to return; 10 if absent.
    #[schema(minimum = 1, maximum = 1000)]
    k: Option<usize>,
    /// Which search lane to use; all of them if absent.
    #[serde(default)]
    lane: LaneWord,
    /// Read only documents with one of these tags or none; never more than the key allows.
    #[schema(value_type = Option<Vec<String>>)]
    tags: Option<BTreeSet<String>>,
}

/// A search lane: `dense` finds by meaning, `lexical` by words, `address` by document number, `memory` by curated
/// entries.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Lane)]
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

/// Passages that were found.
#[derive(Serialize, ToSchema)]
#[schema(as = Hits)]
pub(crate) struct SearchReply {
    /// Id of the request.
    request_id: String,
    /// Best first.
    hits: Vec<PassageWire>,
}

#[utoipa::path(
    post, path = "/v1/search", tag = "questions", request_body = SearchBody, security(("key" = [])),
    description = "Ranked passages, no answer.",
    responses((status = 200, description = "Passages, best first.", body = SearchReply), Faults)
)]
pub(crate) async fn search(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, found(&service, &headers, body, &id).await)
}

async fn found(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<SearchReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let body: SearchBody = body::read(body, id)?;
    let wanted = body.k.unwrap_or(HITS);
    if !(1..=HITS_MAX).contains(&wanted) {
        let detail = format!("k is {wanted}; it must be between 1 and {HITS_MAX}");
        return Err(Problem::new(Code::InvalidRequest, detail, id));
    }
    let reader = caller.narrow(body.tags.as_ref());
    let question = Question { passages_max: Some(wanted), ..Question::new(body.query, reader) };
    let search = async {
        let asked = service.ask_service.search(&question, body.lane.choice()).await;
        asked.map_err(|error| Problem::from_ask_error(&error, id))
    };
    let candidates = service.run_admitted(id, search).await?;
    Ok(SearchReply { request_id: id.to_owned(), hits: candidates.items().iter().map(PassageWire::new).collect() })
}
