//! `GET /v1/suggestions`: what the beginning of a question may go on as.

use std::sync::Arc;

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_service::suggest::{SuggestedWire, Suggester};

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Longest text that is looked at, in characters.
const CHARS_MAX: usize = 200;

/// What was typed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SuggestionParams {
    /// The beginning of a question, at most 200 characters; without it, what can be asked is told.
    #[serde(default)]
    #[param(max_length = 200, required = false)]
    q: String,
}

/// Suggestions.
#[derive(Serialize, ToSchema)]
#[schema(as = Suggestions)]
pub(crate) struct SuggestionsReply {
    /// Id of the request.
    request_id: String,
    /// Pinned questions, then terms, then documents; at most four of each. Where nothing was typed: the examples of the settings, or
    /// else pinned questions, or else titles of documents.
    suggestions: Vec<SuggestedWire>,
}

#[utoipa::path(
    get, path = "/v1/suggestions", operation_id = "suggest", tag = "questions", params(SuggestionParams), security(("key" = [])),
    description = "Pinned questions, terms and addresses of documents that start with what was typed, or questions to \
                   start with if nothing was; limited to what the caller may see. Nothing is recorded.",
    responses((status = 200, description = "The suggestions.", body = SuggestionsReply), Faults)
)]
pub(crate) async fn suggest(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<SuggestionParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, suggested(&service, &headers, params, &id).await)
}

async fn suggested(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<SuggestionParams>, QueryRejection>,
    id: &str,
) -> Result<SuggestionsReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(SuggestionParams { q }) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    if q.chars().count() > CHARS_MAX {
        return Err(wrong(format!("the text is longer than {CHARS_MAX} characters")));
    }
    let suggester = Suggester {
        examples: &service.examples,
        memory: service.admin_service.memory.as_ref(),
        register: service.admin_service.register.as_ref(),
        terms: service.ask_service.engine.terms_in_use().await.map(Arc::as_ref),
    };
    let work = async {
        let found = suggester.suggest(&caller.reader, &q).await;
        found.map_err(|error| Problem::from_port_error(&error, id))
    };
    Ok(SuggestionsReply { request_id: id.to_owned(), suggestions: service.run_admitted(id, work).await? })
}
