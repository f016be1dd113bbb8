//! `GET /v1/jobs/{id}`: one job.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use super::{JobReply, admin, reply};
use crate::{
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    get, path = "/v1/jobs/{id}", operation_id = "read_job", tag = "jobs", security(("key" = [])),
    params(("id" = String, Path, description = "The job's id.")),
    description = "The progress of a job; needs an admin key for the whole tenant.",
    responses((status = 200, description = "The job.", body = JobReply), Missing, Faults)
)]
pub(crate) async fn read(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    let job = path.map(|Path(job)| job).unwrap_or_default();
    respond(&id, done(&service, &headers, &job, &id).await)
}

async fn done(service: &Service, headers: &HeaderMap, job: &str, id: &str) -> Result<JobReply, Problem> {
    let caller = admin(service, headers, id).await?;
    reply(service, id, service.job_service.find(&caller, job)).await
}
