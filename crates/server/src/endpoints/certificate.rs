//! `GET /v1/certificate`: how often answers are wrong at most, and whether that still holds.

use axum::{extract::State, http::HeaderMap, response::Response};
use vouch_service::certificate::{Certificate, Certified, CertifiedState};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

#[utoipa::path(
    get, path = "/v1/certificate", operation_id = "read_certificate", tag = "service", security(("key" = [])),
    description = "The certified rate of wrong answers, and whether it still holds: it is withdrawn if documents, \
                   settings, models or the program have changed since, or if questions are of a different kind than \
                   those it was measured on.",
    responses((status = 200, description = "The certificate and its standing.", body = Certified), Faults)
)]
pub(crate) async fn certificate(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, certified(&service, &headers, &id).await)
}

async fn certified(service: &Service, headers: &HeaderMap, id: &str) -> Result<Certified, Problem> {
    let (caller, is_monitor) = service.access_control.caller_and_monitor(headers, id).await?;
    let ask_service = &service.ask_service;
    let state = service.run_admitted(id, async {
        let state = ask_service.engine.retrieve.catalogue.state().await;
        state.map_err(|error| Problem::from_port_error(&error, id))
    });
    let state = CertifiedState::from(&state.await?);
    let (live, readings) = ask_service.metrics.live();
    // Of documents that nobody was asked about nothing is certified.
    let is_of = |certificate: &Certificate| {
        is_monitor || certificate.sets.iter().any(|set| set.tenants.contains(&caller.reader.tenant))
    };
    let kept = service.certificate.as_ref().clone().filter(|kept| kept.as_ref().map_or(true, is_of));
    let mut certified = Certified::new(kept, (&ask_service.circumstances, &state), (live, &readings));
    certified.live = certified.live.filter(|_| is_monitor);
    Ok(certified)
}
