//! `POST /v1/questions`: a question sent to the owner of its topic.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_service::{admin_service::QuestionToSend, wire::SentQuestionWire};

use crate::{
    endpoints::body,
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// A question to send.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"query": "May I work from abroad?", "topic": "hr", "tags": []}))]
pub(crate) struct QuestionBody {
    /// The question, at most 2000 characters.
    #[schema(min_length = 1, max_length = 2000, pattern = r"\S")]
    query: String,
    /// What it is about: the tag whose owner is asked.
    topic: Option<String>,
    /// Id of the user who is to answer, if not the owner of the topic.
    owner: Option<String>,
    /// Who may see the answer; everybody in the tenant if there are none.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    tags: BTreeSet<String>,
}

/// A question as it was sent or answered.
#[derive(Serialize, ToSchema)]
#[schema(as = QuestionSent)]
pub(crate) struct QuestionReply {
    /// Id of the request.
    request_id: String,
    /// The question.
    question: SentQuestionWire,
}

impl QuestionReply {
    pub(super) fn new(id: &str, question: SentQuestionWire) -> Self {
        Self { request_id: id.to_owned(), question }
    }
}

#[utoipa::path(
    post, path = "/v1/questions", operation_id = "send_question", tag = "questions", request_body = QuestionBody,
    security(("key" = [])),
    description = "Sends a question to the person responsible for its topic; needs an admin key. While it is open, \
                   the same question to the same person is sent once.",
    responses((status = 200, description = "The question.", body = QuestionReply), Faults)
)]
pub(crate) async fn send(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, sent(&service, &headers, body, &id).await)
}

async fn sent(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<QuestionReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    let QuestionBody { query, topic, owner, tags } = body::read(body, id)?;
    let now_ms = service.access_control.clock.now_ms();
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(&caller), id).await?;
    let work = async {
        let wanted = QuestionToSend { query, topic, owner, tags };
        let sent = service.admin_service.send_question(turn, &caller, wanted, now_ms).await;
        sent.map_err(|error| Problem::from_admin_error(&error, id))
    };
    let question = service.run_admitted(id, work).await?;
    Ok(QuestionReply::new(id, SentQuestionWire::from(&question)))
}
