//! `PATCH /v1/documents/{id}`: what a document's card says, whatever its source says; its text stays.

use axum::{
    body::Bytes,
    extract::{
        Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::{
    admin_service::CardBody,
    wire::{CardWire, EditWire},
};

use super::id_of;
use crate::{
    endpoints::body,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A document's card as it is now.
#[derive(Serialize, ToSchema)]
#[schema(as = EditedDocument)]
pub(crate) struct EditedReply {
    /// Id of the request.
    request_id: String,
    /// Fields of the card, at the same level.
    #[serde(flatten)]
    card: CardWire,
    /// What people have set of it whatever its source says.
    edits: Vec<EditWire>,
    /// True if searches will find the change only after the next start.
    indexes_behind: bool,
}

#[utoipa::path(
    patch, path = "/v1/documents/{id}", operation_id = "edit_document", tag = "documents", request_body = CardBody,
    security(("key" = [])),
    params(("id" = String, Path, description = "The document's id; slashes need not be escaped.", min_length = 1)),
    description = "Sets fields of a document's card: title, kind, status, version, successor, topics, tags. The text \
                   stays as it is, with its pages and times. A value holds until it is set again, or until the \
                   document's source states a different one. Making it visible to more people needs `open`.",
    responses((status = 200, description = "The card as it is now.", body = EditedReply), Faults, Missing)
)]
pub(crate) async fn edit(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, edited(&service, &headers, (path, body), &id).await)
}

async fn edited(
    service: &Service,
    headers: &HeaderMap,
    (path, body): (Result<Path<String>, PathRejection>, Result<Bytes, BytesRejection>),
    id: &str,
) -> Result<EditedReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let document_id = id_of(path, id)?;
    let wanted: CardBody = body::read(body, id)?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let edited = service.admin_service.edit_card(turn, &caller, &document_id, wanted).await;
        let edited = edited.map_err(|error| Problem::from_admin_error(&error, id))?;
        let edits = service.admin_service.ingest.catalogue.edits(&caller.reader.tenant, &document_id).await;
        Ok::<_, Problem>((edited, edits.map_err(|error| Problem::from_port_error(&error, id))?))
    };
    let ((card, report), edits) = service.run_admitted(id, work).await?;
    Ok(EditedReply {
        request_id: id.to_owned(),
        card: CardWire::new(&card, &caller.reader),
        edits: edits.iter().map(|edit| EditWire::new(edit, &caller.reader)).collect(),
        indexes_behind: report.indexes_behind.is_some(),
    })
}
