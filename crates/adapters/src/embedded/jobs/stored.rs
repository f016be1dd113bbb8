//! Jobs ↔ the rows and the JSON they are kept as.

use std::collections::BTreeSet;

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use vouch_domain::{Job, JobFailure, JobPaths, JobProgress, JobState, JobTarget};

/// Every column of a job, in the order `row` reads them.
pub(super) const COLUMNS: &str = "id, tenant, target, state, is_cancelled, progress, failures, error, attempts, due_ms, \
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

/// A target as text; the same target is always the same text.
pub(super) fn target_text(target: &JobTarget) -> Result<String, serde_json::Error> {
    serde_json::to_string(&match target.clone() {
        JobTarget::Source(name) => StoredTarget::Source(name),
        JobTarget::Paths(JobPaths { paths, collection, kind, tags, opens, prunes, follows_links }) => {
            StoredTarget::Paths(StoredPaths { paths, collection, kind, tags, opens, prunes, follows_links })
        }
    })
}

pub(super) fn progress_text(progress: &JobProgress) -> Result<String, serde_json::Error> {
    let JobProgress { seen, total, added, updated, unchanged, renamed, removed, failed } = *progress;
    serde_json::to_string(&StoredProgress { seen, total, added, updated, unchanged, renamed, removed, failed })
}

pub(super) fn failures_text(failures: &[JobFailure]) -> Result<String, serde_json::Error> {
    let kept = failures.iter().take(JobFailure::KEPT_MAX);
    let kept = kept.map(|one| StoredFailure { source: one.source.clone(), sentence: one.sentence.clone() });
    serde_json::to_string(&kept.collect::<Vec<_>>())
}

/// The job of a row; an error of this kind says that the row is damaged.
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let (target, state): (String, String) = (row.get(2)?, row.get(3)?);
    let (progress, failures): (String, String) = (row.get(5)?, row.get(6)?);
    let state = JobState::parse(&state).ok_or_else(|| unreadable(3, "an unknown state"))?;
    let due_ms: u64 = row.get(9)?;
    Ok(Job {
        id: row.get(0)?,
        tenant: row.get(1)?,
        target: target_of(&target).map_err(|error| unreadable(2, &error.to_string()))?,
        state,
        is_cancelled: row.get(4)?,
        progress: progress_of(&progress).map_err(|error| unreadable(5, &error.to_string()))?,
        failures: failures_of(&failures).map_err(|error| unreadable(6, &error.to_string()))?,
        error: row.get(7)?,
        attempts: row.get(8)?,
        next_try_ms: (state == JobState::Waiting).then_some(due_ms),
        asked_by: row.get(10)?,
        asked_ms: row.get(11)?,
        started_ms: row.get(12)?,
        ended_ms: row.get(13)?,
    })
}

fn unreadable(column: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, what.into())
}

fn target_of(text: &str) -> Result<JobTarget, serde_json::Error> {
    Ok(match serde_json::from_str(text)? {
        StoredTarget::Source(name) => JobTarget::Source(name),
        StoredTarget::Paths(StoredPaths { paths, collection, kind, tags, opens, prunes, follows_links }) => {
            JobTarget::Paths(JobPaths { paths, collection, kind, tags, opens, prunes, follows_links })
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
