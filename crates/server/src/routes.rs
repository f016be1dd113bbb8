//! Every path and its handler, as a list, so that the description can be checked against it.

use axum::{
    handler::Handler,
    routing::{MethodRouter, delete, get, post},
};

use crate::{
    endpoints::{
        ask, audit, check, completions, description, documents, feedback, health, memory, metrics, models, search,
        stream, terms,
    },
    openai,
    service::Service,
};

/// One method of one path.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) handler: MethodRouter<Service>,
}

/// All of them.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        posted("/v1/ask", ask::ask),
        posted("/v1/ask/stream", stream::stream),
        posted(openai::COMPLETIONS_PATH, completions::complete),
        got("/v1/models", models::models),
        got("/v1/models/{*name}", models::model),
        posted("/v1/search", search::search),
        posted("/v1/check", check::check),
        got("/v1/documents", documents::list::list),
        posted("/v1/documents", documents::take_in::take_in),
        got("/v1/documents/{*id}", documents::read::read),
        deleted("/v1/documents/{*id}", documents::take_out::take_out),
        got("/v1/terms", terms::define),
        got("/v1/memory", memory::list::list),
        posted("/v1/memory", memory::remember::remember),
        deleted("/v1/memory/{*id}", memory::forget::forget),
        got("/v1/audit", audit::list),
        got("/v1/audit/{id}", audit::show),
        posted("/v1/feedback", feedback::feedback),
        got("/healthz", health::alive),
        got("/readyz", health::ready),
        got("/metrics", metrics::text),
        got("/metrics.json", metrics::json),
        got("/openapi.json", description::describe),
    ]
}

fn got<H: Handler<T, Service>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "get", path, handler: get(handler) }
}

fn posted<H: Handler<T, Service>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "post", path, handler: post(handler) }
}

fn deleted<H: Handler<T, Service>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "delete", path, handler: delete(handler) }
}
