//! `GET /healthz`: the process answers. `GET /readyz`: so does the store.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::Service;

/// One word.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    status: &'static str,
}

#[utoipa::path(
    get, path = "/healthz", operation_id = "is_alive", tag = "service",
    responses((status = 200, description = "The process answers.", body = Health))
)]
pub(crate) async fn alive() -> Json<Health> {
    Json(Health { status: "ok" })
}

#[utoipa::path(
    get, path = "/readyz", operation_id = "is_ready", tag = "service",
    responses(
        (status = 200, description = "The store answers too.", body = Health),
        (status = 503, description = "It does not.", body = Health)
    )
)]
pub(crate) async fn ready(State(service): State<Service>) -> (StatusCode, Json<Health>) {
    let asked = service.desk.engine.retrieve.catalogue.generation();
    let is_ready = matches!(tokio::time::timeout(service.timeout, asked).await, Ok(Ok(_)));
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Health { status: if is_ready { "ready" } else { "not ready" } }))
}
