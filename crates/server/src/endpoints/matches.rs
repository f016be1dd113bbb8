//! `POST /v1/matches`: how near wordings are to a question, before they are kept.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::MemoryKind;
use vouch_service::memory_match::{MatchList, MemoryMatcher};

use super::body;
use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Most wordings that are compared, and longest text, in characters.
const PHRASES_MAX: usize = 50;
const CHARS_MAX: usize = 2_000;

/// A question and wordings to compare it with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"query": "How much leave do I get?", "phrases": ["How many days of leave do I have?"]}))]
pub(crate) struct MatchBody {
    /// The question as somebody may ask it, at most 2000 characters.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    query: String,
    /// Wordings that are not kept yet, at most 50 of 2000 characters.
    #[serde(default)]
    #[schema(max_items = 50)]
    phrases: Vec<String>,
    /// Whether the wordings are those of a note.
    #[serde(default)]
    note: bool,
}

/// How near the wordings are.
#[derive(Serialize, ToSchema)]
#[schema(as = Matches)]
pub(crate) struct MatchReply {
    /// Id of the request.
    request_id: String,
    #[serde(flatten)]
    list: MatchList,
}

#[utoipa::path(
    post, path = "/v1/matches", operation_id = "compare_wordings", tag = "memory", request_body = MatchBody, security(("key" = [])),
    description = "How close wordings of a pinned question or a note are to a question, and which stored entries are \
                   close to it; nothing is stored or recorded. Needs an admin key.",
    responses((status = 200, description = "The likenesses.", body = MatchReply), Faults)
)]
pub(crate) async fn compare(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, compared(&service, &headers, body, &id).await)
}

async fn compared(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<MatchReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let MatchBody { query, phrases, note } = body::read(body, id)?;
    let is_fit = |text: &String| !text.trim().is_empty() && text.chars().count() <= CHARS_MAX;
    if !is_fit(&query) || phrases.len() > PHRASES_MAX || !phrases.iter().all(is_fit) {
        let detail =
            format!("a text is empty or longer than {CHARS_MAX} characters, or there are more than {PHRASES_MAX}");
        return Err(Problem::new(Code::InvalidRequest, detail, id));
    }
    let engine = &service.ask_service.engine;
    let matcher = MemoryMatcher {
        embedder: engine.retrieve.embedder.as_ref(),
        memory: service.admin_service.memory.as_ref(),
        policy: &engine.policies.memory,
    };
    let kind = if note { MemoryKind::Note } else { MemoryKind::Pinned };
    let work = async {
        let compared = matcher.compare(&caller.reader, &query, (phrases, kind)).await;
        compared.map_err(|error| Problem::from_port_error(&error, id))
    };
    Ok(MatchReply { request_id: id.to_owned(), list: service.run_admitted(id, work).await? })
}
