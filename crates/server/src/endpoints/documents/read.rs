//! `GET /v1/documents/{id}`: one document, its card and its text.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::Role;

use super::{id_of, missing};
use vouch_service::wire::DocumentWire;

use crate::{
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A document with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundDocument)]
pub(crate) struct DocumentReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the document, at the same level.
    #[serde(flatten)]
    document: DocumentWire,
}

#[utoipa::path(
    get, path = "/v1/documents/{id}", operation_id = "read_document", tag = "documents", security(("key" = [])),
    params(("id" = String, Path, description = "The document's id; slashes need not be escaped.", min_length = 1)),
    responses((status = 200, description = "The document.", body = DocumentReply), Faults, Missing)
)]
pub(crate) async fn read(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, found(&service, &headers, path, &id).await)
}

async fn found(
    service: &Service,
    headers: &HeaderMap,
    path: Result<Path<String>, PathRejection>,
    id: &str,
) -> Result<DocumentReply, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    let document_id = id_of(path, id)?;
    let asked = async {
        let card = service.admin_service.register.by_id(&caller.reader, &document_id).await;
        let text = service.admin_service.ingest.catalogue.text(&caller.reader, &document_id).await;
        let passages = service.admin_service.register.passages_of(&caller.reader, &document_id).await;
        let edits = match caller.role {
            Role::Admin => service.admin_service.ingest.catalogue.edits(&caller.reader.tenant, &document_id).await,
            Role::Reader | Role::Monitor => Ok(Vec::new()),
        };
        let whole = card.and_then(|card| Ok((card.zip(text?), passages?, edits?)));
        whole.map_err(|error| Problem::from_port_error(&error, id))
    };
    let (found, passages, edits) = service.run_admitted(id, asked).await?;
    let (card, text) = found.ok_or_else(|| missing(id))?;
    let document = DocumentWire::new((&card, text), &passages, &caller.reader).with_edits(&edits, &caller.reader);
    Ok(DocumentReply { request_id: id.to_owned(), document })
}
