//! A request's bytes → what it asks, or what is wrong with it.

use axum::{body::Bytes, extract::rejection::BytesRejection};
use serde::de::DeserializeOwned;

use crate::problem::{Code, Problem};

/// Reads a body as JSON.
pub(super) fn read<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>, id: &str) -> Result<T, Problem> {
    let wrong = |detail: String| Problem::of(Code::InvalidRequest, detail, id);
    let body = body.map_err(|rejection| wrong(rejection.body_text()))?;
    serde_json::from_slice(&body).map_err(|error| wrong(error.to_string()))
}
