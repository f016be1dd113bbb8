//! Background jobs of all nodes, behind the `Jobs` port.
//!
//! Invariant: of all who claim a job at once, on any node, one gets it, and nobody waits for another; what a worker says of a job
//! that is no longer its own changes nothing. Leases are told by the nodes' clocks, which must not be further apart than
//! a lease is long.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use tokio_postgres::{Row, types::ToSql};
use vouch_domain::{
    Fault, Job, JobFailure, JobOutcome, JobProgress, JobTarget, NewJob, PortError,
    ports::{Enqueued, JobLease, JobWish, Jobs},
};

use super::{
    PostgresDatabase,
    fault::fault,
    server::Server,
    tenant::{ALL, begin, signed, unsigned},
};
use crate::embedded::jobs::stored::{
    COLUMNS, Ending, OPEN_MAX, PORT, StoredJob, failures_text, new_id, progress_text, queue_is_full, target_is_taken,
    target_text, unwritable,
};

/// The queue of all nodes.
pub struct PostgresJobs {
    server: Arc<Server>,
    kept_max: usize,
}

impl PostgresDatabase {
    /// The jobs; of those that are over this many are kept.
    #[must_use]
    pub fn jobs(&self, kept_max: usize) -> PostgresJobs {
        PostgresJobs { server: Arc::clone(&self.server), kept_max }
    }
}

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

