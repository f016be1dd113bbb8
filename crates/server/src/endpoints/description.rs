//! `GET /openapi.json`: the description of the API for programs.

use std::sync::OnceLock;

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};

use crate::{
    description,
    request_id::{request_id, with_request_id},
};

#[utoipa::path(
    get, path = "/openapi.json", operation_id = "describe", tag = "service",
    responses((status = 200, description = "This description.", body = Object))
)]
pub(crate) async fn describe(headers: HeaderMap) -> Response {
    static WRITTEN: OnceLock<String> = OnceLock::new();
    let text = WRITTEN.get_or_init(|| description::document().to_json().unwrap_or_default());
    let mut response = text.as_str().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    with_request_id(&request_id(&headers), response)
}
