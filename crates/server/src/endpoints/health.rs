//! `GET /healthz`: the process answers. `GET /readyz`: a question could be answered too. Both say of everything that
//! answers depend on whether it works.
//!
//! Neither needs a key, so neither says where anything is; which models there are is for whoever may read metrics.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::copy_state::CopyState;

use crate::{
    readiness::{Dependency, Report},
    request_id::request_id,
    service::Service,
};

/// How long it may take to recognise the caller; whoever is not recognised by then is told what anybody is told.
const RECOGNITION_TIMEOUT: Duration = Duration::from_millis(250);

/// State of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `/healthz`: `ok`, or `degraded` if something below is down. `/readyz`: `ready`, `degraded`, or `not ready` if
    /// questions cannot be answered.
    status: &'static str,
    /// Everything that answers depend on.
    dependencies: Vec<DependencyHealth>,
    /// How the server's copy of its database stands; null where it has no database.
    copy: Option<CopyHealth>,
}

/// How a server's copy of its database stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct CopyHealth {
    /// The change of the database that it has come to.
    change: u64,
    /// How many changes it has heard of and not yet made.
    changes_behind: u64,
    /// Whether the database could be reached when it was last asked.
    reached: bool,
    /// How long ago it was last known to be complete, in milliseconds.
    heard_ms_ago: u64,
}

impl From<CopyState> for CopyHealth {
    fn from(state: CopyState) -> Self {
        Self {
            change: state.change,
            changes_behind: state.changes_behind,
            reached: state.is_reached,
            heard_ms_ago: u64::try_from(state.heard_ago.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// State of one thing that answers depend on.
#[derive(Serialize, ToSchema)]
pub(crate) struct DependencyHealth {
    /// What it is, such as `store` or `model for answer`.
    name: String,
    /// `up`, `down`, or `unknown` until it has answered for the first time.
    state: &'static str,
    /// Whether nothing can be answered without it.
    required: bool,
    /// The model, if it is one and the caller may read metrics.
    model: Option<String>,
    /// The state in words.
    sentence: &'static str,
}

#[utoipa::path(
    get, path = "/healthz", operation_id = "is_alive", tag = "service",
    responses((status = 200, description = "The process is running.", body = Health))
)]
pub(crate) async fn alive(State(service): State<Service>, headers: HeaderMap) -> Json<Health> {
    let (report, may_know) = futures::join!(service.readiness.glance(), may_know_models(&service, &headers));
    let status = if report.is_degraded() { "degraded" } else { "ok" };
    Json(Health::new(status, report, may_know))
}

#[utoipa::path(
    get, path = "/readyz", operation_id = "is_ready", tag = "service",
    responses(
        (status = 200, description = "Questions can be answered, `degraded` without some of what they depend on.", body = Health),
        (status = 503, description = "Not ready: the keys, the store, the audit trail or the disk cannot be used, or nothing can be searched.", body = Health)
    )
)]
pub(crate) async fn ready(State(service): State<Service>, headers: HeaderMap) -> (StatusCode, Json<Health>) {
    let (report, may_know) = futures::join!(service.readiness.check(), may_know_models(&service, &headers));
    let (code, status) = match (report.is_ready, report.is_degraded()) {
        (false, _) => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
        (true, true) => (StatusCode::OK, "degraded"),
        (true, false) => (StatusCode::OK, "ready"),
    };
    (code, Json(Health::new(status, report, may_know)))
}

/// Whether the caller may read metrics; whoever cannot be recognised may not.
async fn may_know_models(service: &Service, headers: &HeaderMap) -> bool {
    let id = request_id(headers);
    let recognised = service.access_control.require_monitor(headers, &id);
    tokio::time::timeout(RECOGNITION_TIMEOUT, recognised).await.is_ok_and(|caller| caller.is_ok())
}

impl Health {
    fn new(status: &'static str, report: Report, may_know: bool) -> Self {
        let wire = |one: Dependency| DependencyHealth {
            name: one.name,
            state: match one.is_up {
                Some(true) => "up",
                Some(false) => "down",
                None => "unknown",
            },
            required: one.is_required,
            model: one.model.filter(|_| may_know),
            sentence: one.sentence,
        };
        let copy = report.copy.map(CopyHealth::from);
        Self { status, copy, dependencies: report.dependencies.into_iter().map(wire).collect() }
    }
}
