//! `POST /v1/ask`: one question, one reply.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use vouch_domain::{Caller, Question, Speaker, Turn};

use super::body;
use crate::{
    desk::Asking,
    problem::{Code, Problem},
    service::{Service, replied, request_id},
    wire::Reply,
};

/// Longest conversation that is taken.
const TURNS_MAX: usize = 200;

/// A question as it comes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskBody {
    query: String,
    #[serde(default)]
    chat_history: Vec<Message>,
    model: Option<String>,
    max_context_chunks: Option<usize>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    explain: bool,
    tags: Option<BTreeSet<String>>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: Role,
    content: String,
    #[serde(default)]
    sources: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    System,
}

impl AskBody {
    /// Reads a body, or says what is wrong with it.
    pub(crate) fn read(body: Result<Bytes, BytesRejection>, id: &str) -> Result<Self, Problem> {
        let wrong = |detail: String| Problem::of(Code::InvalidRequest, detail, id);
        let read: Self = body::read(body, id)?;
        if read.chat_history.len() > TURNS_MAX {
            return Err(wrong(format!(
                "chat_history has {} messages, the limit is {TURNS_MAX}",
                read.chat_history.len()
            )));
        }
        if read.agent.is_some() {
            return Err(wrong("there are no agents in this profile".to_owned()));
        }
        if read.max_context_chunks == Some(0) {
            return Err(wrong("max_context_chunks must be at least 1".to_owned()));
        }
        Ok(read)
    }

    /// The question on its caller's behalf; system messages are not ours to obey, and tags can only narrow.
    pub(crate) fn asking(self, caller: &Caller, id: &str) -> Asking {
        let turn = |message: Message| {
            let speaker = match message.role {
                Role::User => Speaker::Asker,
                Role::Assistant => Speaker::Vouch,
                Role::System => return None,
            };
            Some(Turn { speaker, text: message.content, sources: message.sources })
        };
        let reader = caller.narrowed(self.tags.as_ref());
        let question = Question {
            text: self.query,
            conversation: self.chat_history.into_iter().filter_map(turn).collect(),
            reader,
            passages_max: self.max_context_chunks,
            model: self.model,
        };
        Asking {
            request_id: id.to_owned(),
            asker: caller.id.clone(),
            session_id: None,
            surface: "http",
            question,
            explains: self.explain,
        }
    }
}

pub(crate) async fn ask(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    replied(&id, answered(&service, &headers, body, &id).await)
}

async fn answered(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Reply, Problem> {
    let caller = service.door.reader(headers, id).await?;
    let asking = AskBody::read(body, id)?.asking(&caller, id);
    let walk = async { service.desk.answer(&asking).await.map_err(|error| Problem::of_desk(&error, id)) };
    Ok(service.admitted(id, walk).await?.reply)
}
