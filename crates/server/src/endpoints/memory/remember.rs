//! `POST /v1/memory`: an entry kept, in the place of the tenant's entry of the same id.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::wire::EntryBody;

use crate::{
    description::Faults,
    endpoints::body,
    problem::{Code, Problem},
    request_id::{replied, request_id},
    service::Service,
};

/// What happened to the entry.
#[derive(Serialize, ToSchema)]
pub(crate) struct Remembered {
    /// Id of the request.
    request_id: String,
    /// 1 if the entry is new.
    added: usize,
    /// 1 if it replaced one with the same id.
    changed: usize,
}

#[utoipa::path(
    post, path = "/v1/memory", operation_id = "keep_memory", tag = "memory", request_body = EntryBody, security(("key" = [])),
    description = "Stores a pinned question or, with a `note`, a note. Every reference must lead to a document the caller may see.",
    responses((status = 200, description = "The entry is stored.", body = Remembered), Faults)
)]
pub(crate) async fn remember(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    replied(&id, remembered(&service, &headers, body, &id).await)
}

async fn remembered(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Remembered, Problem> {
    let caller = service.door.admin(headers, id).await?;
    let body: EntryBody = body::read(body, id)?;
    let entry = body.entry(&caller.reader.tenant);
    let entry = entry.ok_or_else(|| Problem::of(Code::InvalidRequest, "a reference is empty", id))?;
    let turn = service.turn(service.keeper.small_turn(&caller), id).await?;
    let work = async {
        let kept = service.keeper.remember(turn, &caller, entry).await;
        kept.map_err(|error| Problem::of_keeping(&error, id))
    };
    let kept = service.admitted(id, work).await?;
    Ok(Remembered { request_id: id.to_owned(), added: kept.added, changed: kept.changed })
}
