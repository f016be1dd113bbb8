//! A request's bytes → what it asks, or what is wrong with it.

use std::error::Error;

use axum::{body::Bytes, extract::rejection::BytesRejection, http::StatusCode};
use serde::de::DeserializeOwned;

use crate::problem::{Code, Problem};

/// Reads a body as JSON.
pub(super) fn read<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>, id: &str) -> Result<T, Problem> {
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let body = body.map_err(|rejection| match (is_late(&rejection), rejection.status()) {
        (true, _) => Problem::new(Code::TooSlow, "the body did not arrive in time", id),
        (false, StatusCode::PAYLOAD_TOO_LARGE) => {
            Problem::new(Code::TooLarge, "The body is larger than this server accepts.", id)
        }
        (false, _) => wrong("the body ended early or does not match its headers".to_owned()),
    })?;
    serde_json::from_slice(&body).map_err(|error| wrong(error.to_string()))
}

/// Whether a body was not read because its deadline had passed.
fn is_late(rejection: &BytesRejection) -> bool {
    let mut cause = rejection.source();
    while let Some(error) = cause {
        if error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::TimedOut) {
            return true;
        }
        cause = error.source();
    }
    false
}
