//! `DELETE /v1/documents/{id}`: a document out of every search.

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};

use super::id_of;
use crate::{
    description::{Faults, Missing},
    endpoints::removed::Removed,
    problem::Problem,
    request_id::{replied, request_id},
    service::Service,
};

#[utoipa::path(
    delete, path = "/v1/documents/{id}", operation_id = "take_out_document", tag = "documents", security(("key" = [])),
    params(("id" = String, Path, description = "The document's id; slashes need not be escaped.", min_length = 1)),
    responses((status = 200, description = "It is removed.", body = Removed), Faults, Missing)
)]
pub(crate) async fn take_out(
    State(service): State<Service>,
    headers: HeaderMap,
    path: Result<Path<String>, PathRejection>,
) -> Response {
    let id = request_id(&headers);
    replied(&id, gone(&service, &headers, path, &id).await)
}

async fn gone(
    service: &Service,
    headers: &HeaderMap,
    path: Result<Path<String>, PathRejection>,
    id: &str,
) -> Result<Removed, Problem> {
    let caller = service.door.admin(headers, id).await?;
    let document_id = id_of(path, id)?;
    let turn = service.turn(service.keeper.small_turn(&caller), id).await?;
    let work = async {
        let gone = service.keeper.take_out(turn, &caller, &document_id).await;
        gone.map_err(|error| Problem::of_keeping(&error, id))
    };
    let report = service.admitted(id, work).await?;
    Ok(Removed { request_id: id.to_owned(), removed: report.removed })
}
