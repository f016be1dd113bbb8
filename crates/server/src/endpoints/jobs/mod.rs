//! Background jobs over HTTP, for admins of the whole tenant.

pub(crate) mod cancel;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod retry;
pub(crate) mod start;

use axum::http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Caller, Job, Scope};
use vouch_service::{admin_service::AdminError, wire::JobWire};

use crate::{
    problem::{Code, Problem},
    service::Service,
};

/// One job.
#[derive(Serialize, ToSchema)]
#[schema(as = JobReply)]
pub(crate) struct JobReply {
    /// Id of the request.
    request_id: String,
    /// The job.
    job: JobWire,
}

/// The caller, who must see the whole tenant: a job changes documents whoever may see them.
async fn admin(service: &Service, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    match caller.reader.scope {
        Scope::WholeTenant => Ok(caller),
        Scope::Tags(_) => Err(Problem::new(Code::Forbidden, "This needs an admin key for the whole tenant.", id)),
    }
}

/// The reply to what was done with one job.
async fn reply(
    service: &Service,
    id: &str,
    work: impl Future<Output = Result<Job, AdminError>>,
) -> Result<JobReply, Problem> {
    let work = async { work.await.map_err(|error| Problem::from_admin_error(&error, id)) };
    let job = service.run_admitted(id, work).await?;
    Ok(JobReply { request_id: id.to_owned(), job: JobWire::from(&job) })
}
