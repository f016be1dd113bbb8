//! `GET /v1/audit/{id}`: one request of the trail, for the tenant's admins and for whoever asked it. `GET /v1/audit`: the newest,
//! for admins.
//!
//! Invariant: an entry that the caller may not see looks like one that does not exist, and no entry names folders of
//! this machine.

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_domain::{AuditScope, PortError};
use vouch_service::wire::{AuditLineWire, audited, entry_without_paths};

use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const LINES: usize = 50;
const LINES_MAX: usize = 1_000;

/// The latest requests.
#[derive(Serialize, ToSchema)]
#[schema(as = Listed)]
pub(crate) struct AuditPage {
    /// Id of this request.
    request_id: String,
    /// Newest first.
    entries: Vec<AuditLineWire>,
}

#[utoipa::path(
    get, path = "/v1/audit/{id}", operation_id = "read_audit", tag = "audit", security(("key" = [])),
    params(("id" = String, Path, description = "The request id.")),
    description = "One audit entry with the feedback on it; for admins of the tenant and for whoever asked the question.",
    responses((status = 200, description = "The entry.", body = Value), Missing, Faults)
)]
pub(crate) async fn show(
    State(service): State<Service>,
    headers: HeaderMap,
    wanted: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    // An id that cannot be decoded is the id of nothing.
    let wanted = wanted.map(|Path(wanted)| wanted).unwrap_or_default();
    respond(&id, shown(&service, &headers, &wanted, &id).await)
}

#[utoipa::path(
    get, path = "/v1/audit", operation_id = "list_audit", tag = "audit", security(("key" = [])),
    params(("limit" = Option<usize>, Query, description = "How many entries; 50 unless given.", minimum = 1, maximum = 1000)),
    description = "The tenant's latest requests, newest first; needs an admin key.",
    responses((status = 200, description = "The latest entries.", body = AuditPage), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, query.as_deref(), &id).await)
}

async fn shown(service: &Service, headers: &HeaderMap, wanted: &str, id: &str) -> Result<Value, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let scope = AuditScope::for_caller(&caller);
    let read = async { service.ask_service.trail.entry(&scope, wanted).await.map_err(|error| unreadable(&error, id)) };
    let found = service.run_admitted(id, read).await?;
    found.as_ref().map(audited).map(entry_without_paths).ok_or_else(|| missing(wanted, id))
}

async fn listed(service: &Service, headers: &HeaderMap, query: Option<&str>, id: &str) -> Result<AuditPage, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let limit = limit(query.unwrap_or_default()).map_err(|detail| Problem::new(Code::InvalidRequest, detail, id))?;
    let scope = AuditScope::for_caller(&caller);
    let read = async { service.ask_service.trail.newest(&scope, limit).await.map_err(|error| unreadable(&error, id)) };
    let entries = service.run_admitted(id, read).await?;
    Ok(AuditPage { request_id: id.to_owned(), entries: entries.iter().map(AuditLineWire::new).collect() })
}

/// The requested limit, or a sentence that says what is wrong with it.
fn limit(query: &str) -> Result<usize, String> {
    let mut wanted = LINES;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if name != "limit" {
            return Err(format!("unknown parameter '{name}'; the only one is limit"));
        }
        let number = value.parse().ok().filter(|limit| (1..=LINES_MAX).contains(limit));
        wanted = number.ok_or_else(|| format!("limit is '{value}', it must be a number from 1 to {LINES_MAX}"))?;
    }
    Ok(wanted)
}

/// The same problem whether the entry does not exist or belongs to somebody else.
pub(super) fn missing(wanted: &str, id: &str) -> Problem {
    Problem::new(Code::NotFound, format!("There is no request '{wanted}' that this key may read."), id)
}

/// The trail cannot be read; why stays in the log.
pub(super) fn unreadable(error: &PortError, id: &str) -> Problem {
    tracing::error!(request_id = id, %error, component = "audit", "audit trail failed");
    Problem::new(Code::Context, "The audit trail cannot be read at the moment.", id)
}
