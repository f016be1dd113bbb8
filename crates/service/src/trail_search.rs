//! The trail of requests, searched: what was asked with these words, by whom, and how it ended.
//!
//! Invariant: a search reads so many entries and no more; where that is not the whole trail, it says where to go on.

use vouch_domain::{
    AuditEntry, AuditScope, PortError,
    language::fold_spaces,
    ports::{AuditPlace, AuditTrail},
};

use crate::wire::RecordedRequest;

/// Most entries that one search reads.
pub const SEARCHED_MAX: usize = 20_000;
/// How many entries are read at a time.
const BATCH: usize = 500;

/// What is looked for; whatever is not named is not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrailQuery {
    /// Words that stand in the question as they are here, in any case.
    pub contains: Option<String>,
    /// How it ended, as one word.
    pub outcome: Option<String>,
    /// Who asked.
    pub asker: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrailFindings {
    /// Newest first.
    pub entries: Vec<AuditEntry>,
    /// How many entries were looked at.
    pub searched: usize,
    /// Before which place the search can go on; none where the trail ends.
    pub next: Option<AuditPlace>,
}

impl TrailQuery {
    fn matches(&self, entry: &AuditEntry) -> bool {
        let is = |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|wanted| wanted == own);
        is(&self.outcome, &entry.outcome) && is(&self.asker, &entry.asker) && self.has_words(entry)
    }

    fn has_words(&self, entry: &AuditEntry) -> bool {
        let Some(words) = self.contains.as_deref() else { return true };
        let asked = RecordedRequest::read(entry).and_then(|recorded| recorded.query().map(fold_spaces));
        asked.is_some_and(|asked| asked.contains(words))
    }
}

/// The newest entries in sight that match, written before a place where one is named, up to a limit.
///
/// # Errors
/// Fails if the trail cannot be read.
pub async fn search(
    trail: &dyn AuditTrail,
    scope: &AuditScope,
    query: &TrailQuery,
    (before, limit): (Option<AuditPlace>, usize),
) -> Result<TrailFindings, PortError> {
    let query = TrailQuery { contains: query.contains.as_deref().map(fold_spaces), ..query.clone() };
    let mut findings = TrailFindings { next: before, ..TrailFindings::default() };
    while findings.searched < SEARCHED_MAX {
        let batch = trail.before(scope, findings.next, BATCH).await?;
        if batch.is_empty() {
            findings.next = None;
            return Ok(findings);
        }
        for (place, entry) in batch {
            if findings.entries.len() == limit {
                return Ok(findings);
            }
            findings.next = Some(place);
            findings.searched += 1;
            if query.matches(&entry) {
                findings.entries.push(entry);
            }
        }
    }
    Ok(findings)
}
