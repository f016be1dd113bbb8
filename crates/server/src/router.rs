//! Every path behind its guards, and an answer for paths that do not exist.

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderMap, Method, Uri},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
};

use crate::{
    edge, endpoints,
    guards::{BodyLimits, STRANGERS_BYTES_MAX, add_guards, admit_body, admit_file, admit_strangers_body},
    mcp,
    problem::{Code, Problem},
    request_id::{request_id, with_request_id},
    routes::{Route, Takes, routes},
    service_slot::ServiceSlot,
};

/// Every path.
pub fn router(slot: ServiceSlot) -> Router {
    let service = slot.current();
    let body_bytes_max = service.body_bytes_max;
    let file_bytes_max = service.file_bytes_max;
    let body_limits = BodyLimits { body_timeout: service.body_timeout, body_bytes_max, file_bytes_max };
    let router = routes().into_iter().fold(Router::new(), |router, route| {
        let Route { method, path, handler, takes } = route;
        let handler = match (method, takes) {
            ("post", Takes::File) => handler
                .layer(DefaultBodyLimit::max(file_bytes_max))
                .route_layer(from_fn_with_state(slot.clone(), admit_file)),
            ("post", Takes::StrangersJson) => handler
                .layer(DefaultBodyLimit::max(STRANGERS_BYTES_MAX))
                .route_layer(from_fn_with_state(slot.clone(), admit_strangers_body)),
            ("post" | "patch", Takes::Json) => handler.route_layer(from_fn_with_state(slot.clone(), admit_body)),
            _ => handler,
        };
        router.route(path, handler)
    });
    let router = router
        .merge(endpoints::page::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .merge(mcp::routes(&slot))
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .with_state(slot.clone());
    add_guards(router, body_limits).layer(from_fn_with_state(slot, edge::observe))
}

/// How much of an unknown path is repeated in the problem.
const PATH_CHARS_SHOWN: usize = 200;

async fn unknown(headers: HeaderMap, uri: Uri) -> Response {
    let id = request_id(&headers);
    let path: String = uri.path().chars().take(PATH_CHARS_SHOWN).collect();
    with_request_id(&id, Problem::new(Code::NotFound, format!("There is nothing at {path}."), &id).into_response())
}

async fn wrong_method(headers: HeaderMap, method: Method, uri: Uri) -> Response {
    let id = request_id(&headers);
    let path: String = uri.path().chars().take(PATH_CHARS_SHOWN).collect();
    let detail = format!("{path} does not accept {}.", method.as_str().chars().take(20).collect::<String>());
    with_request_id(&id, Problem::new(Code::WrongMethod, detail, &id).into_response())
}
