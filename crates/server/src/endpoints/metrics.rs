//! `GET /metrics` and `GET /metrics.json`: what was counted, for whoever may watch the whole service.

use std::time::Duration;

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use vouch_service::metrics::{Gauges, Snapshot};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond, with_request_id},
    service::Service,
};

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The store is asked this long; figures without it are better than none.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

#[utoipa::path(
    get, path = "/metrics", operation_id = "read_metrics", tag = "service", security(("key" = [])),
    description = "Metrics in the text format of Prometheus; needs a monitor key.",
    responses((status = 200, description = "Figures.", content_type = "text/plain", body = String), Faults)
)]
pub(crate) async fn text(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    let response = match snapshot(&service, &headers, &id).await {
        Ok(snapshot) => ([(header::CONTENT_TYPE, PROMETHEUS)], snapshot.text()).into_response(),
        Err(problem) => problem.into_response(),
    };
    with_request_id(&id, response)
}

#[utoipa::path(
    get, path = "/metrics.json", operation_id = "read_metrics_json", tag = "service", security(("key" = [])),
    description = "The same metrics as JSON; needs a monitor key.",
    responses((status = 200, description = "Figures.", body = serde_json::Value), Faults)
)]
pub(crate) async fn json(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, snapshot(&service, &headers, &id).await.map(|snapshot| snapshot.json()))
}

async fn snapshot(service: &Service, headers: &HeaderMap, id: &str) -> Result<Snapshot, Problem> {
    service.access_control.require_monitor(headers, id).await?;
    let engine = &service.ask_service.engine;
    let catalogue = &engine.retrieve.catalogue;
    let store = async {
        (catalogue.generation().await.ok(), catalogue.counts(&service.access_control.local.reader).await.ok())
    };
    let (generation, counts) = tokio::time::timeout(STORE_TIMEOUT, store).await.unwrap_or_default();
    let gauges = Gauges {
        terms: engine.terms_in_use().await.map(|terms| terms.counts()),
        admission_counts: service.admission.admission_counts(),
        generation: generation.map(|generation| generation.0),
        corpus: counts.map(|counts| (counts.documents, counts.passages)),
    };
    Ok(service.ask_service.metrics.snapshot(&gauges))
}
