//! What every request passes before its endpoint: a net for what breaks, a look at what it says its body is, and a
//! deadline for that body.

use std::{io, panic::AssertUnwindSafe, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, Method, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use futures::{FutureExt, Stream, StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::{
    problem::{Code, Problem},
    service::{named, request_id},
};

/// How long a client may take to send a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience(pub(crate) Duration);

/// A router behind its guards.
pub(crate) fn guarded(router: Router, patience: Patience) -> Router {
    let inspect = move |request: Request, next: Next| inspected(request, next, patience);
    router.layer(middleware::from_fn(inspect))
}

async fn inspected(request: Request, next: Next, Patience(patience): Patience) -> Response {
    let headers = request.headers();
    if *request.method() == Method::POST && !is_json(headers) {
        let (id, detail) = (request_id(headers), "The body must be JSON: Content-Type: application/json.");
        return named(&id, Problem::of(Code::WrongMedia, detail, &id).into_response());
    }
    let deadline = Instant::now() + patience;
    let timed = |body: Body| Body::from_stream(until(body.into_data_stream(), deadline));
    let id = request_id(request.headers());
    // What a client sees of a panic is that there was one.
    let answered = AssertUnwindSafe(next.run(request.map(timed))).catch_unwind().await;
    answered.unwrap_or_else(|_| named(&id, Problem::broken(&id).into_response()))
}

/// Whether the body may be JSON: it is said to be, or nothing is said.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return true };
    let media = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
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

    use super::{Patience, guarded};

    async fn told(router: Router, request: Request<Body>) -> (StatusCode, String) {
        let response = guarded(router, Patience(Duration::from_millis(50))).oneshot(request).await.expect("a response");
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
        let request = Request::post("/x").header("x-request-id", "mine").body(Body::empty()).expect("a request");
        let (status, body) = told(Router::new().route("/x", post(breaks)), request).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains("\"code\":\"context\"") && !body.contains("secret"), "{body}");
        assert!(body.contains("\"request_id\":\"mine\""), "{body}");
    }

    #[tokio::test]
    async fn what_is_not_json_is_turned_away() {
        let router = || Router::new().route("/x", post(|_: Bytes| async { "in" }));
        for (name, value, status) in [
            ("content-type", "application/json; charset=utf-8", 200),
            ("content-type", "application/problem+json", 200),
            ("x-nothing", "said", 200),
            ("content-type", "text/plain", 415),
            ("content-type", "application/x-www-form-urlencoded", 415),
        ] {
            let request = Request::post("/x").header("host", "here:1").header(name, value);
            let (told, body) = told(router(), request.body(Body::from("{}")).expect("a request")).await;
            assert_eq!(told.as_u16(), status, "{name}: {value}: {body}");
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
        let request = Request::post("/x").body(Body::from_stream(never)).expect("a request");
        assert_eq!(told(router, request).await.1, "false");
    }
}
