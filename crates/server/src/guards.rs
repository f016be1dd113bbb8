//! Middleware in front of every endpoint: it catches panics, checks the headers, sets a deadline for the body, and
//! authenticates callers before a body is read.
//!
//! Invariant: no byte of a body is read before its sender is known and its headers are acceptable, and none
//! is kept unless there is room for it. Whoever signs in is not known yet: such a body is read up to a few kilobytes.

use std::{
    io,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, Version, header, uri::Authority},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use futures::{FutureExt, Stream, StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::{
    body_budget::BodyReservation,
    endpoints::files,
    openai,
    problem::{Code, Problem},
    request_id::{request_id, with_request_id},
    service::Service,
};

/// What a client may send, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) body_timeout: Duration,
    pub(crate) body_bytes_max: usize,
    /// Of a file instead.
    pub(crate) file_bytes_max: usize,
}

/// A router behind its guards.
pub(crate) fn add_guards(router: Router, body_limits: BodyLimits) -> Router {
    let inspect = move |request: Request, next: Next| inspect_request(request, next, body_limits);
    router.layer(middleware::from_fn(inspect))
}

async fn inspect_request(request: Request, next: Next, body_limits: BodyLimits) -> Response {
    let id = request_id(request.headers());
    if !has_one_host(&request) {
        let detail = "A request must name its host exactly once, in one Host header.";
        return refused(request.uri().path(), &id, &Problem::new(Code::InvalidRequest, detail, &id));
    }
    let is_file = request.uri().path() == files::PATH;
    let bytes_max = if is_file { body_limits.file_bytes_max } else { body_limits.body_bytes_max };
    if announced(request.headers()) > bytes_max as u64 {
        return refused(request.uri().path(), &id, &Problem::too_large(bytes_max, &id));
    }
    let deadline = Instant::now() + body_limits.body_timeout;
    let timed = |body: Body| Body::from_stream(until(body.into_data_stream(), deadline));
    // A client learns that there was a panic and nothing more.
    let answered = AssertUnwindSafe(next.run(request.map(timed))).catch_unwind().await;
    answered.unwrap_or_else(|_| with_request_id(&id, Problem::broken(&id).into_response()))
}

/// The largest body of somebody who has no key yet: a code, a verifier and an address.
pub(crate) const STRANGERS_BYTES_MAX: usize = 16 << 10;

/// Admits a request with a body: checks its caller, then its headers, then whether there is room for it.
pub(crate) async fn admit_body(State(service): State<Service>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let uri = request.uri().clone();
    // A body cannot be shared between threads, so the headers are taken out first.
    let headers = request.headers().clone();
    let taken = async {
        require_json(&headers, &id)?;
        let room = service.admission.bodies.begin(&service.access_control.authenticate(&headers, &id).await?);
        run_with_body(&service, (request, next), (room, service.body_bytes_max), &id).await
    };
    let outcome = service.access_control.admit(&headers, &id, taken).await;
    outcome.and_then(|taken| taken).unwrap_or_else(|problem| refused(uri.path(), &id, &problem))
}

/// Admits a request with a file: as one with any other body, with more room.
pub(crate) async fn admit_file(State(service): State<Service>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let uri = request.uri().clone();
    let headers = request.headers().clone();
    let taken = async {
        require_file(&headers, &id)?;
        let room = service.admission.files.begin(&service.access_control.authenticate(&headers, &id).await?);
        run_with_body(&service, (request, next), (room, service.file_bytes_max), &id).await
    };
    let outcome = service.access_control.admit(&headers, &id, taken).await;
    outcome.and_then(|taken| taken).unwrap_or_else(|problem| refused(uri.path(), &id, &problem))
}

/// No form of a web page can send this type, so that no page of somebody else sends files in a reader's name.
fn require_file(headers: &HeaderMap, id: &str) -> Result<(), Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match media.trim().eq_ignore_ascii_case("application/octet-stream") {
        true => Ok(()),
        false => {
            let detail = "The body must be the file as it is: Content-Type: application/octet-stream.";
            Err(Problem::new(Code::WrongMedia, detail, id))
        }
    }
}

/// Admits a request with a small body, whoever sends it.
pub(crate) async fn admit_strangers_body(State(service): State<Service>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let uri = request.uri().clone();
    let headers = request.headers().clone();
    let taken = async {
        require_json(&headers, &id)?;
        if announced(&headers) > STRANGERS_BYTES_MAX as u64 {
            return Err(Problem::too_large(STRANGERS_BYTES_MAX, &id));
        }
        let room = service.admission.bodies.begin_strangers();
        run_with_body(&service, (request, next), (room, STRANGERS_BYTES_MAX), &id).await
    };
    taken.await.unwrap_or_else(|problem| refused(uri.path(), &id, &problem))
}

fn require_json(headers: &HeaderMap, id: &str) -> Result<(), Problem> {
    match is_json(headers) {
        true => Ok(()),
        false => Err(Problem::new(Code::WrongMedia, "The body must be JSON: Content-Type: application/json.", id)),
    }
}

/// Handles a request whose body is gathered in the room there is for it.
async fn run_with_body(
    service: &Service,
    (request, next): (Request, Next),
    (room, bytes_max): (BodyReservation, usize),
    id: &str,
) -> Result<Response, Problem> {
    let is_full = Arc::new(AtomicBool::new(false));
    let whole = |body: Body| {
        let whole = gathered(body.into_data_stream(), room, bytes_max, Arc::clone(&is_full));
        Body::from_stream(stream::once(whole))
    };
    let response = next.run(request.map(whole)).await;
    if is_full.load(Ordering::Acquire) {
        service.admission.turn_away();
        return Err(Problem::new(
            Code::Overloaded,
            "The server is receiving too much data at the moment; try again shortly.",
            id,
        ));
    }
    Ok(response)
}

