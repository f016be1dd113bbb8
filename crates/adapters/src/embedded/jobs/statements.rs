//! The statements of the queue, each in the caller's transaction.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use vouch_domain::{Job, JobOutcome, ports::JobLease};

use super::stored::{COLUMNS, Ending, row};

const NOT_OVER: &str = "ended_ms IS NULL";

pub(super) fn list(connection: &Connection, tenant: Option<&str>, limit: usize) -> rusqlite::Result<Vec<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE ?1 IS NULL OR tenant = ?1 ORDER BY number DESC LIMIT ?2");
    connection.prepare_cached(&sql)?.query_map(params![tenant, limit], row)?.collect()
}

pub(super) fn find(connection: &Connection, tenant: Option<&str>, id: &str) -> rusqlite::Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?2 AND (?1 IS NULL OR tenant = ?1)");
    connection.prepare_cached(&sql)?.query_row(params![tenant, id], row).optional()
}

pub(super) fn latest(connection: &Connection, tenant: &str, target: &str) -> rusqlite::Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE tenant = ?1 AND target = ?2 ORDER BY number DESC LIMIT 1");
    connection.prepare_cached(&sql)?.query_row(params![tenant, target], row).optional()
}

/// The job with a target that is not over, if there is one.
pub(super) fn open(connection: &Connection, tenant: &str, target: &str) -> rusqlite::Result<Option<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE tenant = ?1 AND target = ?2 AND {NOT_OVER}");
    connection.prepare_cached(&sql)?.query_row(params![tenant, target], row).optional()
}

pub(super) fn cancel(transaction: &Transaction<'_>, id: &str, now_ms: u64) -> rusqlite::Result<()> {
    let sql = format!(
        "UPDATE jobs SET is_cancelled = 1, ended_ms = CASE state WHEN 'running' THEN NULL ELSE ?2 END,
                state = CASE state WHEN 'running' THEN 'running' ELSE 'cancelled' END
         WHERE id = ?1 AND {NOT_OVER}"
    );
    transaction.prepare_cached(&sql)?.execute(params![id, now_ms]).map(drop)
}

pub(super) fn retry(transaction: &Transaction<'_>, id: &str, now_ms: u64) -> rusqlite::Result<()> {
    let sql =
        "UPDATE jobs SET state = 'queued', is_cancelled = 0, attempts = 0, due_ms = ?2, worker = NULL, until_ms = 0,
                      ended_ms = NULL WHERE id = ?1 AND state NOT IN ('queued', 'running')";
    transaction.prepare_cached(sql)?.execute(params![id, now_ms]).map(drop)
}

/// The id of the job that is due longest, marked as this worker's.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    worker: &str,
    now_ms: u64,
    until_ms: u64,
) -> rusqlite::Result<Option<Job>> {
    // A job whose worker died after somebody wanted it stopped is not begun again.
    let stopped = format!(
        "UPDATE jobs SET state = 'cancelled', ended_ms = ?1
         WHERE {NOT_OVER} AND state = 'running' AND until_ms <= ?1 AND is_cancelled = 1"
    );
    transaction.prepare_cached(&stopped)?.execute([now_ms])?;
    let due = format!(
        "SELECT id FROM jobs WHERE {NOT_OVER} AND due_ms <= ?1 AND (state <> 'running' OR until_ms <= ?1)
         ORDER BY due_ms, number LIMIT 1"
    );
    let Some(id) = transaction.prepare_cached(&due)?.query_row([now_ms], |row| row.get::<_, String>(0)).optional()?
    else {
        return Ok(None);
    };
    let take =
        "UPDATE jobs SET state = 'running', worker = ?2, until_ms = ?3, started_ms = ?4, attempts = attempts + 1,
                       progress = ?5, failures = '[]' WHERE id = ?1";
    let nothing = super::stored::progress_text(&vouch_domain::JobProgress::default()).unwrap_or_default();
    transaction.prepare_cached(take)?.execute(params![id, worker, until_ms, now_ms, nothing])?;
    find(transaction, None, &id)
}

/// Keeps what a worker reports; whether the job is its own, and whether somebody wants it stopped.
pub(super) fn report(
    transaction: &Transaction<'_>,
    lease: &JobLease,
    progress: &str,
    failures: &str,
) -> rusqlite::Result<Option<bool>> {
    let sql = "UPDATE jobs SET until_ms = ?3, progress = ?4, failures = ?5
               WHERE id = ?1 AND worker = ?2 AND state = 'running' RETURNING is_cancelled";
    let values = params![lease.id, lease.worker, lease.until_ms, progress, failures];
    transaction.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()
}

pub(super) fn finish(
    transaction: &Transaction<'_>,
    lease: &JobLease,
    outcome: &JobOutcome,
    now_ms: u64,
) -> rusqlite::Result<bool> {
    let Ending { state, error, due_ms, attempts_back, ended_ms } = Ending::of(outcome, now_ms);
    let sql = "UPDATE jobs SET state = ?3, error = ?4, due_ms = ?5, attempts = max(attempts - ?6, 0), ended_ms = ?7,
                      worker = NULL, until_ms = 0 WHERE id = ?1 AND worker = ?2 AND state = 'running'";
    let values = params![lease.id, lease.worker, state.as_str(), error, due_ms, attempts_back, ended_ms];
    Ok(transaction.prepare_cached(sql)?.execute(values)? > 0)
}

/// Drops the oldest jobs that are over; the newest of each target stays, since the next one depends on when that was.
pub(super) fn drop_old(transaction: &Transaction<'_>, kept_max: usize) -> rusqlite::Result<()> {
    let sql = "DELETE FROM jobs WHERE ended_ms IS NOT NULL
               AND number NOT IN (SELECT number FROM jobs WHERE ended_ms IS NOT NULL ORDER BY number DESC LIMIT ?1)
               AND EXISTS (SELECT 1 FROM jobs newer WHERE newer.tenant = jobs.tenant AND newer.target = jobs.target
                           AND newer.number > jobs.number)";
    transaction.prepare_cached(sql)?.execute([kept_max]).map(drop)
}
