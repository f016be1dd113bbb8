//! `POST /v1/reload`: the settings are read again, and their models are used from the next request on.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_service::models_in_use::ModelsInUse;

use super::body;
use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service_slot::ServiceSlot,
};

/// An empty object: a browser sends JSON to no other site's server unasked, so no page can have this done.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReloadBody {}

/// What a change of models came to.
#[derive(Serialize, ToSchema)]
pub(crate) struct Reloaded {
    /// The request's id.
    request_id: String,
    #[serde(flatten)]
    in_use: ModelsInUse,
}

#[utoipa::path(
    post, path = "/v1/reload", operation_id = "reload_models", tag = "service", request_body = ReloadBody,
    security(("key" = [])),
    description = "Reads the settings again and uses their models from the next request on, as SIGHUP does. If they \
                   are invalid, nothing changes.",
    responses((status = 200, description = "The models in use.", body = Reloaded), Faults)
)]
pub(crate) async fn reload(
    State(slot): State<ServiceSlot>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, reloaded(&slot, &headers, body, &id).await)
}

async fn reloaded(
    slot: &ServiceSlot,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Reloaded, Problem> {
    slot.current().access_control.require_admin(headers, id).await?;
    let ReloadBody {} = body::read(body, id)?;
    let wrong = |sentence: String| Problem::new(Code::InvalidRequest, format!("Nothing was changed: {sentence}."), id);
    let in_use = slot.reload().await.map_err(wrong)?;
    Ok(Reloaded { request_id: id.to_owned(), in_use })
}
