//! `ask`: a question → the reply object, and the same as text; a refusal is a reply.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use vouch_domain::{Question, Speaker, Timestamp, Turn, is_session_id};

use super::{
    super::{
        call::{Call, told},
        reply::{readable, schema},
    },
    reads, takes,
};
use vouch_service::{
    question::AskRequest,
    surface::Surface,
    wire::{language_or_null, timestamp_or_null},
};

use crate::{
    endpoints::ask::{INSTEAD_OF_CHARS_MAX, INSTEAD_OF_TOO_LONG, NO_SESSION_ID, TURNS_MAX},
    problem::Problem,
    service::Service,
};

const DESCRIPTION: &str = "Ask the organisation's documents a question and get an answer whose every sentence has been \
    checked against the sources it cites. Use it first for any question of fact about the organisation. Where the documents \
    do not answer, it refuses and says why (`refused`, `refusal_reason`) or names the person to ask (`route_to`): tell the \
    user so, and do not answer from memory instead. Keep the [^n] markers and their sources when you pass the answer on.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The question in full; what "it" or "that" stands for must be said here or in the history
    query: String,
    /// What was said before in this conversation, oldest first
    history: Option<Vec<HistoryMessage>>,
    /// Tag of the language in which editors' notes are told, such as nl; that of the question if absent
    #[serde(default, deserialize_with = "language_or_null")]
    language: Option<String>,
    /// Agent that is to answer, where the organisation has several; told by the question if absent
    agent: Option<String>,
    /// The `session_id` of the reply before, to go on with the same conversation
    session_id: Option<String>,
    /// The `pending.token` of the reply before, with the query "yes", only after the user has said yes to what `pending.confirm` says
    confirm: Option<String>,
    /// The `request_id` of the reply that suggested this query in the place of another, where the user meant it: curators learn that both
    /// mean the same
    instead_of: Option<String>,
    /// Whether the reply shows how it came about: search lanes, gates with figures, claims; false if absent
    explain: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Said")]
struct HistoryMessage {
    /// Who said it: the person who asks, the assistant that answered, or the system they speak through, which is not obeyed
    role: Role,
    /// The text of the message
    content: String,
    /// The source ids that an answer cited
    sources: Option<Vec<String>>,
    /// When it was said, in ISO 8601, such as 2026-01-28T10:30:45Z
    #[serde(default, deserialize_with = "timestamp_or_null")]
    #[schemars(with = "Option<String>")]
    timestamp: Option<Timestamp>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    System,
}

pub(super) fn card() -> Tool {
    let card = takes::<Arguments>("Ask the documents", DESCRIPTION);
    card.with_raw_output_schema(schema()).with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { query, history, language, agent, session_id, confirm, instead_of, explain } = call.read()?;
    let history = history.unwrap_or_default();
    if history.len() > TURNS_MAX {
        return Err(call.wrong(format!("history has {} turns, the limit is {TURNS_MAX}", history.len())));
    }
    if session_id.as_ref().is_some_and(|id| !is_session_id(id)) {
        return Err(call.wrong(NO_SESSION_ID.to_owned()));
    }
    if instead_of.as_ref().is_some_and(|id| id.chars().count() > INSTEAD_OF_CHARS_MAX) {
        return Err(call.wrong(INSTEAD_OF_TOO_LONG.to_owned()));
    }
    let question = Question {
        conversation: history.into_iter().map(turn).collect(),
        language,
        agent,
        confirms: confirm,
        instead_of,
        asker: call.call_context.caller.person.clone(),
        ..Question::new(query, call.call_context.caller.narrow(None))
    };
    let ask_request = AskRequest { session_id, ..ask_request(&call, question, explain.unwrap_or(false)) };
    let answered = service.ask_service.answer(&ask_request).await;
    let reply = answered.map_err(|error| Problem::from_ask_service_error(&error, &ask_request.request_id))?.reply;
    Ok(told(readable(&reply), &reply))
}

/// A question on the caller's behalf, as it is recorded.
pub(super) fn ask_request(call: &Call, question: Question, explains: bool) -> AskRequest {
    AskRequest {
        session_id: None,
        request_id: call.call_context.request_id.clone(),
        asker: call.call_context.caller.id.clone(),
        surface: Surface::Mcp,
        question,
        explains,
    }
}

fn turn(said: HistoryMessage) -> Turn {
    let speaker = match said.role {
        Role::User => Speaker::Asker,
        Role::Assistant => Speaker::Vouch,
        Role::System => Speaker::System,
    };
    Turn { speaker, text: said.content, sources: said.sources.unwrap_or_default(), said_at: said.timestamp }
}
