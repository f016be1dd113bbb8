//! `DELETE /v1/documents/{id}`: a document out of every search.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use super::id_of;
use crate::{
    endpoints::removed::Removed,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    delete, path = "/v1/documents/{id}", operation_id = "take_out_document", tag = "documents", security(("key" = [])),
    params(("id" = String, Path, description = "The document's id; slashes need not be escaped.", min_length = 1)),
    responses((status = 200, description = "It is removed.", body = Removed), Faults, Missing)
)]
pub(crate) async fn delete(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, gone(&service, &headers, path, &id).await)
}

async fn gone(
    service: &Service,
    headers: &HeaderMap,
    path: Result<Path<String>, PathRejection>,
    id: &str,
) -> Result<Removed, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let document_id = id_of(path, id)?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let gone = service.admin_service.delete(turn, &caller, &document_id).await;
        gone.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let report = service.run_admitted(id, work).await?;
    Ok(Removed { request_id: id.to_owned(), removed: report.removed })
}
