//! Background jobs, in a file of their own, behind the `Jobs` port.
//!
//! Invariant: of all who claim a job at once, in any process, one gets it; what a worker says of a job that is no longer its
//! own changes nothing. The folder need not be held, so that commands put jobs in the queue while a server runs. Nothing else
//! depends on the file: where it is damaged it may be deleted.

mod statements;
pub(crate) mod stored;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use vouch_domain::{
    Fault, Job, JobFailure, JobOutcome, JobProgress, JobState, JobTarget, NewJob, PortError,
    ports::{Enqueued, JobLease, JobWish, Jobs},
};

use super::{
    blocking::blocking,
    files::{close_database, own_folder},
    schema,
};
use stored::{OPEN_MAX, PORT, new_id, queue_is_full, target_is_taken, target_text, unwritable};

const FILE: &str = "jobs.db";
/// How long another process is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The jobs of one data folder; several processes may have it open at once.
pub struct EmbeddedJobs {
    kept: Arc<Kept>,
}

/// The file, and the one connection this process has to it.
struct Kept {
    path: PathBuf,
    connection: Mutex<Connection>,
    kept_max: usize,
}

impl EmbeddedJobs {
    /// Opens the jobs of a folder, or begins with none; the folder need not be held. Of those that are over this many are kept.
    ///
    /// # Errors
    /// Fails if the file is damaged, or cannot be read or written.
    pub fn open(folder: &Path, kept_max: usize) -> Result<Self, PortError> {
        own_folder(folder)?;
        let path = folder.join(FILE);
        let connection = connect(&path)?;
        Ok(Self { kept: Arc::new(Kept { path, connection: Mutex::new(connection), kept_max }) })
    }

    /// Runs work in a transaction, away from the threads that answer.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let kept = Arc::clone(&self.kept);
        blocking(PORT, move || {
            let mut connection = kept.connection.lock().unwrap_or_else(PoisonError::into_inner);
            let outcome =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
                    let outcome = work(&transaction)?;
                    transaction.commit()?;
                    Ok(outcome)
                });
            outcome.map_err(|error| fault(&kept.path, error))
        })
        .await
    }
}

#[async_trait]
impl Jobs for EmbeddedJobs {
    async fn enqueue(&self, job: &NewJob, now_ms: u64) -> Result<Enqueued, PortError> {
        let target = target_text(&job.target)?;
        let (job, id, kept_max) = (job.clone(), new_id()?, self.kept.kept_max);
        let enqueued = self.run(move |transaction| {
            if let Some(already) = statements::open(transaction, &job.tenant, &target)? {
                return Ok(Some(Enqueued::Already(already)));
            }
            let open: usize =
                transaction.query_row("SELECT count(*) FROM jobs WHERE ended_ms IS NULL", [], |row| row.get(0))?;
            if open >= OPEN_MAX {
                return Ok(None);
            }
            let sql = "INSERT INTO jobs (id, tenant, target, state, progress, failures, due_ms, asked_by, asked_ms)
                       VALUES (?1, ?2, ?3, 'queued', ?4, '[]', ?5, ?6, ?5)";
            let nothing = stored::progress_text(&JobProgress::default()).unwrap_or_default();
            let values = params![id, job.tenant, target, nothing, now_ms, job.asked_by];
            transaction.prepare_cached(sql)?.execute(values)?;
            statements::drop_old(transaction, kept_max)?;
            Ok(statements::find(transaction, None, &id)?.map(Enqueued::New))
        });
        enqueued.await?.ok_or_else(queue_is_full)
    }

    async fn list(&self, tenant: Option<&str>, limit: usize) -> Result<Vec<Job>, PortError> {
        let tenant = tenant.map(str::to_owned);
        self.run(move |transaction| statements::list(transaction, tenant.as_deref(), limit)).await
    }

    async fn find(&self, tenant: Option<&str>, id: &str) -> Result<Option<Job>, PortError> {
        let (tenant, id) = (tenant.map(str::to_owned), id.to_owned());
        self.run(move |transaction| statements::find(transaction, tenant.as_deref(), &id)).await
    }

    async fn latest(&self, tenant: &str, target: &JobTarget) -> Result<Option<Job>, PortError> {
        let (tenant, target) = (tenant.to_owned(), target_text(target)?);
        self.run(move |transaction| statements::latest(transaction, &tenant, &target)).await
    }

