//! `DELETE /v1/questions/{id}`: a question taken back from whoever it was sent to.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use crate::{
    endpoints::removed::Removed,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    delete, path = "/v1/questions/{id}", operation_id = "withdraw_question", tag = "questions", security(("key" = [])),
    params(("id" = String, Path, description = "The question's id.")),
    description = "Withdraws a question; an answer that was written stays. Needs an admin key.",
    responses((status = 200, description = "It is removed.", body = Removed), Missing, Faults)
)]
pub(crate) async fn withdraw(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    let question = path.map(|Path(question)| question).unwrap_or_default();
    respond(&id, withdrawn(&service, &headers, &question, &id).await)
}

async fn withdrawn(service: &Service, headers: &HeaderMap, question: &str, id: &str) -> Result<Removed, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let gone = service.admin_service.withdraw_question(turn, &caller, question).await;
        gone.map_err(|error| Problem::from_admin_error(&error, id))
    };
    service.run_admitted(id, work).await?;
    Ok(Removed { request_id: id.to_owned(), removed: 1 })
}
