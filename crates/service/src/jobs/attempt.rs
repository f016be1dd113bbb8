//! One attempt at a job: its source opened, its documents ingested, and what became of it.

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    Fault, Job, JobOutcome, PortError,
    ports::{DocumentSource, OpenSource},
};
use vouch_engine::ingest::{Failure, Ingest, IngestReport, IngestRun, Progress, PruneExtent, UnreadableSource};

use super::running::Running;

/// How often a job is tried, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobPolicy {
    /// After so many attempts it has failed.
    pub attempts_max: u32,
    /// How long to wait after the first attempt; each further wait is twice as long.
    pub retry_first: Duration,
    /// The longest wait.
    pub retry_longest: Duration,
}

/// A source that a job names, ready to be opened.
pub struct Opened {
    /// The source.
    pub source: Arc<dyn DocumentSource>,
    /// Whether documents are removed that it holds no more, and how many of them.
    pub prunes: Option<PruneExtent>,
}

/// Finds the source that a job names.
pub type OpenTarget = Arc<dyn Fn(&Job) -> Result<Opened, PortError> + Send + Sync>;

impl JobPolicy {
    /// How an attempt that failed ends: with another one later, unless nothing would change or it was the last.
    pub(super) fn failed(&self, job: &Job, error: &PortError, now_ms: u64) -> JobOutcome {
        let is_last = error.fault == Fault::Invalid || job.attempts >= self.attempts_max;
        let next_try_ms = (!is_last).then(|| {
            let doubled = self.retry_first.saturating_mul(2u32.saturating_pow(job.attempts.saturating_sub(1)));
            let wait = doubled.min(self.retry_longest);
            now_ms.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
        });
        JobOutcome::Failed { sentence: error.sentence.clone(), next_try_ms }
    }
}

/// Ingests what a job names; nothing if it was stopped on the way.
pub(super) async fn attempt(
    ingest: &Ingest,
    target: &Opened,
    tenant: &str,
    running: &Running,
) -> Result<Option<IngestReport>, PortError> {
    let opened = target.source.open(&|| running.is_wanted()).await?;
    let OpenSource { roots, total, documents, exists } = opened;
    running.expect(total, &roots);
    let run = IngestRun { sees_all: true, tenant, roots: &roots, source_exists: exists.as_ref(), progress: running };
    let documents = documents.map(|read| {
        running.saw();
        read.map_err(|fault| UnreadableSource { source: fault.source, shown: fault.shown, sentence: fault.sentence })
    });
    let mut report = ingest.ingest(documents, &run).await?;
    if let Some(extent) = target.prunes {
        ingest.prune(&run, extent, &mut report).await?;
    }
    running.count(&report);
    for unpruned in &report.unpruned {
        let (source, sentence) = (unpruned.root.clone(), unpruned.sentence("--prune-many"));
        running.failed(&Failure { source, place: String::new(), sentence, is_stores_fault: false });
    }
    if let Some(sentence) = &report.indexes_behind {
        let (source, sentence) = ("the indexes".to_owned(), sentence.clone());
        running.failed(&Failure { source, place: String::new(), sentence, is_stores_fault: true });
    }
    Ok((!report.is_cut_short).then_some(report))
}

/// What is told of a job whose process ended again and again while it ran.
pub(super) fn given_up(job: &Job) -> JobOutcome {
    let sentence =
        format!("the process running it ended {} times before it was finished", job.attempts.saturating_sub(1));
    JobOutcome::Failed { sentence, next_try_ms: None }
}
