//! `POST /v1/questions/{id}/answer`: what the owner of a question says to it.

use axum::{
    body::Bytes,
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use utoipa::ToSchema;
use vouch_service::wire::SentQuestionWire;

use super::send::QuestionReply;
use crate::{
    endpoints::body,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// An answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"text": "Up to four weeks a year, once your manager has agreed."}))]
pub(crate) struct AnswerBody {
    /// The answer as text or Markdown, at most 20,000 characters.
    #[schema(min_length = 1, max_length = 20000, pattern = r"\S")]
    text: String,
}

#[utoipa::path(
    post, path = "/v1/questions/{id}/answer", operation_id = "answer_question", tag = "questions", request_body = AnswerBody,
    params(("id" = String, Path, description = "The question's id.")), security(("key" = [])),
    description = "Stores an answer as a document that can be cited, and pins the question to it; for the person the \
                   question was sent to, and for admins. A second answer replaces the first.",
    responses((status = 200, description = "The question with its answer.", body = QuestionReply), Missing, Faults)
)]
pub(crate) async fn answer(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    // An id that cannot be decoded is the id of nothing.
    let question = path.map(|Path(question)| question).unwrap_or_default();
    respond(&id, answered(&service, &headers, (&question, body), &id).await)
}

async fn answered(
    service: &Service,
    headers: &HeaderMap,
    (question, body): (&str, Result<Bytes, BytesRejection>),
    id: &str,
) -> Result<QuestionReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let AnswerBody { text } = body::read(body, id)?;
    let now_ms = service.access_control.clock.now_ms();
    let turn = service.wait_for_lock(service.admin_service.lock_tenant(&caller), id).await?;
    let work = async {
        let kept = service.admin_service.answer_question(turn, &caller, (question, &text), now_ms).await;
        kept.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let question = service.run_admitted(id, work).await?;
    Ok(QuestionReply::new(id, SentQuestionWire::from(&question)))
}
