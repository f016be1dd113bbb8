//! Background jobs, as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Job, JobTarget, timestamp};

/// A background job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Job)]
pub struct JobWire {
    /// Its id.
    pub id: String,
    /// `sync` for a source of the settings, `ingest` for paths.
    #[schema(value_type = String)]
    pub kind: &'static str,
    /// The source it takes in; null where it takes in paths.
    pub source: Option<String>,
    /// Names of the files and folders it takes in; none where it takes in a source.
    pub paths: Vec<String>,
    /// `queued`, `running`, `waiting` (for another try), `done`, `failed` or `cancelled`.
    #[schema(value_type = String)]
    pub state: &'static str,
    /// Whether somebody wants it stopped.
    pub is_cancelled: bool,
    /// How far it has come, in the attempt under way or the last one.
    pub progress: JobProgressWire,
    /// What could not be taken in, the first twenty.
    pub failures: Vec<JobFailureWire>,
    /// Why the last attempt failed; null if it did not.
    pub error: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried again, RFC 3339 in UTC; null unless it waits for that.
    pub next_try: Option<String>,
    /// Who asked for it.
    pub asked_by: String,
    /// When, RFC 3339 in UTC.
    pub asked: String,
    /// When the last attempt began, RFC 3339 in UTC; null before the first.
    pub started: Option<String>,
    /// When it ended, RFC 3339 in UTC; null before.
    pub ended: Option<String>,
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobProgress)]
pub struct JobProgressWire {
    /// Files that were looked at.
    pub seen: u64,
    /// How many there are; null where that is not known.
    pub total: Option<u64>,
    /// Documents that are new.
    pub added: u64,
    /// Documents that have a new version.
    pub updated: u64,
    /// Documents that were already there in this form.
    pub unchanged: u64,
    /// Documents whose file was moved or renamed.
    pub renamed: u64,
    /// Documents removed.
    pub removed: u64,
    /// Files or documents that could not be taken in.
    pub failed: u64,
}

/// Something that could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobFailure)]
pub struct JobFailureWire {
    /// What.
    pub source: String,
    /// What is wrong with it.
    pub reason: String,
}

impl From<&Job> for JobWire {
    fn from(job: &Job) -> Self {
        let (kind, source, paths) = match &job.target {
            JobTarget::Source(name) => ("sync", Some(name.clone()), Vec::new()),
            JobTarget::Paths(wanted) => {
                let name = |path: &String| path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned();
                ("ingest", None, wanted.paths.iter().map(name).collect())
            }
        };
        let failure = |failure: &vouch_domain::JobFailure| JobFailureWire {
            source: failure.source.clone(),
            reason: failure.sentence.clone(),
        };
        let progress = job.progress;
        Self {
            id: job.id.clone(),
            kind,
            source,
            paths,
            state: job.state.as_str(),
            is_cancelled: job.is_cancelled,
            progress: JobProgressWire {
                seen: progress.seen,
                total: progress.total,
                added: progress.added,
                updated: progress.updated,
                unchanged: progress.unchanged,
                renamed: progress.renamed,
                removed: progress.removed,
                failed: progress.failed,
            },
            failures: job.failures.iter().map(failure).collect(),
            error: job.error.clone(),
            attempts: job.attempts,
            next_try: job.next_try_ms.map(timestamp),
            asked_by: job.asked_by.clone(),
            asked: timestamp(job.asked_ms),
            started: job.started_ms.map(timestamp),
            ended: job.ended_ms.map(timestamp),
        }
    }
}
