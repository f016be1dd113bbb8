//! `{"error": "…"}` and its status → what it means for whoever asked.

use serde::Deserialize;
use vouch_domain::ModelError;

use crate::model_server::{RefusedReply, ServerName, read_overflow};

#[derive(Deserialize)]
struct ErrorBody {
    error: String,
}

/// What the server means; its own words go to the log.
pub(super) fn refusal(refused: &RefusedReply, server: &ServerName, model: &str, context_window: usize) -> ModelError {
    server.note(&refused.body);
    let told = serde_json::from_slice::<ErrorBody>(&refused.body).map(|told| told.error).unwrap_or_default();
    // `model 'x' not found`, or `model "x" not found, try pulling it first`.
    if told.contains("model") && told.contains("not found") {
        let sentence = format!("run `ollama pull {model}`");
        return ModelError::Unavailable { model: model.to_owned(), sentence };
    }
    if let Some(error) = read_overflow(&told, context_window) {
        return error;
    }
    if told.contains("does not support") {
        return server.connection(format!("has a model '{model}' that cannot do what was asked of it"));
    }
    if told.contains("memory") {
        return server.connection(format!("has too little memory for the model '{model}'"));
    }
    match refused.status {
        Some(status) => server.status(status, ""),
        None => server.connection("failed in the middle of its answer"),
    }
}
