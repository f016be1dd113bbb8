//! `GET /v1/audit/{id}`: one request of the trail, for the tenant's admins and for whoever asked it. `GET /v1/audit`: the newest
//! that match, for admins.
//!
//! Invariant: an entry that the caller may not see looks like one that does not exist, and no entry names folders of
//! this machine.

use axum::{
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{AuditScope, PortError, ports::AuditPlace};
use vouch_service::{
    trail_search::{TrailFindings, TrailQuery, search},
    wire::{AuditLineWire, audited, entry_without_paths},
};

use crate::{
    faults::{Faults, Missing},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const LINES: usize = 50;
const LINES_MAX: usize = 1_000;

/// Which requests are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditParams {
    /// Most entries; 50 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Only questions with these words, in any case.
    contains: Option<String>,
    /// Only requests that ended like this, such as `refused`.
    outcome: Option<String>,
    /// Only requests of this caller.
    user: Option<String>,
    /// Older than this: the `next` of the page before.
    #[param(minimum = 0)]
    before: Option<u64>,
}

/// The latest requests.
#[derive(Serialize, ToSchema)]
#[schema(as = Listed)]
pub(crate) struct AuditPage {
    /// Id of this request.
    request_id: String,
    /// Newest first.
    entries: Vec<AuditLineWire>,
    /// How many requests were looked at.
    searched: usize,
    /// Send it as `before` to go on; null where the trail ends.
    next: Option<String>,
    /// True where only what this server answered is here, since the database of all servers cannot be reached or
    /// entries are still being sent there.
    partial: bool,
}

#[utoipa::path(
    get, path = "/v1/audit/{id}", operation_id = "read_audit", tag = "audit", security(("key" = [])),
    params(("id" = String, Path, description = "The request id.")),
    description = "One audit entry with the feedback on it; for admins of the tenant and for the person who asked the \
                   question.",
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
    params(AuditParams),
    description = "The tenant's latest requests that match, newest first; needs an admin key. One request looks at 20,000 of them at most.",
    responses((status = 200, description = "The latest entries.", body = AuditPage), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<AuditParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, params, &id).await)
}

async fn shown(service: &Service, headers: &HeaderMap, wanted: &str, id: &str) -> Result<Value, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let scope = AuditScope::for_caller(&caller);
    let read = async { service.ask_service.trail.entry(&scope, wanted).await.map_err(|error| unreadable(&error, id)) };
    let found = service.run_admitted(id, read).await?;
    found.as_ref().map(audited).map(entry_without_paths).ok_or_else(|| missing(wanted, id))
}

async fn listed(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<AuditParams>, QueryRejection>,
    id: &str,
) -> Result<AuditPage, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(AuditParams { limit, contains, outcome, user, before }) =
        params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = limit.unwrap_or(LINES);
    if !(1..=LINES_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {LINES_MAX}")));
    }
    if before.is_some_and(|place| i64::try_from(place).is_err()) {
        return Err(wrong("before is not a place in the trail".to_owned()));
    }
    let named = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let query = TrailQuery { contains: named(contains), outcome: named(outcome), asker: named(user) };
    let scope = AuditScope::for_caller(&caller);
    let read = async {
        let trail = service.ask_service.trail.as_ref();
        let found = search(trail, &scope, &query, (before.map(AuditPlace), limit)).await;
        found.map_err(|error| unreadable(&error, id))
    };
    let TrailFindings { entries, searched, next } = service.run_admitted(id, read).await?;
    let entries = entries.iter().map(AuditLineWire::new).collect();
    let partial = service.ask_service.trail.is_partial();
    Ok(AuditPage { request_id: id.to_owned(), entries, searched, next: next.map(|place| place.0.to_string()), partial })
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
