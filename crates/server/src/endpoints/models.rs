//! `GET /v1/models`: the models that may write, in OpenAI's format; `vouch` is the configured one.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::ModelError;
use vouch_engine::{ask::AskError, model_registry::ModelRegistry};

use crate::{
    faults::{Faults, Missing},
    openai::failed,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
    wire::DEFAULT_MODEL,
};

/// The models that may write answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct Models {
    /// Always `list`.
    object: &'static str,
    /// The models; the first is `vouch`, the configured one.
    data: Vec<Model>,
}

/// A model that may write answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct Model {
    /// Name, as `model` takes it.
    id: String,
    /// Always `model`.
    object: &'static str,
    /// Always 0: unknown here.
    created: u64,
    /// Always `vouch`.
    owned_by: &'static str,
}

impl Model {
    fn new(id: String) -> Self {
        Self { id, object: "model", created: 0, owned_by: "vouch" }
    }
}

#[utoipa::path(
    get, path = "/v1/models", operation_id = "list_models", tag = "openai", security(("key" = [])),
    description = "The models that may write answers, in OpenAI's format.",
    responses((status = 200, description = "The models.", body = Models), Faults)
)]
pub(crate) async fn models(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    match service.access_control.require_reader(&headers, &id).await {
        Ok(_) => {
            let data = names(&service.ask_service.engine.model_registry).into_iter().map(Model::new).collect();
            respond(&id, Ok(Models { object: "list", data }))
        }
        Err(problem) => failed(&id, &problem),
    }
}

#[utoipa::path(
    get, path = "/v1/models/{name}", operation_id = "read_model", tag = "openai", security(("key" = [])),
    params(("name" = String, Path, description = "The model's name.")),
    responses((status = 200, description = "The model.", body = Model), Missing, Faults)
)]
pub(crate) async fn model(State(service): State<Service>, headers: HeaderMap, Path(name): Path<String>) -> Response {
    let id = request_id(&headers);
    if let Err(problem) = service.access_control.require_reader(&headers, &id).await {
        return failed(&id, &problem);
    }
    if names(&service.ask_service.engine.model_registry).contains(&name) {
        return respond(&id, Ok(Model::new(name)));
    }
    failed(
        &id,
        &Problem::new(Code::NotFound, "There is no such model; GET /v1/models lists the models there are.", &id),
    )
}

/// Fails if the requested model may not be used.
pub(super) fn check(model_registry: &ModelRegistry, writer: Option<&str>, id: &str) -> Result<(), Problem> {
    let Some(asked) = writer.filter(|asked| !model_registry.writers().iter().any(|name| name == asked)) else {
        return Ok(());
    };
    let error = ModelError::NotAllowed { model: asked.to_owned(), allowed: names(model_registry) };
    Err(Problem::from_ask_error(&AskError::Model(error), id))
}

fn names(model_registry: &ModelRegistry) -> Vec<String> {
    std::iter::once(DEFAULT_MODEL.to_owned()).chain(model_registry.writers()).collect()
}
