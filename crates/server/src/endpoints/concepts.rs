//! `GET /v1/concepts`: a vocabulary to look through: its widest concepts, or one by its address or name.

use std::sync::Arc;

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{Concept, PortError, Reader, TermKey};
use vouch_engine::terminology::TermLookup;
use vouch_service::wire::ConceptWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const PAGE: usize = 200;
const PAGE_MAX: usize = 1_000;

/// Which concepts are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConceptParams {
    /// Address or a name of a concept; without it the widest concepts are listed.
    #[param(min_length = 1, max_length = 200, pattern = r"\S")]
    term: Option<String>,
    /// Most concepts; 200 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Start after this address: the `next` of the page before.
    after: Option<String>,
}

/// Concepts.
#[derive(Serialize, ToSchema)]
#[schema(as = Concepts)]
pub(crate) struct ConceptsReply {
    /// Id of the request.
    request_id: String,
    /// What keeps the vocabulary, such as `skos_file`; null if none is loaded.
    backend: Option<&'static str>,
    /// False if the vocabulary is kept elsewhere and can only be asked for a term.
    can_list: bool,
    /// Ordered by address.
    concepts: Vec<ConceptWire>,
    /// Send it as `after` for the next page; null on the last.
    next: Option<String>,
}

#[utoipa::path(
    get, path = "/v1/concepts", operation_id = "list_concepts", tag = "terms", params(ConceptParams), security(("key" = [])),
    description = "The widest concepts of the vocabulary, or those with this address or name, each with its names, its definition and its \
        place in the hierarchy. Nothing is recorded.",
    responses((status = 200, description = "The concepts.", body = ConceptsReply), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<ConceptParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, params, &id).await)
}

async fn listed(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<ConceptParams>, QueryRejection>,
    id: &str,
) -> Result<ConceptsReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(ConceptParams { term, limit, after }) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {PAGE_MAX}")));
    }
    let request_id = id.to_owned();
    let Some(terms) = service.ask_service.engine.terms_in_use().await.map(Arc::as_ref) else {
        return Ok(ConceptsReply { request_id, backend: None, can_list: false, concepts: Vec::new(), next: None });
    };
    let key = match term.as_deref().map(TermKey::parse) {
        Some(None) => return Err(wrong(format!("the term is empty or longer than {} characters", TermKey::CHARS_MAX))),
        Some(Some(key)) => Some(key),
        None => None,
    };
    let work = async {
        let after = after.unwrap_or_default();
        let found = match &key {
            Some(key) => terms.look_up_fresh(&caller.reader, key).await.map(|found| (true, found.to_vec(), None)),
            None => top(terms, &caller.reader, (&after, limit)).await,
        };
        found.map_err(|error| Problem::from_port_error(&error, id))
    };
    let (can_list, concepts, next) = service.run_admitted(id, work).await?;
    let concepts = concepts.iter().map(|concept| ConceptWire::new(concept, terms.language())).collect();
    Ok(ConceptsReply { request_id, backend: Some(terms.backend()), can_list, concepts, next })
}

/// Whether there is a list, a page of it, and where the next begins.
async fn top(
    terms: &TermLookup,
    reader: &Reader,
    (after, limit): (&str, usize),
) -> Result<(bool, Vec<Concept>, Option<String>), PortError> {
    let Some(mut concepts) = terms.top(reader, after, limit + 1).await? else { return Ok((false, Vec::new(), None)) };
    let is_last = concepts.len() <= limit;
    concepts.truncate(limit);
    let next = concepts.last().filter(|_| !is_last).map(|concept| concept.uri.clone());
    Ok((true, concepts, next))
}
