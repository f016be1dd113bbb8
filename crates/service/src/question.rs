//! A question on somebody's behalf, and what came of it.

use vouch_domain::Question;
use vouch_engine::ask::Response;

use crate::wire::Reply;

/// One question on its way.
#[derive(Debug, Clone)]
pub struct Asking {
    /// What the request is called.
    pub request_id: String,
    /// Who asks, as the trail calls them.
    pub asker: String,
    /// Which conversation it belongs to, where the way it came in knows.
    pub session_id: Option<String>,
    /// Which way it came in, as one word.
    pub surface: &'static str,
    /// What is asked.
    pub question: Question,
    /// Whether the reply shows its trace.
    pub explains: bool,
}

/// What a question came to.
pub struct Answered {
    /// The engine's word.
    pub response: Response,
    /// The same as others see it.
    pub reply: Reply,
}