    async fn cancel(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let (tenant, id) = (tenant.map(str::to_owned), id.to_owned());
        self.run(move |transaction| {
            if statements::find(transaction, tenant.as_deref(), &id)?.is_none() {
                return Ok(None);
            }
            statements::cancel(transaction, &id, now_ms)?;
            statements::find(transaction, None, &id)
        })
        .await
    }

    async fn retry(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let (tenant, id) = (tenant.map(str::to_owned), id.to_owned());
        let retried = self.run(move |transaction| {
            let Some(job) = statements::find(transaction, tenant.as_deref(), &id)? else { return Ok(Ok(None)) };
            let target = target_text(&job.target).unwrap_or_default();
            match statements::open(transaction, &job.tenant, &target)? {
                Some(other) if other.id != job.id => return Ok(Err(other.id)),
                Some(_) | None => {}
            }
            statements::retry(transaction, &id, now_ms)?;
            statements::find(transaction, None, &id).map(Ok)
        });
        retried.await?.map_err(|other| target_is_taken(&other))
    }

    async fn claim(&self, worker: &str, now_ms: u64, until_ms: u64) -> Result<Option<Job>, PortError> {
        let worker = worker.to_owned();
        self.run(move |transaction| statements::claim(transaction, &worker, now_ms, until_ms)).await
    }

    async fn report(
        &self,
        lease: &JobLease,
        progress: &JobProgress,
        failures: &[JobFailure],
    ) -> Result<JobWish, PortError> {
        let wrong = |error: serde_json::Error| unwritable(&error);
        let progress = stored::progress_text(progress).map_err(wrong)?;
        let (lease, failures) = (lease.clone(), stored::failures_text(failures).map_err(wrong)?);
        let kept = self.run(move |transaction| statements::report(transaction, &lease, &progress, &failures)).await?;
        Ok(match kept {
            None => JobWish::Lost,
            Some(true) => JobWish::Stop,
            Some(false) => JobWish::GoOn,
        })
    }

    async fn finish(&self, lease: &JobLease, outcome: &JobOutcome, now_ms: u64) -> Result<bool, PortError> {
        let (lease, outcome) = (lease.clone(), outcome.clone());
        self.run(move |transaction| statements::finish(transaction, &lease, &outcome, now_ms)).await
    }

    async fn end_leases(&self, now_ms: u64) -> Result<(), PortError> {
        self.run(move |transaction| {
            let sql = "UPDATE jobs SET until_ms = ?1, worker = NULL WHERE state = ?2";
            transaction.prepare_cached(sql)?.execute(params![now_ms, JobState::Running.as_str()]).map(drop)
        })
        .await
    }
}

fn connect(path: &Path) -> Result<Connection, PortError> {
    let wrong = |error| fault(path, error);
    let mut connection = Connection::open(path).map_err(wrong)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(wrong)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)?;
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(wrong)?;
    if verdict != "ok" {
        return Err(damaged(path, &verdict));
    }
    let found = schema::migrate(&mut connection, schema::JOBS).map_err(wrong)?;
    if found > schema::JOBS.len() {
        let sentence = format!("{} was written by a newer version of vouch", path.display());
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    close_database(path);
    Ok(connection)
}

fn fault(path: &Path, error: rusqlite::Error) -> PortError {
    if let rusqlite::Error::FromSqlConversionFailure(..) = error {
        return damaged(path, &error.to_string()).with_source(error);
    }
    let (kind, sentence) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            return damaged(path, &error.to_string()).with_source(error);
        }
        Some(ErrorCode::DiskFull) => (Fault::Full, "no room left on the disk; the job was not kept".to_owned()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Fault::Held, "another process is using the jobs".to_owned())
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            (Fault::Unavailable, format!("{} cannot be opened or written", path.display()))
        }
        _ => (Fault::Internal, format!("the jobs cannot be kept ({error})")),
    };
    PortError::new(PORT, kind, sentence).with_source(error)
}

fn damaged(path: &Path, what: &str) -> PortError {
    let sentence = format!(
        "{} is damaged ({what}). It contains only background jobs: the file may be deleted, and they have to be \
         requested again",
        path.display()
    );
    PortError::new(PORT, Fault::Corrupt, sentence)
}
