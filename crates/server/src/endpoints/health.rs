//! `GET /healthz`: the process answers. `GET /readyz`: a question could be answered too.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::Service;

/// State of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok` for `/healthz`; `ready` or `not ready` for `/readyz`.
    status: &'static str,
}

#[utoipa::path(
    get, path = "/healthz", operation_id = "is_alive", tag = "service",
    responses((status = 200, description = "The process is running.", body = Health))
)]
pub(crate) async fn alive() -> Json<Health> {
    Json(Health { status: "ok" })
}

#[utoipa::path(
    get, path = "/readyz", operation_id = "is_ready", tag = "service",
    responses(
        (status = 200, description = "Questions can be answered.", body = Health),
        (status = 503, description = "Not ready: the keys, the store, the audit trail or the disk cannot be used.", body = Health)
    )
)]
pub(crate) async fn ready(State(service): State<Service>) -> (StatusCode, Json<Health>) {
    let is_ready = service.readiness.is_ready(&service.access_control, &service.ask_service).await;
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Health { status: if is_ready { "ready" } else { "not ready" } }))
}
