//! What all of OpenAI's protocol shares: the path of its questions, and a shape for problems that its clients understand.

use axum::response::Response;

use crate::{problem::Problem, request_id::with_request_id, wire::CompletionProblem};

pub(crate) const COMPLETIONS_PATH: &str = "/v1/chat/completions";

/// A problem in a shape that clients of this protocol understand too.
pub(crate) fn failed(id: &str, problem: &Problem) -> Response {
    with_request_id(id, problem.with_body(serde_json::to_vec(&CompletionProblem::new(problem)).unwrap_or_default()))
}
