//! The trail of requests → answers that rest on a sentence which no longer stands, each with what stands in its place.
//!
//! Invariant: an answer is listed where a document it cites was removed, superseded or withdrawn since, or no longer has a
//! sentence that was cited. A sentence that only moved still stands. Where the version that was cited is not kept, that is
//! said and nothing is guessed. Of a document that the reader may not see now nothing is told but what the entry itself has.

mod comparison;
mod words;

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    AuditEntry, AuditScope, PortError, Reader, date,
    ports::{AuditPlace, AuditTrail, StoreState, Versions},
    timestamp,
};

use crate::wire::RecordedRequest;
use comparison::Comparison;

/// Most entries of the trail that one list looks at.
pub const SEARCHED_MAX: usize = 10_000;
/// Most answers of one list.
pub const RECALLS_MAX: usize = 1_000;
const BATCH: usize = 500;
/// How requests end that tell something of the documents.
const ANSWERED: [&str; 2] = ["answered", "routed"];

/// What recalls are found in.
pub struct Recalls<'a> {
    /// The trail.
    pub trail: &'a dyn AuditTrail,
    /// The documents as they were and as they are.
    pub versions: &'a dyn Versions,
    /// Where the store is now.
    pub state: &'a StoreState,
}

/// Which recalls are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallQuery {
    /// Only answers of this day, such as `2026-05-21`, and later.
    pub since: Option<String>,
    /// Only answers written before the one at this place.
    pub before: Option<AuditPlace>,
    /// At most so many.
    pub limit: usize,
}

/// Answers that rest on what no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecallList {
    /// Newest first.
    pub recalls: Vec<RecallWire>,
    /// How many requests of the trail were looked at.
    pub searched: usize,
    /// How many answers could not be compared: their record cannot be read, or they came from another store.
    pub skipped: usize,
    /// Send it as `before` to go on; null where the trail ends.
    pub next: Option<String>,
}

/// An answer that rests on what no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Recall)]
pub struct RecallWire {
    /// Id of the request.
    pub request_id: String,
    /// When it was asked, RFC 3339 in UTC.
    pub timestamp: String,
    /// Id of the caller.
    pub user_id: String,
    /// The question; null if questions are not recorded.
    pub query: Option<String>,
    /// Those of its sources that no longer stand as they were cited.
    pub sources: Vec<RecalledSource>,
}

/// A cited document that no longer says what was cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecalledSource {
    /// Number of the marker in the answer: 1 for `[^1]`.
    pub marker: u32,
    /// Id of the document.
    pub document_id: String,
    /// Its title when it was cited.
    pub title: String,
    /// What became of it.
    pub reason: RecallReason,
    /// The sentences that no longer stand; of a document that is gone or no longer holds, all that were cited.
    pub sentences: Vec<RecalledSentence>,
    /// Address of the document that replaces it now; null if none does.
    pub superseded_by: Option<String>,
    /// Its status now; null if it names none or is gone.
    pub status: Option<String>,
    /// The version that was cited.
    pub version_then: RecalledVersion,
    /// The version there is now; null if the document is gone.
    pub version_now: Option<RecalledVersion>,
}

/// What became of a cited document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecallReason {
    /// It was removed, or is no longer open to the reader.
    Removed,
    /// Another document replaces it.
    Superseded,
    /// Its status says that it no longer holds.
    Withdrawn,
    /// A cited sentence is no longer in its text.
    Changed,
    /// It has changed, and the version that was cited is not kept or not open to the reader.
    Unknown,
}

/// A sentence that no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecalledSentence {
    /// The sentence as it was cited.
    pub text: String,
    /// The block that stands in its place; null if there is none.
    pub in_its_place: Option<String>,
    /// Headings above that block, joined by ` › `; null at the top of the document, or if there is no such block.
    pub section: Option<String>,
}

/// A version of a cited document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct RecalledVersion {
    /// Its number, from 1; null if it is not kept or not open to the reader.
    pub number: Option<u32>,
    /// Its author's label; null if it names none.
    pub label: Option<String>,
    /// Its date; null if it names none.
    pub date: Option<String>,
}

impl RecallReason {
    /// As one stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
            Self::Changed => "changed",
            Self::Unknown => "unknown",
        }
    }
}

impl Recalls<'_> {
    /// The answers in sight that rest on what no longer stands, as a reader may see them.
    ///
    /// # Errors
    /// Fails if the trail or the store cannot be read.
    pub async fn list(
        &self,
        scope: &AuditScope,
        reader: &Reader,
        query: &RecallQuery,
    ) -> Result<RecallList, PortError> {
        let mut list = RecallList { recalls: Vec::new(), searched: 0, skipped: 0, next: None };
        let mut comparison = Comparison::new(self.versions, reader);
        let mut place = query.before;
        while list.searched < SEARCHED_MAX {
            let batch = self.trail.before(scope, place, BATCH).await?;
            if batch.is_empty() {
                return Ok(list);
            }
            for (at, entry) in batch {
                if list.recalls.len() == query.limit {
                    list.next = place.map(|place| place.0.to_string());
                    return Ok(list);
                }
                place = Some(at);
                list.searched += 1;
                let is_wanted = query.since.as_ref().is_none_or(|since| date(entry.at_ms) >= *since);
                if is_wanted && self.may_have_changed(&entry) {
                    self.add(&entry, &mut comparison, &mut list).await?;
                }
            }
        }
        list.next = place.map(|place| place.0.to_string());
        Ok(list)
    }

    /// Whether documents have changed since; most answers need not be read further.
    fn may_have_changed(&self, entry: &AuditEntry) -> bool {
        ANSWERED.contains(&entry.outcome.as_str()) && entry.generation != self.state.generation
    }

    async fn add(
        &self,
        entry: &AuditEntry,
        comparison: &mut Comparison<'_>,
        list: &mut RecallList,
    ) -> Result<(), PortError> {
        let recorded = RecordedRequest::read(entry).filter(|recorded| {
            // Generations of two stores have nothing in common.
            recorded.store().is_none_or(|store| self.state.store.as_deref() == Some(store))
        });
        let Some(recorded) = recorded else {
            list.skipped += 1;
            return Ok(());
        };
        let then = (entry.generation, recorded.is_between_generations());
        let mut sources = Vec::new();
        for cited in recorded.citations() {
            sources.extend(comparison.compare(&cited, then).await?);
        }
        if !sources.is_empty() {
            list.recalls.push(RecallWire {
                request_id: entry.id.clone(),
                timestamp: timestamp(entry.at_ms),
                user_id: entry.asker.clone(),
                query: recorded.query().map(str::to_owned),
                sources,
            });
        }
        Ok(())
    }
}
