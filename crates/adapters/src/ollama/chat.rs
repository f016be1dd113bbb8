//! A dictation → the request for `/api/chat`, and the lines of its answer → text.
//!
//! Invariant: only a line that says `done` ends an answer; what a model thinks is not what it says.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, Message},
};

use super::refusal::refusal;
use crate::model_server::{Fragment, Heard, LineDecoder, RefusedReply, ServerName, tools, whole_calls};

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    /// Otherwise a question that is too long silently loses its beginning.
    truncate: bool,
    /// Otherwise an answer that is too long pushes the question out of the window.
    shift: bool,
    options: Options,
    /// A schema that the server is to see to.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Options {
    num_ctx: usize,
    num_predict: usize,
    temperature: f32,
    seed: u32,
}

impl<'a> ChatRequest<'a> {
    pub(super) fn new(completion_request: &'a CompletionRequest) -> Self {
        let message = |message: &'a Message| ChatMessage { role: message.role.as_str(), content: &message.text };
        Self {
            model: &completion_request.model,
            messages: completion_request.messages.iter().map(message).collect(),
            stream: true,
            truncate: false,
            shift: false,
            options: Options {
                num_ctx: completion_request.context_window,
                num_predict: completion_request.response_tokens_max,
                temperature: completion_request.temperature,
                seed: 0,
            },
            format: completion_request.schema.and_then(|schema| serde_json::from_str(schema).ok()),
            tools: tools(&completion_request.tools),
        }
    }
}

#[derive(Deserialize)]
struct ChatLine {
    message: Option<ReplyMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ReplyMessage {
    content: Option<String>,
    tool_calls: Option<Heard>,
}

/// Reads the lines of an answer.
pub(super) struct ChatLineDecoder {
    pub(super) server: Arc<ServerName>,
    pub(super) model: String,
    pub(super) context_window: usize,
}

impl LineDecoder for ChatLineDecoder {
    fn decode(&mut self, line: &[u8]) -> Result<Fragment, ModelError> {
        if line.trim_ascii().is_empty() {
            return Ok(Fragment::default());
        }
        let said: ChatLine = serde_json::from_slice(line).map_err(|error| self.server.invalid_reply(&error))?;
        if said.error.is_some() {
            let refused = RefusedReply { status: None, body: line.to_vec() };
            return Err(refusal(&refused, &self.server, &self.model, self.context_window));
        }
        let (content, calls) = said.message.map(|message| (message.content, message.tool_calls)).unwrap_or_default();
        let text = content.unwrap_or_default();
        let is_cut = said.done_reason.is_some_and(|reason| reason == "length");
        Ok(Fragment { text, is_over: said.done, is_cut, calls: whole_calls(calls) })
    }

    fn close(&mut self) -> Result<Fragment, ModelError> {
        Err(self.server.stream_broken())
    }
}
