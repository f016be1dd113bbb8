//! `GET /v1/questions`: the questions sent to the caller, and all that were sent for admins.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::wire::SentQuestionWire;

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// Questions that were sent to somebody.
#[derive(Serialize, ToSchema)]
#[schema(as = SentQuestions)]
pub(crate) struct QuestionsReply {
    /// Id of the request.
    request_id: String,
    /// The open ones first, then the newest; at most 500.
    questions: Vec<SentQuestionWire>,
}

#[utoipa::path(
    get, path = "/v1/questions", operation_id = "list_questions", tag = "questions", security(("key" = [])),
    description = "Questions sent to the caller for an answer; an admin of the whole tenant sees all that were sent.",
    responses((status = 200, description = "The questions.", body = QuestionsReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<QuestionsReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let read = async {
        let sent = service.admin_service.sent_questions(&caller).await;
        sent.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let questions = service.run_admitted(id, read).await?.iter().map(SentQuestionWire::from).collect();
    Ok(QuestionsReply { request_id: id.to_owned(), questions })
}
