//! `GET /v1/documents/{id}`: one document, its card and its text.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{id_of, missing};
use vouch_service::wire::{CardWire, DocumentWire};

use crate::{
    description::{Faults, Missing},
    problem::Problem,
    request_id::{replied, request_id},
    service::Service,
};

/// A document with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundDocument)]
pub(crate) struct Found {
    /// Id of the request.
    request_id: String,
    /// Fields of the document, at the same level.
    #[serde(flatten)]
    document: DocumentWire,
}

#[utoipa::path(
    get, path = "/v1/documents/{id}", operation_id = "read_document", tag = "documents", security(("key" = [])),
    params(("id" = String, Path, description = "The document's id; slashes need not be escaped.", min_length = 1)),
    responses((status = 200, description = "The document.", body = Found), Faults, Missing)
)]
pub(crate) async fn read(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    replied(&id, found(&service, &headers, path, &id).await)
}

async fn found(
    service: &Service,
    headers: &HeaderMap,
    path: Result<Path<String>, PathRejection>,
    id: &str,
) -> Result<Found, Problem> {
    let caller = service.door.reader(headers, id).await?;
    let document_id = id_of(path, id)?;
    let asked = async {
        let card = service.keeper.register.by_id(&caller.reader, &document_id).await;
        let text = service.keeper.ingest.catalogue.text(&caller.reader, &document_id).await;
        card.and_then(|card| Ok(card.zip(text?))).map_err(|error| Problem::of_port(&error, id))
    };
    let (card, text) = service.admitted(id, asked).await?.ok_or_else(|| missing(id))?;
    let document = DocumentWire { card: CardWire::of(&card, &caller.reader), text };
    Ok(Found { request_id: id.to_owned(), document })
}
