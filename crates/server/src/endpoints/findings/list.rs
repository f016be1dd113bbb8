//! `GET /v1/findings`: documents that are versions of one another or nearly the same, and guesses at contradictions, for admins.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::FindingKind;
use vouch_service::wire::OpenFindingWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const LISTED: usize = 100;
const LISTED_MAX: usize = 1_000;

/// Which findings are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FindingParams {
    /// Only findings of this kind.
    kind: Option<FindingKindParam>,
    /// Most findings; 100 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// A kind of finding.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = FindingKind)]
pub(crate) enum FindingKindParam {
    Versions,
    Duplicate,
    Contradiction,
}

impl From<FindingKindParam> for FindingKind {
    fn from(param: FindingKindParam) -> Self {
        match param {
            FindingKindParam::Versions => Self::Versions,
            FindingKindParam::Duplicate => Self::Duplicate,
            FindingKindParam::Contradiction => Self::Contradiction,
        }
    }
}

/// Open findings.
#[derive(Serialize, ToSchema)]
#[schema(as = Findings)]
pub(crate) struct FindingReply {
    /// Id of the request.
    request_id: String,
    /// Versions first, then duplicates, then contradictions; the newest of each first.
    findings: Vec<OpenFindingWire>,
    /// How many there are in all.
    total: u64,
}

#[utoipa::path(
    get, path = "/v1/findings", operation_id = "list_findings", tag = "documents", params(FindingParams), security(("key" = [])),
    description = "Versions of one document that are both in force, documents that are nearly the same, and sentences of two documents \
        that may give another figure, date or name for the same thing, as far as the caller may read both. The last are guesses, \
        most of them false alarms. Needs an admin key.",
    responses((status = 200, description = "The open findings.", body = FindingReply), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<FindingParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, params, &id).await)
}

async fn listed(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<FindingParams>, QueryRejection>,
    id: &str,
) -> Result<FindingReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(params) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = params.limit.unwrap_or(LISTED);
    if !(1..=LISTED_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {LISTED_MAX}")));
    }
    let work = async {
        let page = service.admin_service.open_findings(&caller, params.kind.map(FindingKind::from), limit).await;
        page.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let page = service.run_admitted(id, work).await?;
    let findings = page.findings.iter().map(OpenFindingWire::new).collect();
    Ok(FindingReply { request_id: id.to_owned(), findings, total: page.total })
}
