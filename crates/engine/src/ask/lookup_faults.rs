//! Look-ups of the vocabulary that failed on the way to an answer: every one of them counts, wherever the question went
//! afterwards and whatever it was looked up for.

use crate::trace::{LookupOutcome, LookupReport};

/// What failed so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LookupFaults {
    outcomes: Vec<LookupOutcome>,
    /// A term that could not be looked up, where the question went on without.
    pub(super) unasked: Option<LookupReport>,
}

impl LookupFaults {
    /// What was found; nothing where the look-up failed, which is noted.
    pub(super) fn note<T: Default>(&mut self, looked_up: Result<T, LookupOutcome>) -> T {
        looked_up.unwrap_or_else(|outcome| {
            self.outcomes.push(outcome);
            T::default()
        })
    }

    /// Notes a look-up if it failed.
    pub(super) fn note_report(&mut self, report: Option<LookupReport>) {
        if let Some(report) = report.filter(LookupReport::is_failure) {
            self.outcomes.push(report.outcome);
            self.unasked.get_or_insert(report);
        }
    }

    /// Notes what failed elsewhere too.
    pub(super) fn extend(&mut self, others: Self) {
        self.outcomes.extend(others.outcomes);
        self.unasked = self.unasked.take().or(others.unasked);
    }

    pub(super) fn include(&self, outcome: LookupOutcome) -> bool {
        self.outcomes.contains(&outcome)
    }
}