/// A problem in the format that clients of this path understand.
fn refused(path: &str, id: &str, problem: &Problem) -> Response {
    if path == openai::COMPLETIONS_PATH {
        openai::failed(id, problem)
    } else {
        with_request_id(id, problem.clone().into_response())
    }
}

/// Whether a request names its host exactly once. A proxy could read two differently.
fn has_one_host(request: &Request) -> bool {
    let hosts: Vec<_> = request.headers().get_all(header::HOST).iter().collect();
    match (hosts.as_slice(), request.uri().authority()) {
        ([host], Some(own)) => {
            host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()).is_some_and(|host| host == *own)
        }
        ([_], None) => true,
        ([], _) => request.version() < Version::HTTP_11,
        (_, _) => false,
    }
}

/// The announced length of a body; an invalid one is rejected by the HTTP library.
fn announced(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    length.unwrap_or_default()
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
}

/// A body in one piece, or as much of it as shows that it is too large; notes if there is no room for it.
///
/// Each piece as it comes may hold on to a buffer of many times its size, so none of them is kept.
async fn gathered(
    mut bytes: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin,
    mut taken: BodyReservation,
    bytes_max: usize,
    is_full: Arc<AtomicBool>,
) -> Result<Bytes, axum::Error> {
    let mut whole = Vec::new();
    while whole.len() <= bytes_max {
        let Some(piece) = bytes.next().await.transpose()? else { break };
        if !taken.grow(piece.len()) {
            is_full.store(true, Ordering::Release);
            return Err(axum::Error::new(io::Error::other("there is no room for the body")));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.into())
}

/// The same bytes until a deadline, then an error.
fn until(
    bytes: impl Stream<Item = Result<Bytes, axum::Error>> + Send + Unpin + 'static,
    deadline: Instant,
) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
    stream::unfold(Some(bytes), move |bytes| async move {
        let mut bytes = bytes?;
        match timeout_at(deadline, bytes.next()).await {
            Ok(piece) => Some((piece?, Some(bytes))),
            Err(_) => {
                let late = io::Error::new(io::ErrorKind::TimedOut, "the body did not arrive in time");
                Some((Err(axum::Error::new(late)), None))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::{
        Router,
        body::{Body, Bytes, to_bytes},
        http::{Request, StatusCode},
        routing::post,
    };
    use tower::ServiceExt;

    use super::{BodyLimits, add_guards, is_json};

    async fn told(router: Router, request: Request<Body>) -> (StatusCode, String) {
        let body_limits =
            BodyLimits { body_timeout: Duration::from_millis(50), body_bytes_max: 100, file_bytes_max: 100 };
        let response = add_guards(router, body_limits).oneshot(request).await.expect("a response");
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn a_panic_is_told_as_a_problem_that_says_nothing_of_it() {
        async fn breaks() {
            let read: Result<u8, _> = "the secret of tenant b".parse();
            read.expect("a number");
        }
        let request = Request::post("/x")
            .header("host", "here")
            .header("x-request-id", "mine")
            .body(Body::empty())
            .expect("a request");
        let (status, body) = told(Router::new().route("/x", post(breaks)), request).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains("\"code\":\"context\"") && !body.contains("secret"), "{body}");
        assert!(body.contains("\"request_id\":\"mine\""), "{body}");
    }

    #[test]
    fn only_what_says_it_is_json_is_taken_for_it() {
        for (name, value, is_taken) in [
            ("content-type", "application/json; charset=utf-8", true),
            ("content-type", "application/problem+json", true),
            ("x-nothing", "said", false),
            ("content-type", "", false),
            ("content-type", "text/plain", false),
            ("content-type", "application/x-www-form-urlencoded", false),
        ] {
            let request = Request::post("/x").header(name, value).body(()).expect("a request");
            assert_eq!(is_json(request.headers()), is_taken, "{name}: {value}");
        }
    }

    #[tokio::test]
    async fn a_request_names_one_host() {
        let router = || Router::new().route("/x", post(|| async { "in" }));
        for (uri, hosts, status) in [
            ("/x", &["here:1"][..], 200),
            ("http://here:1/x", &["here:1"], 200),
            ("/x", &[], 400),
            ("/x", &["here:1", "here:1"], 400),
            ("http://there/x", &["here:1"], 400),
        ] {
            let request = hosts.iter().fold(Request::post(uri), |request, host| request.header("host", *host));
            let (told, body) = told(router(), request.body(Body::empty()).expect("a request")).await;
            assert_eq!(told.as_u16(), status, "{uri} {hosts:?}: {body}");
        }
    }

    #[tokio::test]
    async fn what_is_said_to_be_too_large_is_not_read() {
        let router = || Router::new().route("/x", post(|| async { "in" }));
        for (length, status) in [("100", 200), ("101", 413), ("18446744073709551615", 413)] {
            let request = Request::post("/x").header("host", "here").header("content-length", length);
            let (told, body) = told(router(), request.body(Body::empty()).expect("a request")).await;
            assert_eq!(told.as_u16(), status, "{length}: {body}");
        }
    }

    #[tokio::test]
    async fn a_body_that_never_ends_is_not_waited_for() {
        let router = Router::new().route(
            "/x",
            post(|body: Result<Bytes, _>| async move {
                let body: Result<Bytes, axum::extract::rejection::BytesRejection> = body;
                body.is_ok().to_string()
            }),
        );
        let never = futures::stream::pending::<Result<Bytes, std::io::Error>>();
        let request = Request::post("/x").header("host", "here").body(Body::from_stream(never)).expect("a request");
        assert_eq!(told(router, request).await.1, "false");
    }
}
