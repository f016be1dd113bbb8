//! A job while a worker is at it: how far it has come, and whether it is still wanted.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use vouch_domain::{JobFailure, JobProgress};
use vouch_engine::ingest::{Failure, IngestReport, Progress};

/// What a run tells while it goes on.
#[derive(Debug, Default)]
pub(super) struct Running {
    told: Mutex<(JobProgress, Vec<JobFailure>)>,
    is_unwanted: AtomicBool,
    /// What the names of sources begin with; people are told the rest.
    roots: Mutex<Vec<String>>,
}

impl Running {
    pub(super) fn told(&self) -> (JobProgress, Vec<JobFailure>) {
        self.lock().clone()
    }

    pub(super) fn expect(&self, total: Option<u64>, roots: &[String]) {
        self.lock().0.total = total;
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots.to_vec();
    }

    /// One more was looked at.
    pub(super) fn saw(&self) {
        self.lock().0.seen += 1;
    }

    pub(super) fn count(&self, report: &IngestReport) {
        let empty = report.failures.iter().filter(|failure| failure.is_empty_source()).count() as u64;
        let progress = &mut self.lock().0;
        (progress.added, progress.updated, progress.unchanged) = (report.added, report.updated, report.unchanged);
        (progress.renamed, progress.removed, progress.failed) =
            (report.renamed, report.removed, report.failed.saturating_sub(empty) + report.unpruned.len() as u64);
    }

    /// Ends the work at its next step.
    pub(super) fn stop(&self) {
        self.is_unwanted.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, (JobProgress, Vec<JobFailure>)> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source without the root it lies below: where that is on this machine is not for everybody who sees the job.
    fn shown(&self, source: &str) -> String {
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let below = roots.iter().find_map(|root| source.strip_prefix(root.as_str())?.strip_prefix('/'));
        below.unwrap_or_else(|| source.rsplit('/').next().unwrap_or(source)).to_owned()
    }
}

impl Progress for Running {
    fn prepared(&self, _: usize) {}

    fn embedded(&self, _: usize) {}

    fn failed(&self, failure: &Failure) {
        // A source without a word in it is nothing to mend.
        if failure.is_empty_source() {
            return;
        }
        let source = match failure.place.as_str() {
            "" => self.shown(&failure.source),
            place => format!("{}, {place}", self.shown(&failure.source)),
        };
        let failures = &mut self.lock().1;
        if failures.len() < JobFailure::KEPT_MAX {
            failures.push(JobFailure { source, sentence: failure.sentence.clone() });
        }
    }

    fn advanced(&self, report: &IngestReport) {
        self.count(report);
    }

    fn is_wanted(&self) -> bool {
        !self.is_unwanted.load(Ordering::Acquire)
    }
}
