//! `DELETE /v1/jobs/{id}`: a job stopped.

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
    delete, path = "/v1/jobs/{id}", operation_id = "cancel_job", tag = "jobs", security(("key" = [])),
    params(("id" = String, Path, description = "The job's id.")),
    description = "Stops a job: at once if it is waiting, otherwise at its next step. What it has stored by then \
                   stays. Needs an admin key for the whole tenant.",
    responses((status = 200, description = "The job.", body = JobReply), Missing, Faults)
)]
pub(crate) async fn cancel(
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
    reply(service, id, service.job_service.cancel(&caller, job)).await
}
