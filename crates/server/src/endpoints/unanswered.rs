//! `GET /v1/unanswered`: questions that found no answer, by topic, wordings that askers chose an entry for, and answers that did not help;
//! for admins.

use axum::{extract::State, http::HeaderMap, response::Response};
use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Caller, PortError};
use vouch_service::{
    memory_match::MemoryMatcher,
    unanswered::{Unanswered, UnansweredList},
    unhelpful::{Unhelpful, UnhelpfulAnswer},
    wordings::{ProposedWording, Wordings},
};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, respond},
    service::Service,
};

/// What waits for a curator.
#[derive(Serialize, ToSchema)]
#[schema(as = UnansweredReply)]
pub(crate) struct UnansweredReply {
    /// Id of the request.
    request_id: String,
    #[serde(flatten)]
    list: UnansweredList,
    /// Wordings that askers chose an entry's question for, those chosen most often first.
    wordings: Vec<ProposedWording>,
    /// Answers that somebody marked as unhelpful, newest first.
    unhelpful: Vec<UnhelpfulAnswer>,
}

#[utoipa::path(
    get, path = "/v1/unanswered", operation_id = "list_unanswered", tag = "questions", security(("key" = [])),
    description = "Recent questions that were refused or routed and have not been pinned since, by topic, with the \
                   person responsible for it and the entry they are close to; wordings that askers chose an entry's \
                   question for; answers that were marked as unhelpful. Needs an admin key.",
    responses((status = 200, description = "The questions.", body = UnansweredReply), Faults)
)]
pub(crate) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, listed(&service, &headers, &id).await)
}

async fn listed(service: &Service, headers: &HeaderMap, id: &str) -> Result<UnansweredReply, Problem> {
    let caller = service.access_control.require_admin(headers, id).await?;
    waiting(service, &caller, id).await
}

/// What waits for a curator, as a caller may see it.
pub(crate) async fn waiting(service: &Service, caller: &Caller, id: &str) -> Result<UnansweredReply, Problem> {
    let (admin_service, engine) = (&service.admin_service, &service.ask_service.engine);
    let (trail, memory) = (service.ask_service.trail.as_ref(), admin_service.memory.as_ref());
    let matcher =
        MemoryMatcher { embedder: engine.retrieve.embedder.as_ref(), memory, policy: &engine.policies.memory };
    let unanswered = Unanswered {
        trail,
        register: admin_service.register.as_ref(),
        directory: admin_service.directory.as_ref(),
        memory,
        questions: admin_service.questions.as_ref(),
        matcher: &matcher,
    };
    let read = async {
        let list = unanswered.list(caller).await?;
        let wordings = Wordings { trail, memory }.list(caller).await?;
        let unhelpful = Unhelpful { trail, memory }.list(caller).await?;
        Ok((list, wordings, unhelpful))
    };
    let read = async { read.await.map_err(|error: PortError| Problem::from_port_error(&error, id)) };
    let (list, wordings, unhelpful) = service.run_admitted(id, read).await?;
    Ok(UnansweredReply { request_id: id.to_owned(), list, wordings, unhelpful })
}
