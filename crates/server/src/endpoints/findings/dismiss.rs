//! `POST /v1/findings/dismiss`: a finding that somebody has looked at, with nothing to mend.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    endpoints::body,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// Which finding is dismissed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"id": "05f3c2a19be04d77"}))]
pub(crate) struct DismissBody {
    /// The finding's id.
    #[schema(min_length = 1)]
    id: String,
}

/// A finding that is no longer open.
#[derive(Serialize, ToSchema)]
#[schema(as = Dismissed)]
pub(crate) struct DismissReply {
    /// Id of the request.
    request_id: String,
    /// The finding's id.
    dismissed: String,
}

#[utoipa::path(
    post, path = "/v1/findings/dismiss", operation_id = "dismiss_finding", tag = "documents", request_body = DismissBody,
    security(("key" = [])),
    description = "Takes a finding off the list until one of its two sentences changes. Needs an admin key.",
    responses((status = 200, description = "It is dismissed.", body = DismissReply), Missing, Faults)
)]
pub(crate) async fn dismiss(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, dismissed(&service, &headers, body, &id).await)
}

async fn dismissed(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<DismissReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let DismissBody { id: finding } = body::read(body, id)?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let gone = service.admin_service.dismiss_finding(turn, &caller, &finding).await;
        gone.map_err(|error| Problem::from_admin_error(&error, id))
    };
    service.run_admitted(id, work).await?;
    Ok(DismissReply { request_id: id.to_owned(), dismissed: finding })
}