#[async_trait]
impl Jobs for PostgresJobs {
    async fn enqueue(&self, job: &NewJob, now_ms: u64) -> Result<Enqueued, PortError> {
        let (target, id, job) = (target_text(&job.target)?, new_id()?, job.clone());
        let nothing = progress_text(&JobProgress::default()).map_err(|error| unwritable(&error))?;
        let (server, kept_max) = (Arc::clone(&self.server), i64::try_from(self.kept_max).unwrap_or(i64::MAX));
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql =
                    "INSERT INTO vouch.jobs (id, tenant, target, state, progress, failures, due_ms, asked_by, asked_ms)
                           SELECT $1, $2, $3, 'queued', $4, '[]', $5, $6, $5
                           WHERE (SELECT count(*) FROM vouch.jobs WHERE ended_ms IS NULL) < $7
                           ON CONFLICT (tenant, md5(target)) WHERE ended_ms IS NULL DO NOTHING";
                let open_max = i64::try_from(OPEN_MAX).unwrap_or(i64::MAX);
                let values: Parameters<'_> =
                    &[&id, &job.tenant, &target, &nothing, &signed(now_ms), &job.asked_by, &open_max];
                let added = transaction.execute(sql, values).await.map_err(fault)?;
                let enqueued = if added == 0 {
                    let already = open(&transaction, &job.tenant, &target).await?;
                    Enqueued::Already(already.ok_or_else(queue_is_full)?)
                } else {
                    drop_old(&transaction, kept_max).await?;
                    let new = find(&transaction, None, &id).await?;
                    Enqueued::New(new.ok_or_else(|| damaged("a job that was just kept is gone"))?)
                };
                transaction.commit().await.map_err(fault)?;
                Ok(enqueued)
            })
            .await
    }

    async fn list(&self, tenant: Option<&str>, limit: usize) -> Result<Vec<Job>, PortError> {
        let (server, tenant) = (Arc::clone(&self.server), tenant.map(str::to_owned));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, tenant.as_deref().unwrap_or(ALL)).await?;
                let sql = format!(
                    "SELECT {COLUMNS} FROM vouch.jobs WHERE $1::text IS NULL OR tenant = $1 ORDER BY number DESC LIMIT $2"
                );
                let rows = transaction.query(&sql, &[&tenant, &limit]).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                rows.iter().map(job_of).collect()
            })
            .await
    }

    async fn find(&self, tenant: Option<&str>, id: &str) -> Result<Option<Job>, PortError> {
        let (server, tenant, id) = (Arc::clone(&self.server), tenant.map(str::to_owned), id.to_owned());
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, tenant.as_deref().unwrap_or(ALL)).await?;
                let found = find(&transaction, tenant.as_deref(), &id).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(found)
            })
            .await
    }

    async fn latest(&self, tenant: &str, target: &JobTarget) -> Result<Option<Job>, PortError> {
        let (server, tenant, target) = (Arc::clone(&self.server), tenant.to_owned(), target_text(target)?);
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, &tenant).await?;
                let sql = format!(
                    "SELECT {COLUMNS} FROM vouch.jobs WHERE tenant = $1 AND md5(target) = md5($2) AND target = $2
                     ORDER BY number DESC LIMIT 1"
                );
                let found = one(&transaction, &sql, &[&tenant, &target]).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(found)
            })
            .await
    }

    async fn cancel(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let (server, tenant, id) = (Arc::clone(&self.server), tenant.map(str::to_owned), id.to_owned());
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, tenant.as_deref().unwrap_or(ALL)).await?;
                let sql = "UPDATE vouch.jobs SET is_cancelled = true,
                                  ended_ms = CASE state WHEN 'running' THEN NULL ELSE $3::bigint END,
                                  state = CASE state WHEN 'running' THEN 'running' ELSE 'cancelled' END
                           WHERE id = $1 AND ended_ms IS NULL AND ($2::text IS NULL OR tenant = $2)";
                transaction.execute(sql, &[&id, &tenant, &signed(now_ms)]).await.map_err(fault)?;
                let found = find(&transaction, tenant.as_deref(), &id).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(found)
            })
            .await
    }

    async fn retry(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let (server, tenant, id) = (Arc::clone(&self.server), tenant.map(str::to_owned), id.to_owned());
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, tenant.as_deref().unwrap_or(ALL)).await?;
                let Some(job) = find(&transaction, tenant.as_deref(), &id).await? else { return Ok(None) };
                let target = target_text(&job.target)?;
                if let Some(other) = open(&transaction, &job.tenant, &target).await?.filter(|other| other.id != job.id)
                {
                    return Err(target_is_taken(&other.id));
                }
                let sql = "UPDATE vouch.jobs SET state = 'queued', is_cancelled = false, attempts = 0, due_ms = $2,
                                  worker = NULL, until_ms = 0, ended_ms = NULL
                           WHERE id = $1 AND state NOT IN ('queued', 'running')";
                transaction.execute(sql, &[&id, &signed(now_ms)]).await.map_err(fault)?;
                let found = find(&transaction, None, &id).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(found)
            })
            .await
    }

    async fn claim(&self, worker: &str, now_ms: u64, until_ms: u64) -> Result<Option<Job>, PortError> {
        let (server, worker) = (Arc::clone(&self.server), worker.to_owned());
        let nothing = progress_text(&JobProgress::default()).map_err(|error| unwritable(&error))?;
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                // A job whose worker died after somebody wanted it stopped is not begun again.
                let stopped = "UPDATE vouch.jobs SET state = 'cancelled', ended_ms = $1 WHERE number IN (
                                   SELECT number FROM vouch.jobs WHERE ended_ms IS NULL AND state = 'running'
                                   AND until_ms <= $1 AND is_cancelled FOR UPDATE SKIP LOCKED)";
                transaction.execute(stopped, &[&signed(now_ms)]).await.map_err(fault)?;
                let sql = format!(
                    "UPDATE vouch.jobs SET state = 'running', worker = $1, until_ms = $2, started_ms = $3,
                            attempts = attempts + 1, progress = $4, failures = '[]'
                     WHERE number = (SELECT number FROM vouch.jobs WHERE ended_ms IS NULL AND due_ms <= $3
                                     AND (state <> 'running' OR until_ms <= $3)
                                     ORDER BY due_ms, number LIMIT 1 FOR UPDATE SKIP LOCKED)
                     RETURNING {COLUMNS}"
                );
                let claimed = one(&transaction, &sql, &[&worker, &signed(until_ms), &signed(now_ms), &nothing]).await?;
                transaction.commit().await.map_err(fault)?;
                Ok(claimed)
            })
            .await
    }

    async fn report(
        &self,
        lease: &JobLease,
        progress: &JobProgress,
        failures: &[JobFailure],
    ) -> Result<JobWish, PortError> {
        let wrong = |error: serde_json::Error| unwritable(&error);
        let (progress, failures) = (progress_text(progress).map_err(wrong)?, failures_text(failures).map_err(wrong)?);
        let (server, lease) = (Arc::clone(&self.server), lease.clone());
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql = "UPDATE vouch.jobs SET progress = $4, failures = $5, until_ms = $3
                           WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING is_cancelled";
                let values: Parameters<'_> = &[&lease.id, &lease.worker, &signed(lease.until_ms), &progress, &failures];
                let row = transaction.query_opt(sql, values).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                Ok(match row.map(|row| row.get::<_, bool>(0)) {
                    None => JobWish::Lost,
                    Some(true) => JobWish::Stop,
                    Some(false) => JobWish::GoOn,
                })
            })
            .await
    }

    async fn finish(&self, lease: &JobLease, outcome: &JobOutcome, now_ms: u64) -> Result<bool, PortError> {
        let (server, lease, outcome) = (Arc::clone(&self.server), lease.clone(), outcome.clone());
        self.server
            .run(async move {
                let Ending { state, error, due_ms, attempts_back, ended_ms } = Ending::of(&outcome, now_ms);
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql =
                    "UPDATE vouch.jobs SET state = $3, error = $4, due_ms = $5, attempts = greatest(attempts - $6, 0),
                                  ended_ms = $7, worker = NULL, until_ms = 0
                           WHERE id = $1 AND worker = $2 AND state = 'running'";
                let (back, ended) = (i64::from(attempts_back), ended_ms.map(signed));
                let values: Parameters<'_> =
                    &[&lease.id, &lease.worker, &state.as_str(), &error, &signed(due_ms), &back, &ended];
                let changed = transaction.execute(sql, values).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                Ok(changed > 0)
            })
            .await
    }

    async fn end_leases(&self, now_ms: u64) -> Result<(), PortError> {
        let server = Arc::clone(&self.server);
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql = "UPDATE vouch.jobs SET until_ms = $1, worker = NULL WHERE state = 'running'";
                transaction.execute(sql, &[&signed(now_ms)]).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)
            })
            .await
    }
}

