//! `/mcp` of a service: one message per request, no session.
//!
//! Invariant: every request is authenticated, and a body is read as on every other path. While there are no keys, only
//! requests from this machine are accepted, so that no other site's page can use a browser on it.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::post,
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::never::NeverSessionManager,
};

use super::{call::CallContext, toolbox::Toolbox};
use crate::{
    guards::admit_body,
    problem::{Code, Problem},
    request_id::{request_id, with_request_id},
    service_slot::ServiceSlot,
};

/// What a request may take beyond the time of its tool, to be read and written.
const GRACE: Duration = Duration::from_secs(5);

/// The protocol's server behind the service's access control.
#[derive(Clone)]
struct Endpoint {
    slot: ServiceSlot,
    protocol: StreamableHttpService<Toolbox, NeverSessionManager>,
}

/// The one path.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(slot: &ServiceSlot) -> Router<S> {
    // Hosts and origins are checked here, depending on the caller; the MCP library would check all requests alike.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(slot.current().body_bytes_max)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    // Every request has a toolbox of its own, so every request has the service of its time.
    let own = slot.clone();
    let toolbox = move || Ok(Toolbox { service: own.current(), local: None });
    let protocol = StreamableHttpService::new(toolbox, Arc::default(), config);
    // Requests without a body are left to the MCP library.
    let methods = post(serve).route_layer(from_fn_with_state(slot.clone(), admit_body)).fallback(serve);
    Router::new().route("/mcp", methods).with_state(Endpoint { slot: slot.clone(), protocol })
}

async fn serve(State(endpoint): State<Endpoint>, mut request: Request) -> Response {
    let id = request_id(request.headers());
    // A body cannot be shared between threads, so the headers are taken out first.
    let headers = request.headers().clone();
    let service = endpoint.slot.current();
    match service.access_control.require_reader(&headers, &id).await {
        Ok(caller) => request.extensions_mut().insert(CallContext { caller, request_id: id.clone() }),
        Err(problem) => return with_request_id(&id, problem.into_response()),
    };
    let limit = service.timeout.saturating_add(GRACE);
    let response = match tokio::time::timeout(limit, endpoint.protocol.handle(request)).await {
        Ok(response) => response.map(Body::new),
        Err(_) => Problem::new(Code::Overloaded, "The request timed out; try again.", &id).into_response(),
    };
    with_request_id(&id, response)
}
