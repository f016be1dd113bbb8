//! `POST /v1/memory`: an entry kept, in the place of the tenant's entry of the same id.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_service::{phrase_check::PhraseReport, wire::EntryBody};

use crate::{
    endpoints::body,
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// What happened to the entry.
#[derive(Serialize, ToSchema)]
#[schema(as = Remembered)]
pub(crate) struct RememberReply {
    /// Id of the request.
    request_id: String,
    /// 1 if the entry is new.
    added: usize,
    /// 1 if it replaced one with the same id.
    changed: usize,
    /// What came of asking its phrases.
    #[serde(flatten)]
    phrases: PhraseReport,
}

#[utoipa::path(
    post, path = "/v1/memory", operation_id = "keep_memory", tag = "memory", request_body = EntryBody, security(("key" = [])),
    description = "Stores a pinned question or, with a `note`, a note. Every reference must lead to a document the caller may see.",
    responses((status = 200, description = "The entry is stored.", body = RememberReply), Faults)
)]
pub(crate) async fn remember(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, remembered(&service, &headers, body, &id).await)
}

async fn remembered(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<RememberReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let body: EntryBody = body::read(body, id)?;
    let entry = body.entry(&caller.reader.tenant);
    let entry = entry.map_err(|sentence| Problem::new(Code::InvalidRequest, sentence, id))?;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let kept = service.admin_service.remember(turn, &caller, entry.clone()).await;
        kept.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let kept = service.run_admitted(id, work).await?;
    let phrases = service.check_phrases(&entry, id).await;
    Ok(RememberReply { request_id: id.to_owned(), added: kept.added, changed: kept.changed, phrases })
}
