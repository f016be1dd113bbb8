//! Jobs ↔ the rows and the JSON they are kept as.

use std::collections::BTreeSet;

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use vouch_domain::{Fault, Job, JobFailure, JobOutcome, JobPaths, JobProgress, JobState, JobTarget, PortError};

/// Every column of a job, in the order `row` reads them.
pub(crate) const COLUMNS: &str = "id, tenant, target, state, is_cancelled, progress, failures, error, attempts, due_ms, \
                                  asked_by, asked_ms, started_ms, ended_ms";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredTarget {
    Source(String),
    Paths(StoredPaths),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPaths {
    paths: Vec<String>,
    collection: Option<String>,
    kind: Option<String>,
    tags: BTreeSet<String>,
    opens: bool,
    prunes: bool,
    /// Jobs of an earlier version have no word on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    prunes_many: bool,
    follows_links: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredProgress {
    seen: u64,
    total: Option<u64>,
    added: u64,
    updated: u64,
    unchanged: u64,
    renamed: u64,
    removed: u64,
    failed: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFailure {
    source: String,
    sentence: String,
}

pub(crate) const PORT: &str = "jobs";
/// The largest target, and how many jobs may wait at once.
const TARGET_BYTES_MAX: usize = 256 * 1024;
pub(crate) const OPEN_MAX: usize = 1_000;

/// A target as text; the same target is always the same text.
pub(crate) fn target_text(target: &JobTarget) -> Result<String, PortError> {
    let text = written(target).map_err(|error| unwritable(&error))?;
    if text.len() > TARGET_BYTES_MAX {
        let sentence = format!("a job cannot be kept: its paths have more than {TARGET_BYTES_MAX} bytes");
        return Err(PortError::new(PORT, Fault::Invalid, sentence));
    }
    Ok(text)
}

pub(crate) fn unwritable(error: &serde_json::Error) -> PortError {
    PortError::new(PORT, Fault::Internal, format!("a job cannot be kept ({error})"))
}

pub(crate) fn queue_is_full() -> PortError {
    let sentence = format!("{OPEN_MAX} jobs are already waiting; cancel some, or wait until they are done");
    PortError::new(PORT, Fault::Invalid, sentence)
}

pub(crate) fn target_is_taken(other: &str) -> PortError {
    PortError::new(PORT, Fault::Invalid, format!("job {other} is already doing the same"))
}

pub(crate) fn new_id() -> Result<String, PortError> {
    let mut bytes = [0; 6];
    let failed = |error| PortError::new(PORT, Fault::Internal, format!("no random number for a job ({error})"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What becomes of a job when an attempt has ended.
pub(crate) struct Ending<'a> {
    pub(crate) state: JobState,
    pub(crate) error: Option<&'a str>,
    pub(crate) due_ms: u64,
    /// Attempts that are given back.
    pub(crate) attempts_back: u32,
    pub(crate) ended_ms: Option<u64>,
}

impl<'a> Ending<'a> {
    pub(crate) fn of(outcome: &'a JobOutcome, now_ms: u64) -> Self {
        let (state, error, due_ms, attempts_back) = match outcome {
            JobOutcome::Done => (JobState::Done, None, now_ms, 0),
            JobOutcome::Cancelled => (JobState::Cancelled, None, now_ms, 0),
            JobOutcome::PutBack => (JobState::Queued, None, now_ms, 1),
            JobOutcome::Failed { sentence, next_try_ms: Some(at_ms) } => {
                (JobState::Waiting, Some(sentence.as_str()), *at_ms, 0)
            }
            JobOutcome::Failed { sentence, next_try_ms: None } => {
                (JobState::Failed, Some(sentence.as_str()), now_ms, 0)
            }
        };
        Self { state, error, due_ms, attempts_back, ended_ms: state.is_over().then_some(now_ms) }
    }
}

fn written(target: &JobTarget) -> Result<String, serde_json::Error> {
    serde_json::to_string(&match target.clone() {
        JobTarget::Source(name) => StoredTarget::Source(name),
        JobTarget::Paths(JobPaths { paths, collection, kind, tags, opens, prunes, prunes_many, follows_links }) => {
            let wanted = StoredPaths { paths, collection, kind, tags, opens, prunes, prunes_many, follows_links };
            StoredTarget::Paths(wanted)
        }
    })
}

pub(crate) fn progress_text(progress: &JobProgress) -> Result<String, serde_json::Error> {
    let JobProgress { seen, total, added, updated, unchanged, renamed, removed, failed } = *progress;
    serde_json::to_string(&StoredProgress { seen, total, added, updated, unchanged, renamed, removed, failed })
}

pub(crate) fn failures_text(failures: &[JobFailure]) -> Result<String, serde_json::Error> {
    let kept = failures.iter().take(JobFailure::KEPT_MAX);
    let kept = kept.map(|one| StoredFailure { source: one.source.clone(), sentence: one.sentence.clone() });
    serde_json::to_string(&kept.collect::<Vec<_>>())
}

/// The columns of a job, as they were read.
pub(crate) struct StoredJob {
    pub(crate) id: String,
    pub(crate) tenant: String,
    pub(crate) target: String,
    pub(crate) state: String,
    pub(crate) is_cancelled: bool,
    pub(crate) progress: String,
    pub(crate) failures: String,
    pub(crate) error: Option<String>,
    pub(crate) attempts: u32,
    pub(crate) due_ms: u64,
    pub(crate) asked_by: String,
    pub(crate) asked_ms: u64,
    pub(crate) started_ms: Option<u64>,
    pub(crate) ended_ms: Option<u64>,
}

impl StoredJob {
    /// The job; an error says what is damaged.
    pub(crate) fn read(self) -> Result<Job, String> {
        let state = JobState::parse(&self.state).ok_or("an unknown state")?;
        let told = |error: serde_json::Error| error.to_string();
        Ok(Job {
            target: target_of(&self.target).map_err(told)?,
            progress: progress_of(&self.progress).map_err(told)?,
            failures: failures_of(&self.failures).map_err(told)?,
            id: self.id,
            tenant: self.tenant,
            state,
            is_cancelled: self.is_cancelled,
            error: self.error,
            attempts: self.attempts,
            next_try_ms: (state == JobState::Waiting).then_some(self.due_ms),
            asked_by: self.asked_by,
            asked_ms: self.asked_ms,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
        })
    }
}

/// The job of a row; an error of this kind says that the row is damaged.
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let stored = StoredJob {
        id: row.get(0)?,
        tenant: row.get(1)?,
        target: row.get(2)?,
        state: row.get(3)?,
        is_cancelled: row.get(4)?,
        progress: row.get(5)?,
        failures: row.get(6)?,
        error: row.get(7)?,
        attempts: row.get(8)?,
        due_ms: row.get(9)?,
        asked_by: row.get(10)?,
        asked_ms: row.get(11)?,
        started_ms: row.get(12)?,
        ended_ms: row.get(13)?,
    };
    let unreadable =
        |what: String| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, what.into());
    stored.read().map_err(unreadable)
}

fn target_of(text: &str) -> Result<JobTarget, serde_json::Error> {
    Ok(match serde_json::from_str(text)? {
        StoredTarget::Source(name) => JobTarget::Source(name),
        StoredTarget::Paths(wanted) => {
            let StoredPaths { paths, collection, kind, tags, opens, prunes, prunes_many, follows_links } = wanted;
            JobTarget::Paths(JobPaths { paths, collection, kind, tags, opens, prunes, prunes_many, follows_links })
        }
    })
}

fn progress_of(text: &str) -> Result<JobProgress, serde_json::Error> {
    let StoredProgress { seen, total, added, updated, unchanged, renamed, removed, failed } =
        serde_json::from_str(text)?;
    Ok(JobProgress { seen, total, added, updated, unchanged, renamed, removed, failed })
}

fn failures_of(text: &str) -> Result<Vec<JobFailure>, serde_json::Error> {
    let stored: Vec<StoredFailure> = serde_json::from_str(text)?;
    Ok(stored.into_iter().map(|one| JobFailure { source: one.source, sentence: one.sentence }).collect())
}
