//! The trail of requests → answers that rest on a sentence which no longer stands, each with what stands in its place.
//!
//! Invariant: an answer is listed where a document it cites was removed, superseded or withdrawn since, or no longer has a
//! sentence that was cited. A sentence that only moved still stands. Where the version that was cited is not kept, that is
//! said and nothing is guessed. Of a document that the reader may not see now nothing is told but what the entry itself has.

mod comparison;
mod wire;
mod words;

use vouch_domain::{
    AuditEntry, AuditScope, PortError, Reader, date,
    ports::{AuditPlace, AuditTrail, StoreState, Versions},
    timestamp,
};

use crate::wire::RecordedRequest;
use comparison::Comparison;

pub use wire::{RecallList, RecallReason, RecallWire, RecalledSentence, RecalledSource, RecalledVersion};

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
