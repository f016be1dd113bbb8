//! Every path and its handler, as a list, so that the description can be checked against it.

use axum::{
    handler::Handler,
    routing::{self, MethodRouter},
};

use crate::{
    description,
    endpoints::{
        ask, audit, certificate, check, completions, concepts, documents, evaluations, feedback, files, findings,
        health, history, jobs, keys, matches, me, memory, metrics, models, people, questions, recalls, reload, search,
        sign_in, stream, suggestions, terms, unanswered, versions,
    },
    openai,
    service_slot::ServiceSlot,
};

/// One method of one path.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) handler: MethodRouter<ServiceSlot>,
    pub(crate) takes: Takes,
}

/// What a request with a body may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// JSON.
    Json,
    /// A few kilobytes of JSON, also from those who have no key yet.
    StrangersJson,
    /// A file.
    File,
}

/// All of them.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        post("/v1/ask", ask::ask),
        post("/v1/ask/stream", stream::stream),
        post(openai::COMPLETIONS_PATH, completions::complete),
        get("/v1/models", models::models),
        get("/v1/models/{*name}", models::model),
        post("/v1/search", search::search),
        post("/v1/check", check::check),
        get("/v1/documents", documents::list::list),
        post("/v1/documents", documents::ingest::ingest),
        Route { takes: Takes::File, ..post(files::PATH, files::keep) },
        get("/v1/documents/{*id}", documents::read::read),
        patch("/v1/documents/{*id}", documents::edit::edit),
        delete("/v1/documents/{*id}", documents::delete::delete),
        get("/v1/versions", versions::list),
        get("/v1/versions/{number}", versions::show),
        get("/v1/changes", versions::changes),
        get("/v1/terms", terms::define),
        get("/v1/memory", memory::list::list),
        post("/v1/memory", memory::remember::remember),
        delete("/v1/memory/{*id}", memory::forget::forget),
        post("/v1/wordings", memory::wording::add),
        post("/v1/matches", matches::compare),
        get("/v1/concepts", concepts::list),
        get("/v1/suggestions", suggestions::suggest),
        get("/v1/unanswered", unanswered::list),
        get("/v1/findings", findings::list::list),
        post("/v1/findings/dismiss", findings::dismiss::dismiss),
        get("/v1/people", people::list),
        get("/v1/questions", questions::list::list),
        post("/v1/questions", questions::send::send),
        post("/v1/questions/{id}/answer", questions::answer::answer),
        delete("/v1/questions/{id}", questions::withdraw::withdraw),
        get("/v1/certificate", certificate::certificate),
        get("/v1/evaluations", evaluations::list),
        get("/v1/evaluations/{name}", evaluations::show),
        get("/v1/history", history::read),
        get("/v1/jobs", jobs::list::list),
        post("/v1/jobs", jobs::start::start),
        get("/v1/jobs/{id}", jobs::read::read),
        delete("/v1/jobs/{id}", jobs::cancel::cancel),
        post("/v1/jobs/{id}/retry", jobs::retry::retry),
        get("/v1/keys", keys::list::list),
        delete("/v1/keys/{id}", keys::revoke::revoke),
        get("/v1/me", me::me),
        get("/v1/sign-in", sign_in::offer),
        Route { takes: Takes::StrangersJson, ..post("/v1/sign-in", sign_in::exchange) },
        get("/v1/audit", audit::list),
        get("/v1/audit/{id}", audit::show),
        get("/v1/recalls", recalls::list),
        post("/v1/feedback", feedback::feedback),
        post("/v1/reload", reload::reload),
        get("/healthz", health::alive),
        get("/readyz", health::ready),
        get("/metrics", metrics::text),
        get("/metrics.json", metrics::json),
        get("/openapi.json", description::describe),
    ]
}

fn get<H: Handler<T, ServiceSlot>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "get", path, handler: routing::get(handler), takes: Takes::Json }
}

fn post<H: Handler<T, ServiceSlot>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "post", path, handler: routing::post(handler), takes: Takes::Json }
}

fn patch<H: Handler<T, ServiceSlot>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "patch", path, handler: routing::patch(handler), takes: Takes::Json }
}

fn delete<H: Handler<T, ServiceSlot>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route { method: "delete", path, handler: routing::delete(handler), takes: Takes::Json }
}
