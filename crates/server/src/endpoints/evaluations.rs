//! `GET /v1/evaluations`: the evaluations whose reports are kept beside the documents, and `GET /v1/evaluations/{name}` one of them;
//! for admins.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_domain::Scope;
use vouch_service::evaluations::{EvaluationWire, KeptReport};

use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// The evaluations that are kept.
#[derive(Serialize, ToSchema)]
#[schema(as = Evaluations)]
pub(crate) struct EvaluationsReply {
    /// Id of the request.
    request_id: String,
    /// Newest first.
    evaluations: Vec<EvaluationWire>,
}

/// One evaluation.
#[derive(Serialize, ToSchema)]
#[schema(as = EvaluationReport)]
pub(crate) struct EvaluationReply {
    /// Id of the request.
    request_id: String,
    /// The report as `vouch eval run` writes it.
    report: Value,
}

#[utoipa::path(
    get, path = "/v1/evaluations", operation_id = "list_evaluations", tag = "evaluations", security(("key" = [])),
    description = "The last evaluations that `vouch eval run` made on this data folder, in short; needs an admin key for the whole tenant.",
    responses((status = 200, description = "The evaluations.", body = EvaluationsReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

#[utoipa::path(
    get, path = "/v1/evaluations/{name}", operation_id = "read_evaluation", tag = "evaluations", security(("key" = [])),
    params(("name" = String, Path, description = "The evaluation's name.")),
    description = "One evaluation with every question, how it went and how sure the answer was; needs an admin key for the whole tenant.",
    responses((status = 200, description = "The report.", body = EvaluationReply), Missing, Faults)
)]
pub(crate) async fn show(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    let name = path.map(|Path(name)| name).unwrap_or_default();
    respond(&id, shown(&service, &headers, &name, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<EvaluationsReply, Problem> {
    let evaluations = kept(service, headers, None, id).await?.iter().map(EvaluationWire::new).collect();
    Ok(EvaluationsReply { request_id: id.to_owned(), evaluations })
}

async fn shown(service: &Service, headers: &HeaderMap, name: &str, id: &str) -> Result<EvaluationReply, Problem> {
    let found = kept(service, headers, Some(name.to_owned()), id).await?.into_iter().next();
    let found = found.ok_or_else(|| Problem::new(Code::NotFound, "There is no evaluation of this name.", id))?;
    Ok(EvaluationReply { request_id: id.to_owned(), report: found.report })
}

/// The reports about the caller's tenant alone. Who sees a part of it is not shown what was asked of the rest.
async fn kept(
    service: &Service,
    headers: &HeaderMap,
    name: Option<String>,
    id: &str,
) -> Result<Vec<KeptReport>, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    if caller.reader.scope != Scope::WholeTenant {
        return Err(Problem::new(Code::Forbidden, "This needs an admin key for the whole tenant.", id));
    }
    let read = service.evaluations.clone();
    let work = async {
        let read = tokio::task::spawn_blocking(move || read(name.as_deref())).await;
        read.map_err(|_| Problem::broken(id))
    };
    let mut kept = service.run_admitted(id, work).await?;
    kept.retain(|one| one.is_of(&caller.reader.tenant));
    Ok(kept)
}
