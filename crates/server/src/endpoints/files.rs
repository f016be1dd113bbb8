//! `POST /v1/files`: a file of any form that is read, into the caller's own tenant.

use axum::{
    body::Bytes,
    extract::{
        Query, State,
        rejection::{BytesRejection, QueryRejection},
    },
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;
use utoipa::IntoParams;
use vouch_domain::document::Labels;
use vouch_service::{
    admin_service::{FileToKeep, SameName},
    wire::IngestOutcomeWire,
};

use super::documents::ingest::{outcome_wire, status};
use crate::{
    faults::{Faults, NameTaken},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Where files are sent.
pub(crate) const PATH: &str = "/v1/files";

/// What is said of a file.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileQuery {
    /// Name of the file with its ending, such as `leave.pdf`; the document's id unless the file names one.
    name: String,
    /// Tags of who may see it, between commas; without, those who could before, and everyone in the tenant if it is new.
    tags: Option<String>,
    /// Collection it belongs to, unless the file names one.
    collection: Option<String>,
    /// Kind of document it is, unless the file names one.
    kind: Option<String>,
    /// Whether more people may see it than could before: those with the tags given, and everyone if there are none.
    #[serde(default)]
    open: bool,
    /// Where a document has this name already and the file says something else: `new_version` of it, or `another_document`.
    /// Without, the file is not stored (409 `same_name`).
    #[param(value_type = Option<String>)]
    same_name: Option<SameNameWord>,
}

/// What a file is whose name a document has already.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SameNameWord {
    NewVersion,
    AnotherDocument,
}

#[utoipa::path(
    post, path = "/v1/files", operation_id = "take_in_a_file", tag = "documents", params(FileQuery), security(("key" = [])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file as it is."),
    description = "Adds what a file holds, or gives it a new version (`same_name` says which where a document has its name): PDF, Word, PowerPoint, OpenDocument, EPUB, HTML, mail, CSV, workbooks, JSON, Markdown, \
                   AsciiDoc, reStructuredText, text and transcripts. It is read in a process of its own with limits on time and memory.",
    responses(
        (status = 200, description = "Everything in the file is stored.", body = IngestOutcomeWire),
        (status = 207, description = "Some documents of the file are stored; `failures` says which are not and why.", body = IngestOutcomeWire),
        Faults, NameTaken
    )
)]
pub(crate) async fn keep(
    State(service): State<Service>,
    headers: HeaderMap,
    query: Result<Query<FileQuery>, QueryRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    let outcome = kept(&service, &headers, (query, body), &id).await;
    let status = outcome.as_ref().map_or(StatusCode::OK, status);
    let mut response = respond(&id, outcome);
    if status != StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

async fn kept(
    service: &Service,
    headers: &HeaderMap,
    (query, body): (Result<Query<FileQuery>, QueryRejection>, Result<Bytes, BytesRejection>),
    id: &str,
) -> Result<IngestOutcomeWire, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let Query(query) = query.map_err(|rejection| Problem::new(Code::InvalidRequest, rejection.body_text(), id))?;
    let body = body.map_err(|_| Problem::too_large(service.file_bytes_max, id))?;
    let tags = query.tags.unwrap_or_default();
    let tags = tags.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    let labels =
        Labels { collection: query.collection, kind: query.kind, tags, opens: query.open, ..Labels::default() };
    let same_name = match query.same_name {
        None => SameName::Ask,
        Some(SameNameWord::NewVersion) => SameName::NewVersion,
        Some(SameNameWord::AnotherDocument) => SameName::AnotherDocument,
    };
    let file = FileToKeep { name: query.name, bytes: body.into(), labels, same_name };
    let turn = service.wait_for_lock(service.admin_service.lock_tenant(&caller), id).await?;
    let work = async {
        let taken = service.admin_service.ingest_file(turn, &caller, file).await;
        taken.map_err(|error| Problem::from_admin_error(&error, id))
    };
    outcome_wire(service.run_admitted(id, work).await?, id)
}
