//! `DELETE /v1/memory/{id}`: an entry taken out.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use crate::{
    endpoints::removed::Removed,
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    delete, path = "/v1/memory/{id}", operation_id = "take_out_memory", tag = "memory", security(("key" = [])),
    params(("id" = String, Path, description = "The entry's id; slashes need not be escaped.", min_length = 1)),
    responses((status = 200, description = "It is removed.", body = Removed), Faults, Missing)
)]
pub(crate) async fn forget(
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
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Path(entry) = path.map_err(|rejection| wrong(rejection.body_text()))?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let gone = service.admin_service.forget(turn, &caller, &entry).await;
        gone.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let removed = service.run_admitted(id, work).await? as u64;
    Ok(Removed { request_id: id.to_owned(), removed })
}
