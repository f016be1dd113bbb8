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
    /// What they think of it.
    pub opinion: Opinion,
    /// In their own words.
    pub comment: Option<String>,
}

/// What somebody thinks of an answer: a thumb, a rating, or both. Neither follows from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Opinion {
    /// Whether it helped; none if they do not say.
    pub is_helpful: Option<bool>,
    /// How good it was; none if they do not say.
    pub rating: Option<Rating>,
}

impl Opinion {
    /// A thumb without a rating.
    #[must_use]
    pub fn thumb(is_helpful: bool) -> Self {
        Self { is_helpful: Some(is_helpful), rating: None }
    }

    /// Whether it says nothing at all.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// How good an answer was: 1 for the worst, 5 for the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl Rating {
    /// The worst there is.
    pub const MIN: u8 = 1;
    /// The best there is.
    pub const MAX: u8 = 5;

    /// A rating; none if there is no such one.
    #[must_use]
    pub fn new(stars: u8) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&stars).then_some(Self(stars))
    }

    /// Its figure.
    #[must_use]
    pub fn stars(self) -> u8 {
        self.0
    }
}

impl Feedback {
    /// Longest comment, in characters.
    pub const COMMENT_CHARS_MAX: usize = 4_000;
    /// Most pieces of feedback kept per answer.
    pub const PER_ENTRY_MAX: usize = 100;

    /// What is wrong with it, for a person; none if it can be kept.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.opinion.is_empty() {
            return Some("it has neither a thumb nor a rating".to_owned());
        }
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
        /// What that was.
        before: Opinion,
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
