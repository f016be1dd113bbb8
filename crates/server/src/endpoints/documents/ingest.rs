//! `POST /v1/documents`: one document or a list of them into the caller's own tenant.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::Value;
use utoipa::ToSchema;
use vouch_service::{
    admin_service::IngestOutcome,
    wire::{DocumentBody, IngestOutcomeWire, OpenFindingWire},
};

use crate::{
    endpoints::body,
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Most documents of one request.
const DOCUMENTS_MAX: usize = 1_000;

/// One document, or a list of them.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only says what the body looks like: every document is read on its own")]
pub(crate) enum DocumentsBody {
    One(Box<DocumentBody>),
    Many(Vec<DocumentBody>),
}

#[utoipa::path(
    post, path = "/v1/documents", operation_id = "take_in_documents", tag = "documents", request_body = DocumentsBody, security(("key" = [])),
    description = "Adds documents, or new versions of existing ones. An invalid document is reported and the others \
                   are stored; if all are invalid, so is the request. A key that covers a part of the tenant can only \
                   store documents whose tags are all its own.",
    responses(
        (status = 200, description = "Every document is stored.", body = IngestOutcomeWire),
        (status = 207, description = "Some documents are stored; `failures` says which are not and why.", body = IngestOutcomeWire),
        Faults
    )
)]
pub(crate) async fn ingest(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    let outcome = taken_in(&service, &headers, body, &id).await;
    let status = outcome.as_ref().map_or(StatusCode::OK, status);
    let mut response = respond(&id, outcome);
    if status != StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

/// Whether everything was stored, or a part of it.
pub(crate) fn status(outcome: &IngestOutcomeWire) -> StatusCode {
    if outcome.failed > 0 { StatusCode::MULTI_STATUS } else { StatusCode::OK }
}

async fn taken_in(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<IngestOutcomeWire, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let wrong = |detail: String| Problem::new(Code::InvalidRequest, detail, id);
    let documents = match body::read::<Value>(body, id)? {
        Value::Array(documents) => documents,
        document @ Value::Object(_) => vec![document],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(wrong("the body is neither a document nor a list of documents".to_owned()));
        }
    };
    if documents.len() > DOCUMENTS_MAX {
        return Err(wrong(format!("there are {} documents, the limit is {DOCUMENTS_MAX}", documents.len())));
    }
    let turn = service.wait_for_lock(service.admin_service.lock_tenant(&caller), id).await?;
    let work = async {
        let taken = service.admin_service.ingest(turn, &caller, documents).await;
        taken.map_err(|error| Problem::from_admin_error(&error, id))
    };
    outcome_wire(service.run_admitted(id, work).await?, id)
}

/// What is told of what was taken in; a problem where nothing was.
pub(crate) fn outcome_wire(taken: IngestOutcome, id: &str) -> Result<IngestOutcomeWire, Problem> {
    if let Some(problem) = nothing_taken(&taken, id) {
        return Err(problem);
    }
    let stay_closed = taken.report.kept_access + taken.report.joined_access;
    let closed = (stay_closed > 0).then(|| {
        "some of these documents are visible to fewer people than the request says, only to those who could see them \
         before; send `open`: true if more people may see them"
            .to_owned()
    });
    Ok(IngestOutcomeWire {
        request_id: id.to_owned(),
        added: taken.report.added,
        updated: taken.report.updated + taken.report.renamed,
        unchanged: taken.report.unchanged,
        failed: taken.failures.len() as u64,
        failures: taken.failures,
        warnings: taken.report.warnings.into_iter().map(|warning| warning.sentence).chain(closed).collect(),
        indexes_behind: taken.report.indexes_behind.is_some(),
        findings: taken.findings.findings.iter().map(OpenFindingWire::new).collect(),
        findings_total: taken.findings.total,
    })
}

/// The problem to report if no document of the request was stored.
fn nothing_taken(taken: &IngestOutcome, id: &str) -> Option<Problem> {
    let report = &taken.report;
    let (first, rest) = taken.failures.split_first()?;
    if report.added + report.updated + report.unchanged + report.renamed > 0 {
        return None;
    }
    let code = match report.failures.iter().any(|failure| failure.is_stores_fault) {
        true => Code::Context,
        false => Code::InvalidRequest,
    };
    let others = if rest.is_empty() { String::new() } else { format!(" ({} others failed too)", rest.len()) };
    let detail = format!("no document was added: document {}: {}{others}", first.index, first.reason);
    Some(Problem::new(code, detail, id))
}
