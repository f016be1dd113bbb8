//! `POST /v1/check`: is a claim supported by the evidence given with it?

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_engine::verify::support::weigh;

use super::body;
use vouch_service::wire::VerdictWire;

use crate::{
    faults::Faults,
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Most texts a claim is checked against.
pub(crate) const TEXTS_MAX: usize = 200;

/// A claim and the texts to check it against.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "id": 7, "claim": "Staff have 26 days.", "evidence": ["Staff have 26 days of leave a year."] }))]
pub(crate) struct CheckBody {
    /// Any JSON value; returned with the verdict.
    #[serde(default)]
    id: Value,
    /// One sentence that can be true or false.
    #[schema(min_length = 1, pattern = r"\S")]
    claim: String,
    /// The texts; at most 200.
    evidence: Vec<String>,
}

#[utoipa::path(
    post, path = "/v1/check", tag = "questions", request_body = CheckBody, security(("key" = [])),
    description = "Checks whether a claim is supported by the evidence sent with it; no stored document is read.",
    responses((status = 200, description = "The verdict.", body = VerdictWire), Faults)
)]
pub(crate) async fn check(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, weighed(&service, &headers, body, &id).await)
}

async fn weighed(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<VerdictWire, Problem> {
    service.access_control.require_reader(headers, id).await?;
    let body: CheckBody = body::read(body, id)?;
    let wrong = |detail: &str| Problem::new(Code::InvalidRequest, detail, id);
    if body.claim.trim().is_empty() {
        return Err(wrong("the claim is empty"));
    }
    if body.evidence.len() > TEXTS_MAX {
        return Err(wrong("a claim can be checked against at most 200 texts"));
    }
    let engine = &service.ask_service.engine;
    let (judge, policy) = (engine.claim_judge.as_ref(), &engine.policies.verify);
    let texts: Vec<&str> = body.evidence.iter().map(String::as_str).collect();
    let weighed = service.run_admitted(id, async { Ok(weigh(&body.claim, &texts, judge, policy).await) }).await?;
    Ok(VerdictWire::new(body.id, weighed))
}
