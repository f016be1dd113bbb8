//! A question that found no answer and was sent to whoever answers for its topic.

use std::collections::BTreeSet;

use crate::document::DocumentId;

/// Most questions of one tenant that are kept, answered ones included.
pub const SENT_QUESTIONS_MAX: usize = 10_000;

/// A question somebody is asked to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentQuestion {
    /// Its name within the tenant.
    pub id: String,
    /// Where it belongs.
    pub tenant: String,
    /// The question.
    pub query: String,
    /// What it is about, as the curator saw it.
    pub topic: Option<String>,
    /// Id of the person who is to answer.
    pub owner: String,
    /// Who sent it.
    pub sent_by: String,
    /// When, in milliseconds since 1970.
    pub sent_ms: u64,
    /// Who may see the answer; everybody in the tenant where there are none.
    pub tags: BTreeSet<String>,
    /// What the owner wrote, once they have.
    pub answer: Option<WrittenAnswer>,
}

/// Where an owner's answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenAnswer {
    /// The document that holds it.
    pub document: DocumentId,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: u64,
}
