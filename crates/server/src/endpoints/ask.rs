//! `POST /v1/ask`: one question, one reply.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use utoipa::ToSchema;
use vouch_domain::{Caller, Question, Turn, is_session_id};

use super::body;
use vouch_service::{
    question::AskRequest,
    surface::Surface,
    wire::{HistoryMessage, Reply, language_or_null},
};

use crate::{
    faults::{Faults, ModelFaults},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// What is told of a session id that is none.
pub(crate) const NO_SESSION_ID: &str = "session_id must have 1 to 128 letters, digits, '.', '_', ':' or '-'";
/// Longest conversation that is accepted, in messages.
pub(crate) const TURNS_MAX: usize = 200;

/// Longest id of a request that a question stands for; a longer one is nobody's.
pub(crate) const INSTEAD_OF_CHARS_MAX: usize = 200;
pub(crate) const INSTEAD_OF_TOO_LONG: &str = "instead_of is longer than 200 characters";

/// A question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "How many days of paid annual leave do staff have?" }))]
pub(crate) struct AskBody {
    /// The question.
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// Earlier messages of the conversation, oldest first; at most 200.
    #[serde(default)]
    chat_history: Vec<HistoryMessage>,
    /// Model that writes the answer: one of `models.allowed`, or `extractive` to quote; the configured one if absent.
    model: Option<String>,
    /// Tag of the language in which editors' notes are told, such as `nl`; that of the question if absent.
    #[serde(default, deserialize_with = "language_or_null")]
    language: Option<String>,
    /// Most passages to answer from; the configured number if absent.
    #[schema(minimum = 1)]
    max_context_chunks: Option<usize>,
    /// Agent that is to answer; told by the question if absent.
    #[serde(default)]
    agent: Option<String>,
    /// Id of the conversation, as the reply before had it; a new one begins if absent. Letters, digits and `.`, `_`, `:`, `-`.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9._:-]+$")]
    session_id: Option<String>,
    /// The `pending.token` of the reply before, with a `query` that says yes to what will be done.
    #[serde(default)]
    confirm: Option<String>,
    /// The `request_id` of the reply that suggested this question, where it was taken up: editors are told that the question before
    /// meant the same.
    #[serde(default)]
    #[schema(max_length = 200)]
    instead_of: Option<String>,
    /// Whether the reply has its `trace`.
    #[serde(default)]
    explain: bool,
    /// Read only documents with one of these tags or none; never more than the key allows.
    #[schema(value_type = Option<Vec<String>>)]
    tags: Option<BTreeSet<String>>,
}

impl AskBody {
    /// Reads a body, or says what is wrong with it.
    pub(crate) fn read(body: Result<Bytes, BytesRejection>, id: &str) -> Result<Self, Problem> {
        let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
        let read: Self = body::read(body, id)?;
        if read.query.trim().is_empty() {
            return Err(wrong("the question is empty".to_owned()));
        }
        if read.chat_history.len() > TURNS_MAX {
            return Err(wrong(format!(
                "chat_history has {} messages, the limit is {TURNS_MAX}",
                read.chat_history.len()
            )));
        }
        if read.session_id.as_ref().is_some_and(|id| !is_session_id(id)) {
            return Err(wrong(NO_SESSION_ID.to_owned()));
        }
        if read.instead_of.as_ref().is_some_and(|id| id.chars().count() > INSTEAD_OF_CHARS_MAX) {
            return Err(wrong(INSTEAD_OF_TOO_LONG.to_owned()));
        }
        if read.max_context_chunks == Some(0) {
            return Err(wrong("max_context_chunks must be at least 1".to_owned()));
        }
        Ok(read)
    }

    /// The question on its caller's behalf; tags can only narrow what is read.
    pub(crate) fn ask_request(self, caller: &Caller, id: &str) -> AskRequest {
        let reader = caller.narrow(self.tags.as_ref());
        let question = Question {
            conversation: self.chat_history.into_iter().map(Turn::from).collect(),
            passages_max: self.max_context_chunks,
            model: self.model,
            language: self.language,
            asker: caller.person.clone(),
            agent: self.agent,
            confirms: self.confirm,
            instead_of: self.instead_of,
            ..Question::new(self.query, reader)
        };
        AskRequest {
            request_id: id.to_owned(),
            asker: caller.id.clone(),
            session_id: self.session_id,
            surface: Surface::Http,
            question,
            explains: self.explain,
        }
    }
}

#[utoipa::path(
    post, path = "/v1/ask", tag = "questions", request_body = AskBody, security(("key" = [])),
    description = "Answers one question. A refusal is a reply too, with status 200.",
    responses((status = 200, description = "The reply.", body = Reply), Faults, ModelFaults)
)]
pub(crate) async fn ask(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, answered(&service, &headers, body, &id).await)
}

async fn answered(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Reply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let ask_request = AskBody::read(body, id)?.ask_request(&caller, id);
    let walk = async {
        service.ask_service.answer(&ask_request).await.map_err(|error| Problem::from_ask_service_error(&error, id))
    };
    Ok(service.run_admitted(id, walk).await?.reply)
}
