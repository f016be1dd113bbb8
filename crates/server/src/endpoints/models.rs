//! `GET /v1/models`: the models that may write, in OpenAI's format; `vouch` is the configured one.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::ModelError;
use vouch_engine::{ask::AskError, ladder::Ladder};

use crate::{
    description::{Faults, Missing},
    openai::failed,
    problem::{Code, Problem},
    request_id::{replied, request_id},
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
    fn of(id: String) -> Self {
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
    match service.door.reader(&headers, &id).await {
        Ok(_) => {
            let data = names(&service.desk.engine.ladder).into_iter().map(Model::of).collect();
            replied(&id, Ok(Models { object: "list", data }))
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
    if let Err(problem) = service.door.reader(&headers, &id).await {
        return failed(&id, &problem);
    }
    if names(&service.desk.engine.ladder).contains(&name) {
        return replied(&id, Ok(Model::of(name)));
    }
    failed(&id, &Problem::of(Code::NotFound, "There is no such model; GET /v1/models lists the models there are.", &id))
}

/// Fails if the requested model may not be used.
pub(super) fn check(ladder: &Ladder, writer: Option<&str>, id: &str) -> Result<(), Problem> {
    let Some(asked) = writer.filter(|asked| !ladder.writers().iter().any(|name| name == asked)) else { return Ok(()) };
    let error = ModelError::NotAllowed { model: asked.to_owned(), allowed: names(ladder) };
    Err(Problem::of_question(&AskError::Model(error), id))
}

fn names(ladder: &Ladder) -> Vec<String> {
    std::iter::once(DEFAULT_MODEL.to_owned()).chain(ladder.writers()).collect()
}
