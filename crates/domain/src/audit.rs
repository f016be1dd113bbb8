//! The record of every request: who asked what, what was decided, and the feedback.

use crate::{
    caller::{Caller, Role},
    ports::Generation,
    reader::Scope,
};

/// One request in the trail.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// The name the request was answered under. A caller may use one twice; the newest is found first.
    pub id: String,
    /// Whose request it was.
    pub tenant: String,
    /// Who asked, never a secret.
    pub asker: String,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// Its outcome, as one word.
    pub outcome: String,
    /// Why it was refused or failed, as one word, if it was.
    pub reason: Option<String>,
    /// What the corpus was then.
    pub generation: Generation,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
    /// Everything else, as it was recorded.
    pub record: String,
}

/// Feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// Who says so.
    pub asker: String,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whether it helped.
    pub is_helpful: bool,
    /// In their own words.
    pub comment: Option<String>,
}

impl Feedback {
    /// Longest comment, in characters.
    pub const COMMENT_CHARS_MAX: usize = 4_000;
    /// Most pieces of feedback kept per answer.
    pub const PER_ENTRY_MAX: usize = 100;

    /// What is wrong with it, for a person; none if it can be kept.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let chars = self.comment.as_ref().map_or(0, |comment| comment.chars().count());
        let max = Self::COMMENT_CHARS_MAX;
        (chars > max).then(|| format!("the comment has {chars} characters, the limit is {max}"))
    }
}

/// What became of feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackOutcome {
    /// There is no entry in sight that it could be about.
    NoEntry,
    /// It is the caller's first word on the entry.
    New,
    /// It replaces what the caller said before.
    Replaced {
        /// Whether the answer had helped by that.
        was_helpful: bool,
    },
}

impl FeedbackOutcome {
    /// Whether it is kept.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self != Self::NoEntry
    }
}

/// What part of the trail may be read: a tenant's, or only the requests of one of its callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditScope {
    /// Whose trail.
    pub tenant: String,
    /// Whose requests; everybody's where none is named.
    pub asker: Option<String>,
}

impl AuditScope {
    /// The whole trail of a tenant.
    #[must_use]
    pub fn for_tenant(tenant: &str) -> Self {
        Self { tenant: tenant.to_owned(), asker: None }
    }

    /// What a caller may see: all requests of the tenant for an admin who may read all of it, else their own. Answers
    /// to others reveal what others may read.
    #[must_use]
    pub fn for_caller(caller: &Caller) -> Self {
        let asker = match (caller.role, &caller.reader.scope) {
            (Role::Admin, Scope::WholeTenant) => None,
            (Role::Admin, Scope::Tags(_)) | (Role::Reader | Role::Monitor, _) => Some(caller.id.clone()),
        };
        Self { tenant: caller.reader.tenant.clone(), asker }
    }

    /// Whether a request is theirs to see.
    #[must_use]
    pub fn includes(&self, entry: &AuditEntry) -> bool {
        self.tenant == entry.tenant && self.asker.as_ref().is_none_or(|asker| *asker == entry.asker)
    }
}

/// An entry with what was said of it since, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedEntry {
    /// The entry.
    pub entry: AuditEntry,
    /// What was said of it.
    pub feedback: Vec<Feedback>,
}
