//! `POST /v1/jobs`: a source of the settings to be taken in now.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{JobReply, admin, reply};
use crate::{
    endpoints::body,
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// What is to be taken in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"source": "handbook"}))]
pub(crate) struct JobBody {
    /// A source that the settings name for the tenant.
    source: String,
}

#[utoipa::path(
    post, path = "/v1/jobs", operation_id = "start_job", tag = "jobs", request_body = JobBody, security(("key" = [])),
    description = "Reads a source of the settings in the background; if that is already under way, the reply is that \
                   job. Needs an admin key for the whole tenant.",
    responses((status = 200, description = "The job.", body = JobReply), Faults)
)]
pub(crate) async fn start(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, started(&service, &headers, body, &id).await)
}

async fn started(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<JobReply, Problem> {
    let caller = admin(service, headers, id).await?;
    let JobBody { source } = body::read(body, id)?;
    reply(service, id, service.job_service.start(&caller, &source)).await
}
