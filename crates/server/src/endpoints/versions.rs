//! `GET /v1/versions`: the versions of a document; one of them with its text, and what changed between two.
//!
//! Invariant: a version that the caller may not read, or of a document that they may not read now, looks like one that does
//! not exist.

use axum::{
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{Caller, DocumentId, PortError};
use vouch_service::versions::{
    VersionChanges, VersionList, VersionRange, VersionText, compare, list as versions, read,
};

use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Which document is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DocumentParams {
    /// Id of the document.
    id: String,
}

/// Which versions are compared.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangesParams {
    /// Id of the document.
    id: String,
    /// Number of the earlier version; the last before `to` if absent.
    #[param(minimum = 1)]
    from: Option<u32>,
    /// Number of the later version; the current one if absent.
    #[param(minimum = 1)]
    to: Option<u32>,
}

/// A reply with the id of its request.
#[derive(Serialize, ToSchema)]
#[schema(as = Versions)]
pub(crate) struct VersionsReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the list, at the same level.
    #[serde(flatten)]
    list: VersionList,
}

/// A version with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundVersion)]
pub(crate) struct VersionReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the version, at the same level.
    #[serde(flatten)]
    version: VersionText,
}

/// What changed between two versions.
#[derive(Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the comparison, at the same level.
    #[serde(flatten)]
    changes: VersionChanges,
}

#[utoipa::path(
    get, path = "/v1/versions", operation_id = "list_versions", tag = "documents", security(("key" = [])), params(DocumentParams),
    description = "The versions of a document that are kept, newest first. A version is shown to those who may read the document as it is now \
        and could have read that version.",
    responses((status = 200, description = "The versions.", body = VersionsReply), Faults, Missing)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<DocumentParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    let listed = async {
        let caller = service.access_control.require_reader(&headers, &id).await?;
        let document = document(&query(params, &id)?.id, &id)?;
        let work = versions(service.admin_service.versions.as_ref(), &caller.reader, &document);
        let list = found(&service, work, &id).await?;
        Ok(VersionsReply { request_id: id.clone(), list })
    };
    respond(&id, listed.await)
}

#[utoipa::path(
    get, path = "/v1/versions/{number}", operation_id = "read_version", tag = "documents", security(("key" = [])),
    params(("number" = u32, Path, description = "Number of the version."), DocumentParams),
    responses((status = 200, description = "The version.", body = VersionReply), Faults, Missing)
)]
pub(crate) async fn show(
    State(service): State<Service>,
    headers: HeaderMap,
    number: Result<Path<u32>, PathRejection>,
    params: Result<Query<DocumentParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    let shown = async {
        let caller: Caller = service.access_control.require_reader(&headers, &id).await?;
        let document = document(&query(params, &id)?.id, &id)?;
        // What is no number is the number of no version.
        let Path(number) = number.map_err(|_| missing(&id))?;
        let work = read(service.admin_service.versions.as_ref(), &caller.reader, &document, number);
        let version = found(&service, work, &id).await?;
        Ok(VersionReply { request_id: id.clone(), version })
    };
    respond(&id, shown.await)
}

#[utoipa::path(
    get, path = "/v1/changes", operation_id = "compare_versions", tag = "documents", security(("key" = [])), params(ChangesParams),
    description = "What changed between two versions of a document, block by block: the last change where no versions are named.",
    responses((status = 200, description = "The changes.", body = ChangesReply), Faults, Missing)
)]
pub(crate) async fn changes(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<ChangesParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    let compared = async {
        let caller = service.access_control.require_reader(&headers, &id).await?;
        let ChangesParams { id: wanted, from, to } = query(params, &id)?;
        let document = document(&wanted, &id)?;
        let range = VersionRange { from, to };
        let work = compare(service.admin_service.versions.as_ref(), &caller.reader, &document, range);
        let changes = found(&service, work, &id).await?;
        Ok(ChangesReply { request_id: id.clone(), changes })
    };
    respond(&id, compared.await)
}

fn query<T>(params: Result<Query<T>, QueryRejection>, id: &str) -> Result<T, Problem> {
    let wrong = |rejection: QueryRejection| Problem::new(Code::InvalidRequest, rejection.body_text(), id);
    params.map(|Query(params)| params).map_err(wrong)
}

fn document(wanted: &str, id: &str) -> Result<DocumentId, Problem> {
    DocumentId::parse(wanted).ok_or_else(|| missing(id))
}

async fn found<T>(
    service: &Service,
    work: impl Future<Output = Result<Option<T>, PortError>>,
    id: &str,
) -> Result<T, Problem> {
    let read = async { work.await.map_err(|error| Problem::from_port_error(&error, id)) };
    service.run_admitted(id, read).await?.ok_or_else(|| missing(id))
}

fn missing(id: &str) -> Problem {
    Problem::new(Code::NotFound, "There is no such version that this key may read.", id)
}
