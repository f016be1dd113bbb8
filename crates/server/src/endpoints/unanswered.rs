//! `GET /v1/unanswered`: questions that found no answer, by topic, for admins.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::unanswered::{Unanswered, UnansweredList};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// Questions without an answer.
#[derive(Serialize, ToSchema)]
#[schema(as = UnansweredReply)]
pub(crate) struct UnansweredReply {
    /// Id of the request.
    request_id: String,
    #[serde(flatten)]
    list: UnansweredList,
}

#[utoipa::path(
    get, path = "/v1/unanswered", operation_id = "list_unanswered", tag = "questions", security(("key" = [])),
    description = "Questions of late that were refused or routed and that nobody has pinned since, by topic, with whoever answers for it; \
        needs an admin key.",
    responses((status = 200, description = "The questions.", body = UnansweredReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<UnansweredReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let admin_service = &service.admin_service;
    let unanswered = Unanswered {
        trail: service.ask_service.trail.as_ref(),
        register: admin_service.register.as_ref(),
        directory: admin_service.directory.as_ref(),
        memory: admin_service.memory.as_ref(),
        questions: admin_service.questions.as_ref(),
    };
    let read = async { unanswered.list(&caller).await.map_err(|error| Problem::from_port_error(&error, id)) };
    Ok(UnansweredReply { request_id: id.to_owned(), list: service.run_admitted(id, read).await? })
}
