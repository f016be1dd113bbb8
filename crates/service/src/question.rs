//! A question on somebody's behalf, and what came of it.

use vouch_domain::Question;
use vouch_engine::ask::Response;

use crate::{surface::Surface, wire::Reply};

/// One question with its caller.
#[derive(Debug, Clone)]
pub struct AskRequest {
    /// The request id.
    pub request_id: String,
    /// Who asks, as the trail calls them.
    pub asker: String,
    /// The conversation it belongs to, if the surface knows it.
    pub session_id: Option<String>,
    /// The way it came in.
    pub surface: Surface,
    /// What is asked.
    pub question: Question,
    /// Whether the reply has its `trace`.
    pub explains: bool,
}

/// A question's outcome.
pub struct AskOutcome {
    /// The engine's word.
    pub response: Response,
    /// The same as clients see it.
    pub reply: Reply,
}
