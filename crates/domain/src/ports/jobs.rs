//! The queue of background jobs: asked for by anybody, worked off by whoever holds the store.

use async_trait::async_trait;

use crate::{
    error::PortError,
    job::{Job, JobFailure, JobOutcome, JobProgress, JobTarget, NewJob},
};

/// A job that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enqueued {
    /// It is in the queue now.
    New(Job),
    /// The same was asked for before and is not over yet.
    Already(Job),
}

impl Enqueued {
    /// The job, whoever asked for it first.
    #[must_use]
    pub fn into_job(self) -> Job {
        match self {
            Self::New(job) | Self::Already(job) => job,
        }
    }
}

/// A worker's hold on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLease {
    /// The job.
    pub id: String,
    /// Who works on it.
    pub worker: String,
    /// Until when nobody else may take it, in milliseconds since 1970.
    pub until_ms: u64,
}

/// What a worker learns when it says how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWish {
    /// Go on.
    GoOn,
    /// Somebody wants the job stopped.
    Stop,
    /// The job is no longer this worker's.
    Lost,
}

/// Keeps jobs. Times are milliseconds since 1970. A tenant of `None` means whoever may see all of them.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Puts a job in the queue, unless one with the same target of the same tenant is not over yet.
    async fn enqueue(&self, job: &NewJob, now_ms: u64) -> Result<Enqueued, PortError>;

    /// The newest jobs first.
    async fn list(&self, tenant: Option<&str>, limit: usize) -> Result<Vec<Job>, PortError>;

    /// One job; none if it is another tenant's.
    async fn find(&self, tenant: Option<&str>, id: &str) -> Result<Option<Job>, PortError>;

    /// The newest job with this target.
    async fn latest(&self, tenant: &str, target: &JobTarget) -> Result<Option<Job>, PortError>;

    /// Stops a job: at once where nobody works on it, and otherwise at its next step. One that is over stays as it is.
    async fn cancel(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError>;

    /// Lets a job be tried again now, with all its attempts, unless it runs or waits for a worker already. Fails as invalid
    /// where another job with the same target is not over yet.
    async fn retry(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError>;

    /// Takes the job that is due longest: one that waits for a worker, or for its next try, or whose worker's lease is over.
    /// Of all who try at once one gets it.
    async fn claim(&self, worker: &str, now_ms: u64, until_ms: u64) -> Result<Option<Job>, PortError>;

    /// Says how far a job has come and keeps it until the lease's end.
    async fn report(
        &self,
        lease: &JobLease,
        progress: &JobProgress,
        failures: &[JobFailure],
    ) -> Result<JobWish, PortError>;

    /// Ends an attempt, unless the job is no longer this worker's; whether it was.
    async fn finish(&self, lease: &JobLease, outcome: &JobOutcome, now_ms: u64) -> Result<bool, PortError>;

    /// Ends every lease: for whoever knows that no other worker lives.
    async fn end_leases(&self, now_ms: u64) -> Result<(), PortError>;
}
