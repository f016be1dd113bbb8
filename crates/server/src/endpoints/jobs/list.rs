//! `GET /v1/jobs`: what is done in the background, and the sources that can be asked for.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::{jobs::SourceCard, wire::JobWire};

use super::admin;
use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// The jobs of the tenant.
#[derive(Serialize, ToSchema)]
#[schema(as = Jobs)]
pub(crate) struct JobsReply {
    /// Id of the request.
    request_id: String,
    /// Newest first; at most 100.
    jobs: Vec<JobWire>,
    /// The sources that the settings name for the tenant.
    sources: Vec<SourceWire>,
}

/// A source that documents come from.
#[derive(Serialize, ToSchema)]
#[schema(as = JobSource)]
pub(crate) struct SourceWire {
    /// Its name.
    name: String,
    /// What it is: `folder`, `git` or `site`.
    kind: String,
    /// How often it is looked at, in seconds; null if only when somebody asks.
    every_s: Option<u64>,
    /// Whether changes are followed as they come.
    watched: bool,
}

impl From<SourceCard> for SourceWire {
    fn from(card: SourceCard) -> Self {
        let SourceCard { name, tenant: _, kind, every_s, is_watched } = card;
        Self { name, kind: kind.to_owned(), every_s, watched: is_watched }
    }
}

#[utoipa::path(
    get, path = "/v1/jobs", operation_id = "list_jobs", tag = "jobs", security(("key" = [])),
    description = "Background jobs of the tenant, with the sources that can be read; needs an admin key for the whole \
                   tenant.",
    responses((status = 200, description = "The jobs.", body = JobsReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<JobsReply, Problem> {
    let caller = admin(service, headers, id).await?;
    let work = async {
        let jobs = service.job_service.list(&caller).await;
        jobs.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let jobs = service.run_admitted(id, work).await?.iter().map(JobWire::from).collect();
    let sources = service.job_service.sources(&caller).into_iter().map(SourceWire::from).collect();
    Ok(JobsReply { request_id: id.to_owned(), jobs, sources })
}
