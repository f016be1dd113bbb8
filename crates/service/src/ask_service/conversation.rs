//! A request of a conversation ↔ what that conversation has come to: loaded before the question is walked, kept before the reply
//! leaves.
//!
//! Invariant: the state of a conversation is read and written by its owner's requests alone, and what waits for a yes has a token
//! that only the reply tells.

use std::sync::Arc;

use vouch_domain::{Fault, PortError, SessionOwner, SessionState, ports::Sessions};
use vouch_engine::{ask::Engine, tool::Consent};

use crate::question::AskRequest;

/// The conversation a request belongs to.
#[derive(Clone)]
pub(super) struct Conversation {
    sessions: Arc<dyn Sessions>,
    owner: SessionOwner,
    id: String,
    now_ms: u64,
}

impl Conversation {
    /// The request with its conversation's state; a first one begins a conversation under its own id. Without agents there is none.
    pub(super) async fn open(
        ask_request: &AskRequest,
        sessions: Option<&Arc<dyn Sessions>>,
        engine: &Engine,
    ) -> Result<(AskRequest, Option<Self>), PortError> {
        let mut ask_request = ask_request.clone();
        let (Some(sessions), Some(_)) = (sessions, &engine.agents) else { return Ok((ask_request, None)) };
        let id = ask_request.session_id.get_or_insert_with(|| ask_request.request_id.clone()).clone();
        let owner = SessionOwner { tenant: ask_request.question.reader.tenant.clone(), asker: owner_of(&ask_request) };
        let conversation = Self { sessions: Arc::clone(sessions), owner, id, now_ms: engine.clock.now_ms() };
        let state = conversation.sessions.load(&conversation.owner, &conversation.id, conversation.now_ms).await?;
        ask_request.question.session = state.unwrap_or_default();
        Ok((ask_request, Some(conversation)))
    }

    /// Keeps what the conversation has come to; what waits for a yes gets a token first. What has waited before and was answered
    /// meanwhile waits no more.
    pub(super) async fn keep(&self, state: &mut SessionState) -> Result<(), PortError> {
        if state.pending.as_ref().is_some_and(|pending| pending.token.is_some()) {
            if !self.sessions.carry(&self.owner, &self.id, state, self.now_ms).await? {
                state.pending = None;
            }
            return Ok(());
        }
        let waiting = state.pending.as_mut().filter(|pending| pending.missing.is_empty() && pending.token.is_none());
        if let Some(pending) = waiting {
            pending.token = Some(token()?);
        }
        self.sessions.save(&self.owner, &self.id, state, self.now_ms).await
    }

    /// Takes what waits under a token, once.
    pub(super) async fn claim(&self, token: &str) -> Result<bool, PortError> {
        self.sessions.claim(&self.owner, &self.id, token, self.now_ms).await
    }
}

/// Whether a request says yes to what waits: it is then carried through, whether or not anybody waits for the reply.
pub(super) fn says_yes(ask_request: &AskRequest, engine: &Engine) -> bool {
    let question = &ask_request.question;
    engine.consent(question).is_some_and(|consent| question.confirms.is_some() || consent.is_yes())
}

/// The token of what a request takes back.
pub(super) fn says_no<'a>(ask_request: &'a AskRequest, engine: &Engine) -> Option<&'a str> {
    let question = &ask_request.question;
    let is_no = engine.consent(question) == Some(Consent::No);
    question.session.pending.as_ref().filter(|_| is_no)?.token.as_deref()
}

/// Whose conversation it is: the caller's, for the person they speak for.
fn owner_of(ask_request: &AskRequest) -> String {
    match &ask_request.question.asker {
        Some(person) => format!("{} for {person}", ask_request.asker),
        None => ask_request.asker.clone(),
    }
}

/// What nobody can guess.
fn token() -> Result<String, PortError> {
    let mut bytes = [0_u8; 16];
    let fault =
        |error: getrandom::Error| PortError::new("sessions", Fault::Internal, format!("no randomness: {error}"));
    getrandom::fill(&mut bytes).map_err(fault)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
