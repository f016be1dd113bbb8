//! The engine behind HTTP: authentication, routing, and one format for problems.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
};
use serde::Serialize;

use crate::{
    admission::Admission,
    desk::Desk,
    door::Door,
    edge, endpoints,
    guards::{Patience, guarded, let_in},
    keeper::{KeepError, Keeper},
    mcp,
    problem::{Code, Problem},
    readiness::Readiness,
    routes::{Route, routes},
    turns::Turn,
};

/// What one server works with.
#[derive(Clone)]
pub struct Service {
    /// Where questions are asked.
    pub desk: Arc<Desk>,
    /// Who calls.
    pub door: Door,
    /// What admins keep.
    pub keeper: Keeper,
    /// Whether questions can be answered.
    pub readiness: Readiness,
    /// How many may come in.
    pub admission: Admission,
    /// How long a request may take.
    pub timeout: Duration,
    /// The largest body.
    pub body_bytes_max: usize,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
}

impl Service {
    /// Does work once a permit is free, within the request's deadline.
    pub(crate) async fn admitted<T>(
        &self,
        id: &str,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let full = || Problem::of(Code::Overloaded, "Too many requests are being handled; try again shortly.", id);
        let late = |_| Problem::of(Code::Overloaded, "The request timed out; try again.", id);
        let admitted = async {
            let _place = self.admission.enter().await.ok_or_else(full)?;
            work.await
        };
        tokio::time::timeout(self.timeout, admitted).await.map_err(late)?
    }

    /// The turn of a tenant's change. It is waited for before a permit of `admitted` is taken, so that one tenant's
    /// changes never keep everybody's questions waiting.
    pub(crate) async fn turn(
        &self,
        turn: impl Future<Output = Result<Turn, KeepError>>,
        id: &str,
    ) -> Result<Turn, Problem> {
        let late = |_| {
            Problem::of(Code::Overloaded, "Other changes to this tenant took too long; send the request again.", id)
        };
        let turn = tokio::time::timeout(self.timeout, turn).await.map_err(late)?;
        turn.map_err(|error| Problem::of_keeping(&error, id))
    }
}

/// The header with the request id, which is also in every log line.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_CHARS_MAX: usize = 64;

/// Every path.
pub fn router(service: Service) -> Router {
    let body_bytes_max = service.body_bytes_max;
    let patience = Patience { body_timeout: service.body_timeout, body_bytes_max };
    let router = routes().into_iter().fold(Router::new(), |router, Route { method, path, handler }| {
        let handler = match method {
            "post" => handler.route_layer(from_fn_with_state(service.clone(), let_in)),
            _ => handler,
        };
        router.route(path, handler)
    });
    let router = router
        .merge(endpoints::page::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .merge(mcp::routes(&service))
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .with_state(service.clone());
    guarded(router, patience).layer(from_fn_with_state(service, edge::watched))
}

/// How much of an unknown path is repeated in the problem.
const PATH_CHARS_SHOWN: usize = 200;

async fn unknown(headers: HeaderMap, uri: Uri) -> Response {
    let id = request_id(&headers);
    let path: String = uri.path().chars().take(PATH_CHARS_SHOWN).collect();
    named(&id, Problem::of(Code::NotFound, format!("There is nothing at {path}."), &id).into_response())
}

async fn wrong_method(headers: HeaderMap, method: Method, uri: Uri) -> Response {
    let id = request_id(&headers);
    let path: String = uri.path().chars().take(PATH_CHARS_SHOWN).collect();
    let detail = format!("{path} does not accept {}.", method.as_str().chars().take(20).collect::<String>());
    named(&id, Problem::of(Code::WrongMethod, detail, &id).into_response())
}

/// The client's request id if it is valid, else a generated one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_name = |id: &&str| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match given.filter(is_name) {
        Some(id) => id.to_owned(),
        None => {
            let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
            format!("req-{since:x}-{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
        }
    }
}

/// The response to a request, with its id.
pub(crate) fn replied<T: Serialize>(id: &str, outcome: Result<T, Problem>) -> Response {
    let response = match outcome {
        Ok(reply) => Json(reply).into_response(),
        Err(problem) => problem.into_response(),
    };
    named(id, response)
}

/// A response with its request id.
pub(crate) fn named(id: &str, mut response: Response) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
