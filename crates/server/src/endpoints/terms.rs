//! `GET /v1/terms`: what the vocabulary says of a term, or that it says nothing.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use utoipa::IntoParams;

use vouch_domain::Question;

use vouch_service::{question::AskRequest, surface::Surface, wire::Reply};

use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Longest term that is looked up, in characters.
const TERM_CHARS_MAX: usize = 500;

/// Which term.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TermParams {
    /// The term.
    #[param(min_length = 1, max_length = 500, pattern = r"\S", example = "carry-over")]
    term: String,
}

#[utoipa::path(
    get, path = "/v1/terms", operation_id = "define_term", tag = "terms", params(TermParams), security(("key" = [])),
    description = "Looks a term up. The reply's `answer` is in the vocabulary's own words; an unknown term is refused.",
    responses((status = 200, description = "What the vocabulary says.", body = Reply), Faults, Missing)
)]
pub(crate) async fn define(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<TermParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, defined(&service, &headers, params, &id).await)
}

async fn defined(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<TermParams>, QueryRejection>,
    id: &str,
) -> Result<Reply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(TermParams { term }) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    if term.trim().is_empty() || term.chars().count() > TERM_CHARS_MAX {
        return Err(wrong(format!("the term is empty or longer than {TERM_CHARS_MAX} characters")));
    }
    // Recorded as a question, so that a replay gives the same result.
    let ask_request = AskRequest {
        request_id: id.to_owned(),
        asker: caller.id.clone(),
        session_id: None,
        surface: Surface::Http,
        question: Question::new(format!("Define the term {}", term.trim()), caller.narrow(None)),
        explains: false,
    };
    let work = async {
        let defined = service.ask_service.define(term.trim(), &ask_request).await;
        defined.map_err(|error| Problem::from_ask_service_error(&error, id))
    };
    let answered = service.run_admitted(id, work).await?;
    let answered = answered
        .ok_or_else(|| Problem::new(Code::NotFound, "No vocabulary is loaded, so terms cannot be looked up.", id))?;
    Ok(answered.reply)
}
