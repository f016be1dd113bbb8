//! The name of a request, which every answer and every log line carries.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::{
    Json,
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{IntoResponse, Response},
};
use serde::Serialize;

use crate::problem::Problem;

/// The header with the request id, which is also in every log line.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_CHARS_MAX: usize = 64;

/// The client's request id if it is valid, else a generated one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_name = |id: &&str| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match given.filter(is_name) {
        Some(id) => id.to_owned(),
        None => {
            let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
            format!("req-{since:x}-{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
        }
    }
}

/// The response to a request, with its id.
pub(crate) fn respond<T: Serialize>(id: &str, outcome: Result<T, Problem>) -> Response {
    let response = match outcome {
        Ok(reply) => Json(reply).into_response(),
        Err(problem) => problem.into_response(),
    };
    with_request_id(id, response)
}

/// A response with its request id.
pub(crate) fn with_request_id(id: &str, mut response: Response) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
