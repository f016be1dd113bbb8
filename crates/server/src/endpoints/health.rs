//! `GET /healthz`: the process answers. `GET /readyz`: so does the store.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use serde_json::json;

use crate::service::Service;

pub(crate) async fn alive() -> impl IntoResponse {
    Json(json!({ "status": "ok" }))
}

pub(crate) async fn ready(State(service): State<Service>) -> impl IntoResponse {
    let asked = service.desk.engine.retrieve.catalogue.generation();
    let is_ready = matches!(tokio::time::timeout(service.timeout, asked).await, Ok(Ok(_)));
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "status": if is_ready { "ready" } else { "not ready" } })))
}
