//! `GET /v1/recalls`: answers that rest on what no longer stands; the tenant's for its admins, else the caller's own.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vouch_domain::{AuditScope, Timestamp, ports::AuditPlace};
use vouch_service::recalls::{RECALLS_MAX, RecallList, RecallQuery, Recalls};

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

const RECALLS: usize = 100;

/// Which recalls are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecallParams {
    /// Only answers of this day and later, such as `2026-05-21`, in UTC.
    #[param(format = Date)]
    since: Option<String>,
    /// Most answers to list; 100 if absent.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Go on from here: the `next` of the list before.
    #[param(minimum = 0)]
    before: Option<u64>,
}

/// Answers that rest on what no longer stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Recalls)]
pub(crate) struct RecallsReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the list, at the same level.
    #[serde(flatten)]
    list: RecallList,
}

#[utoipa::path(
    get, path = "/v1/recalls", operation_id = "list_recalls", tag = "audit", security(("key" = [])), params(RecallParams),
    description = "Answers in the audit trail that cite a document which has since been removed, superseded or \
                   withdrawn, or a sentence that is no longer in it, newest first: the tenant's for admins who may \
                   read all of it, otherwise the caller's own. One request looks at 10,000 entries at most.",
    responses((status = 200, description = "The answers.", body = RecallsReply), Faults)
)]
pub(crate) async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    params: Result<Query<RecallParams>, QueryRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, params, &id).await)
}

async fn listed(
    service: &Service,
    headers: &HeaderMap,
    params: Result<Query<RecallParams>, QueryRejection>,
    id: &str,
) -> Result<RecallsReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let Query(RecallParams { since, limit, before }) = params.map_err(|rejection| wrong(rejection.body_text()))?;
    let limit = limit.unwrap_or(RECALLS);
    if !(1..=RECALLS_MAX).contains(&limit) {
        return Err(wrong(format!("limit is {limit}; it must be between 1 and {RECALLS_MAX}")));
    }
    if before.is_some_and(|place| i64::try_from(place).is_err()) {
        return Err(wrong("before is not a place in the trail".to_owned()));
    }
    if let Some(day) = since.as_ref().filter(|day| Timestamp::parse(&format!("{day}T00:00")).is_none()) {
        return Err(wrong(format!("since is '{day}', it must be a day such as 2026-05-21")));
    }
    let query = RecallQuery { since, before: before.map(AuditPlace), limit };
    let read = async {
        let failed = |error| Problem::from_port_error(&error, id);
        let admin_service = &service.admin_service;
        let state = admin_service.ingest.catalogue.state().await.map_err(failed)?;
        let trail = service.ask_service.trail.as_ref();
        let recalls = Recalls { trail, versions: admin_service.versions.as_ref(), state: &state };
        recalls.list(&AuditScope::for_caller(&caller), &caller.reader, &query).await.map_err(failed)
    };
    Ok(RecallsReply { request_id: id.to_owned(), list: service.run_admitted(id, read).await? })
}
