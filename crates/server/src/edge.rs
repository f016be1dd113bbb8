//! Every request passes here: it gets its id and its span before anything else, and is counted when the last
//! byte of its response is gone, however it ends.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{MatchedPath, Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use tracing::{Instrument, Span};
use vouch_service::{
    metrics::Metrics,
    surface::Surface,
    walk_report::{PARENT, TraceParent},
};

use crate::{
    openai,
    request_id::{REQUEST_ID, request_id},
    service::Service,
};

/// The path label of requests that match no route.
const UNMATCHED: &str = "unmatched";

/// A request being handled.
struct InFlightRequest {
    metrics: Arc<Metrics>,
    span: Span,
    started: Instant,
    surface: Surface,
    path: String,
    /// The status the client saw; none if it left before there was one.
    status: Option<u16>,
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        // Nginx's number for a client that closed the connection.
        let status = self.status.unwrap_or(499);
        let took = self.started.elapsed();
        self.metrics.end_request();
        self.metrics.record_response(self.surface, &self.path, status, took);
        let (path, total_ms) = (self.path.as_str(), took.as_secs_f64() * 1e3);
        self.span.in_scope(|| match is_watching(path) {
            true => tracing::debug!(component = "http", event = "response_sent", path, status, total_ms),
            false => tracing::info!(component = "http", event = "response_sent", path, status, total_ms),
        });
    }
}

/// A body that ends its request.
struct CountedBody {
    body: Body,
    _passage: InFlightRequest,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// Gives a request its id, and observes it from its first byte to its last.
pub(crate) async fn observe(
    State(service): State<Service>,
    path: Option<MatchedPath>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request_id(request.headers());
    if let Ok(value) = HeaderValue::from_str(&id) {
        request.headers_mut().insert(REQUEST_ID, value);
    }
    let path = path.map_or(UNMATCHED.to_owned(), |path| path.as_str().to_owned());
    let metrics = Arc::clone(&service.ask_service.metrics);
    metrics.begin_request();
    let span = tracing::info_span!(
        "request",
        request_id = id,
        route = tracing::field::Empty,
        fallback_flags = tracing::field::Empty
    );
    let surface = surface(&path);
    let mut passage =
        InFlightRequest { metrics, span: span.clone(), started: Instant::now(), surface, path, status: None };
    let parent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    let response = PARENT.scope(parent.and_then(TraceParent::parse), next.run(request)).instrument(span).await;
    passage.status = Some(response.status().as_u16());
    private(response).map(|body| Body::new(CountedBody { body, _passage: passage }))
}

/// Forbids caching and content sniffing, unless the response says otherwise itself.
fn private(mut response: Response) -> Response {
    for (name, value) in [(header::CACHE_CONTROL, "no-store"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")] {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The surface a path belongs to.
fn surface(path: &str) -> Surface {
    match path {
        openai::COMPLETIONS_PATH => Surface::OpenAi,
        path if path.starts_with("/v1/models") => Surface::OpenAi,
        path if path.starts_with("/mcp") => Surface::Mcp,
        _ => Surface::Http,
    }
}

/// Whether a path is polled by monitoring.
fn is_watching(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics" | "/metrics.json")
}
