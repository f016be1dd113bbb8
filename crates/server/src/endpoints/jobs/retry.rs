//! `POST /v1/jobs/{id}/retry`: a job tried again.

use axum::{
    body::Bytes,
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{JobReply, admin, reply};
use crate::{
    endpoints::body,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// An empty object: a browser sends JSON to no other site's server unasked, so no page can have this done.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryBody {}

#[utoipa::path(
    post, path = "/v1/jobs/{id}/retry", operation_id = "retry_job", tag = "jobs", request_body = RetryBody,
    security(("key" = [])), params(("id" = String, Path, description = "The job's id.")),
    description = "Tries a job again now, unless it is running or waiting for its turn; needs an admin key for the \
                   whole tenant.",
    responses((status = 200, description = "The job.", body = JobReply), Missing, Faults)
)]
pub(crate) async fn retry(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    let job = path.map(|Path(job)| job).unwrap_or_default();
    respond(&id, retried(&service, &headers, (&job, body), &id).await)
}

async fn retried(
    service: &Service,
    headers: &HeaderMap,
    (job, body): (&str, Result<Bytes, BytesRejection>),
    id: &str,
) -> Result<JobReply, Problem> {
    let caller = admin(service, headers, id).await?;
    let RetryBody {} = body::read(body, id)?;
    reply(service, id, service.job_service.retry(&caller, job)).await
}
