//! An error object and its status → what it means for whoever asked.
//!
//! Servers agree on `{"error": {"message", "type", "code"}}` and on little else: `code` is a word or a number, some put
//! the object itself where `error` belongs, some a mere sentence.

use std::sync::Arc;

use serde_json::Value;
use vouch_domain::ModelError;

use crate::model_server::{RefusedReply, ServerName, read_overflow};

/// What was asked of whom, as far as a refusal may turn on it.
#[derive(Clone)]
pub(super) struct RefusalContext {
    pub(super) server: Arc<ServerName>,
    pub(super) model: String,
    pub(super) context_window: usize,
    pub(super) has_key: bool,
}

/// What an error object says.
#[derive(Default)]
struct ErrorDetails {
    message: String,
    kind: String,
    code: String,
    prompt_tokens: Option<usize>,
    context_tokens: Option<usize>,
}

impl RefusalContext {
    /// What the server means; its own words go to the log.
    pub(super) fn refusal(&self, refused: &RefusedReply) -> ModelError {
        self.server.note(&refused.body);
        let told = ErrorDetails::read(&refused.body);
        let status = refused.status.map(|status| status.as_u16());
        if matches!(status, Some(401 | 403)) {
            let without = if self.has_key { "" } else { ": none was given" };
            return self.server.connection(format!("refused the key ({}){without}", status.unwrap_or_default()));
        }
        if let (Some(needed), Some(available)) = (told.prompt_tokens, told.context_tokens) {
            return ModelError::TokenBudgetExceeded { needed, available };
        }
        if let Some(error) = read_overflow(&told.message, self.context_window) {
            return error;
        }
        if told.is_about_a_missing_model(status) {
            let sentence = self.server.sentence("does not know it; compare the name with the server's list of models");
            return ModelError::Unavailable { model: self.model.clone(), sentence };
        }
        let word = self.server.word(&told.kind);
        match refused.status {
            Some(status) => self.server.status(status, word),
            None if word.is_empty() => self.server.connection("failed in the middle of its answer"),
            None => self.server.connection(format!("failed in the middle of its answer ({word})")),
        }
    }
}

impl ErrorDetails {
    fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let error = body.get("error").unwrap_or(&body);
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let count = |name: &str| error.get(name)?.as_u64()?.try_into().ok();
        Self {
            message: error.as_str().map_or_else(|| text("message"), str::to_owned),
            kind: text("type"),
            code: text("code"),
            prompt_tokens: count("n_prompt_tokens"),
            context_tokens: count("n_ctx"),
        }
    }

    /// A path that does not exist is a 404 too, but says nothing of a model.
    fn is_about_a_missing_model(&self, status: Option<u16>) -> bool {
        let is_named = self.code == "model_not_found" || self.kind == "model_not_found";
        is_named || (status == Some(404) && self.message.to_lowercase().contains("model"))
    }
}
