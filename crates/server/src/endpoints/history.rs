//! `GET /v1/history`: how the tenant's questions went over the last hours or days, for admins.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::AuditScope;
use vouch_service::history::{History, history};

use super::audit::unreadable;
use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const HOURS: u64 = 24;
const HOURS_MAX: u64 = 90 * 24;

/// How far back.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct HistoryParams {
    /// How many hours; 24 if absent.
    #[param(minimum = 1, maximum = 2160)]
    hours: Option<u64>,
}

/// How it went over time.
#[derive(Serialize, ToSchema)]
#[schema(as = HistoryReply)]
pub(crate) struct HistoryReply {
    /// Id of the request.
    request_id: String,
    #[serde(flatten)]
    history: History,
}

#[utoipa::path(
    get, path = "/v1/history", operation_id = "read_history", tag = "audit", params(HistoryParams), security(("key" = [])),
    description = "Outcomes, reasons and times of the tenant's questions in steps, out of the audit trail; needs an admin key.",
    responses((status = 200, description = "The steps, oldest first.", body = HistoryReply), Faults)
)]
pub(crate) async fn read(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<HistoryParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, told(&service, &headers, params, &id).await)
}

async fn told(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<HistoryParams>, QueryRejection>,
    id: &str,
) -> Result<HistoryReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(params) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let hours = params.hours.unwrap_or(HOURS);
    if !(1..=HOURS_MAX).contains(&hours) {
        return Err(wrong(format!("hours is {hours}; it must be between 1 and {HOURS_MAX}")));
    }
    let scope = AuditScope::for_caller(&caller);
    let now_ms = service.access_control.clock.now_ms();
    let read = async {
        let told = history(service.ask_service.trail.as_ref(), &scope, (hours, now_ms)).await;
        told.map_err(|error| unreadable(&error, id))
    };
    Ok(HistoryReply { request_id: id.to_owned(), history: service.run_admitted(id, read).await? })
}