/// The job with a target that is not over, if there is one.
async fn open(transaction: &Transaction<'_>, tenant: &str, target: &str) -> Result<Option<Job>, PortError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM vouch.jobs
         WHERE tenant = $1 AND md5(target) = md5($2) AND target = $2 AND ended_ms IS NULL"
    );
    one(transaction, &sql, &[&tenant, &target]).await
}

async fn find(transaction: &Transaction<'_>, tenant: Option<&str>, id: &str) -> Result<Option<Job>, PortError> {
    let sql = format!("SELECT {COLUMNS} FROM vouch.jobs WHERE id = $2 AND ($1::text IS NULL OR tenant = $1)");
    one(transaction, &sql, &[&tenant, &id]).await
}

/// Drops the oldest jobs that are over; the newest of each target stays, since the next one depends on when that was.
async fn drop_old(transaction: &Transaction<'_>, kept_max: i64) -> Result<(), PortError> {
    let sql = "DELETE FROM vouch.jobs WHERE ended_ms IS NOT NULL
               AND number NOT IN (SELECT number FROM vouch.jobs WHERE ended_ms IS NOT NULL ORDER BY number DESC LIMIT $1)
               AND EXISTS (SELECT 1 FROM vouch.jobs newer WHERE newer.tenant = jobs.tenant
                           AND md5(newer.target) = md5(jobs.target) AND newer.number > jobs.number)";
    transaction.execute(sql, &[&kept_max]).await.map(drop).map_err(fault)
}

async fn one(transaction: &Transaction<'_>, sql: &str, values: Parameters<'_>) -> Result<Option<Job>, PortError> {
    let row = transaction.query_opt(sql, values).await.map_err(fault)?;
    row.as_ref().map(job_of).transpose()
}

fn job_of(row: &Row) -> Result<Job, PortError> {
    let stored = || -> Result<StoredJob, tokio_postgres::Error> {
        Ok(StoredJob {
            id: row.try_get(0)?,
            tenant: row.try_get(1)?,
            target: row.try_get(2)?,
            state: row.try_get(3)?,
            is_cancelled: row.try_get(4)?,
            progress: row.try_get(5)?,
            failures: row.try_get(6)?,
            error: row.try_get(7)?,
            attempts: u32::try_from(row.try_get::<_, i64>(8)?).unwrap_or(u32::MAX),
            due_ms: unsigned(row.try_get(9)?),
            asked_by: row.try_get(10)?,
            asked_ms: unsigned(row.try_get(11)?),
            started_ms: row.try_get::<_, Option<i64>>(12)?.map(unsigned),
            ended_ms: row.try_get::<_, Option<i64>>(13)?.map(unsigned),
        })
    };
    stored().map_err(fault)?.read().map_err(|what| damaged(&what))
}

fn damaged(what: &str) -> PortError {
    PortError::new(PORT, Fault::Corrupt, format!("a job is damaged in the database ({what})"))
}
