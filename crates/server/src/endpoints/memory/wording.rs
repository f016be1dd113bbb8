//! `POST /v1/wordings`: another wording for an entry that is kept.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{Caller, Wording};
use vouch_service::{
    phrase_check::PhraseReport,
    wire::{EntryWire, language_or_null},
};

use crate::{
    endpoints::body,
    faults::{Faults, Missing},
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A wording for an entry.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"entry": "carry-over", "text": "Do my leave days expire?"}))]
pub(crate) struct WordingBody {
    /// Id of the entry.
    #[schema(min_length = 1, pattern = r"\S")]
    pub(crate) entry: String,
    /// The question in these words.
    #[schema(min_length = 1, pattern = r"\S")]
    pub(crate) text: String,
    /// Tag of their language, such as `nl`; absent if the entry's phrases have none.
    #[serde(default, deserialize_with = "language_or_null")]
    #[schema(max_length = 35, pattern = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]
    pub(crate) language: Option<String>,
}

/// The entry with the wording.
#[derive(Serialize, ToSchema)]
#[schema(as = WordingAdded)]
pub(crate) struct WordingReply {
    /// Id of the request.
    request_id: String,
    /// The entry as it is now.
    pub(crate) entry: EntryWire,
    /// What came of asking its phrases.
    #[serde(flatten)]
    pub(crate) phrases: PhraseReport,
}

#[utoipa::path(
    post, path = "/v1/wordings", operation_id = "add_wording", tag = "memory", request_body = WordingBody, security(("key" = [])),
    description = "Adds a wording to an entry of the memory: asked in these words, the question reaches the entry. Needs an admin key.",
    responses((status = 200, description = "The entry has the wording.", body = WordingReply), Missing, Faults)
)]
pub(crate) async fn add(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, added(&service, &headers, body, &id).await)
}

async fn added(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<WordingReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let body = body::read(body, id)?;
    add_wording(service, &caller, body, id).await
}

/// Adds the wording and asks the entry's phrases.
pub(crate) async fn add_wording(
    service: &Service,
    caller: &Caller,
    body: WordingBody,
    id: &str,
) -> Result<WordingReply, Problem> {
    let WordingBody { entry, text, language } = body;
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(caller), id).await?;
    let work = async {
        let added = service.admin_service.add_wording(turn, caller, (&entry, Wording { text, language })).await;
        added.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let entry = service.run_admitted(id, work).await?;
    let phrases = service.check_phrases(&entry, id).await;
    Ok(WordingReply { request_id: id.to_owned(), entry: EntryWire::new(&entry, &caller.reader), phrases })
}
