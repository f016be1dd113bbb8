//! A dictation → the request for `/api/chat`, and the lines of its answer → text.
//!
//! Invariant: only a line that says `done` ends an answer; what a model thinks is not what it says.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vouch_domain::{
    ModelError,
    ports::{Dictation, Message},
};

use super::refusal::refusal;
use crate::model_server::{Heard, Refused, ServerName, Tongue};

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
    pub(super) fn of(dictation: &'a Dictation) -> Self {
        let message = |message: &'a Message| ChatMessage { role: message.role.word(), content: &message.text };
        Self {
            model: &dictation.model,
            messages: dictation.messages.iter().map(message).collect(),
            stream: true,
            truncate: false,
            shift: false,
            options: Options {
                num_ctx: dictation.context_window,
                num_predict: dictation.response_tokens_max,
                temperature: dictation.temperature,
                seed: 0,
            },
        }
    }
}

#[derive(Deserialize)]
struct ChatLine {
    message: Option<SaidMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct SaidMessage {
    content: Option<String>,
}

/// Reads the lines of an answer.
pub(super) struct ChatTongue {
    pub(super) server: Arc<ServerName>,
    pub(super) model: String,
    pub(super) context_window: usize,
}

impl Tongue for ChatTongue {
    fn hear(&mut self, line: &[u8]) -> Result<Heard, ModelError> {
        if line.trim_ascii().is_empty() {
            return Ok(Heard::default());
        }
        let said: ChatLine = serde_json::from_slice(line).map_err(|error| self.server.cannot_be_understood(&error))?;
        if said.error.is_some() {
            let refused = Refused { status: None, body: line.to_vec() };
            return Err(refusal(&refused, &self.server, &self.model, self.context_window));
        }
        let text = said.message.and_then(|message| message.content).unwrap_or_default();
        let is_cut = said.done_reason.is_some_and(|reason| reason == "length");
        Ok(Heard { text, is_over: said.done, is_cut })
    }

    fn close(&mut self) -> Result<Heard, ModelError> {
        Err(self.server.broke_off())
    }
}
