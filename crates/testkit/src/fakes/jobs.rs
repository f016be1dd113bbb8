//! A queue of jobs in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use vouch_domain::{
    Fault, Job, JobFailure, JobOutcome, JobProgress, JobState, JobTarget, NewJob, PortError,
    ports::{Enqueued, JobLease, JobWish, Jobs},
};

/// Jobs that are forgotten when it is dropped, oldest first.
#[derive(Debug, Default)]
pub struct FakeJobs {
    kept: Mutex<Vec<Held>>,
}

#[derive(Debug)]
struct Held {
    job: Job,
    due_ms: u64,
    worker: Option<String>,
    until_ms: u64,
}

impl Held {
    fn is_of(&self, tenant: Option<&str>, id: &str) -> bool {
        self.job.id == id && tenant.is_none_or(|tenant| tenant == self.job.tenant)
    }

    fn is_open(&self, tenant: &str, target: &JobTarget) -> bool {
        !self.job.state.is_over() && self.job.tenant == tenant && self.job.target == *target
    }

    fn is_held_by(&self, lease: &JobLease) -> bool {
        self.job.id == lease.id
            && self.job.state == JobState::Running
            && self.worker.as_deref() == Some(lease.worker.as_str())
    }
}

impl FakeJobs {
    fn kept(&self) -> MutexGuard<'_, Vec<Held>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Jobs for FakeJobs {
    async fn enqueue(&self, job: &NewJob, now_ms: u64) -> Result<Enqueued, PortError> {
        let mut kept = self.kept();
        if let Some(held) = kept.iter().find(|held| held.is_open(&job.tenant, &job.target)) {
            return Ok(Enqueued::Already(held.job.clone()));
        }
        let job = Job {
            id: format!("job{}", kept.len()),
            tenant: job.tenant.clone(),
            target: job.target.clone(),
            state: JobState::Queued,
            is_cancelled: false,
            progress: JobProgress::default(),
            failures: Vec::new(),
            error: None,
            attempts: 0,
            next_try_ms: None,
            asked_by: job.asked_by.clone(),
            asked_ms: now_ms,
            started_ms: None,
            ended_ms: None,
        };
        kept.push(Held { job: job.clone(), due_ms: now_ms, worker: None, until_ms: 0 });
        Ok(Enqueued::New(job))
    }

    async fn list(&self, tenant: Option<&str>, limit: usize) -> Result<Vec<Job>, PortError> {
        let kept = self.kept();
        let newest = kept.iter().rev().map(|held| &held.job);
        Ok(newest.filter(|job| tenant.is_none_or(|tenant| tenant == job.tenant)).take(limit).cloned().collect())
    }

    async fn find(&self, tenant: Option<&str>, id: &str) -> Result<Option<Job>, PortError> {
        Ok(self.kept().iter().find(|held| held.is_of(tenant, id)).map(|held| held.job.clone()))
    }

    async fn latest(&self, tenant: &str, target: &JobTarget) -> Result<Option<Job>, PortError> {
        let is_it = |job: &&Job| job.tenant == tenant && job.target == *target;
        Ok(self.kept().iter().rev().map(|held| &held.job).find(is_it).cloned())
    }

    async fn cancel(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let mut kept = self.kept();
        let Some(held) = kept.iter_mut().find(|held| held.is_of(tenant, id)) else { return Ok(None) };
        let job = &mut held.job;
        if !job.state.is_over() {
            job.is_cancelled = true;
            if job.state != JobState::Running {
                (job.state, job.ended_ms, job.next_try_ms) = (JobState::Cancelled, Some(now_ms), None);
            }
        }
        Ok(Some(job.clone()))
    }

    async fn retry(&self, tenant: Option<&str>, id: &str, now_ms: u64) -> Result<Option<Job>, PortError> {
        let mut kept = self.kept();
        let Some(job) = kept.iter().find(|held| held.is_of(tenant, id)).map(|held| held.job.clone()) else {
            return Ok(None);
        };
        if kept.iter().any(|held| held.job.id != id && held.is_open(&job.tenant, &job.target)) {
            return Err(PortError::new("jobs", Fault::Invalid, "another job does the same already"));
        }
        let Some(held) = kept.iter_mut().find(|held| held.job.id == id) else { return Ok(None) };
        if !matches!(held.job.state, JobState::Queued | JobState::Running) {
            (held.job.state, held.job.attempts, held.job.is_cancelled) = (JobState::Queued, 0, false);
            (held.job.ended_ms, held.job.next_try_ms, held.due_ms) = (None, None, now_ms);
        }
        Ok(Some(held.job.clone()))
    }

    async fn claim(&self, worker: &str, now_ms: u64, until_ms: u64) -> Result<Option<Job>, PortError> {
        let mut kept = self.kept();
        for held in kept.iter_mut() {
            if held.job.state == JobState::Running && held.until_ms <= now_ms && held.job.is_cancelled {
                (held.job.state, held.job.ended_ms) = (JobState::Cancelled, Some(now_ms));
            }
        }
        let is_due = |held: &&mut Held| {
            let is_free = held.job.state != JobState::Running || held.until_ms <= now_ms;
            !held.job.state.is_over() && held.due_ms <= now_ms && is_free
        };
        let Some(held) = kept.iter_mut().filter(is_due).min_by_key(|held| held.due_ms) else { return Ok(None) };
        (held.worker, held.until_ms) = (Some(worker.to_owned()), until_ms);
        let job = &mut held.job;
        (job.state, job.started_ms, job.next_try_ms) = (JobState::Running, Some(now_ms), None);
        (job.progress, job.failures) = (JobProgress::default(), Vec::new());
        job.attempts += 1;
        Ok(Some(job.clone()))
    }

    async fn report(
        &self,
        lease: &JobLease,
        progress: &JobProgress,
        failures: &[JobFailure],
    ) -> Result<JobWish, PortError> {
        let mut kept = self.kept();
        let Some(held) = kept.iter_mut().find(|held| held.is_held_by(lease)) else { return Ok(JobWish::Lost) };
        held.until_ms = lease.until_ms;
        (held.job.progress, held.job.failures) = (*progress, failures.to_vec());
        Ok(if held.job.is_cancelled { JobWish::Stop } else { JobWish::GoOn })
    }

    async fn finish(&self, lease: &JobLease, outcome: &JobOutcome, now_ms: u64) -> Result<bool, PortError> {
        let mut kept = self.kept();
        let Some(held) = kept.iter_mut().find(|held| held.is_held_by(lease)) else { return Ok(false) };
        let job = &mut held.job;
        (job.error, job.next_try_ms, held.due_ms, held.worker) = (None, None, now_ms, None);
        job.state = match outcome {
            JobOutcome::Done => JobState::Done,
            JobOutcome::Cancelled => JobState::Cancelled,
            JobOutcome::PutBack => {
                job.attempts = job.attempts.saturating_sub(1);
                JobState::Queued
            }
            JobOutcome::Failed { sentence, next_try_ms } => {
                (job.error, job.next_try_ms) = (Some(sentence.clone()), *next_try_ms);
                held.due_ms = next_try_ms.unwrap_or(now_ms);
                if next_try_ms.is_some() { JobState::Waiting } else { JobState::Failed }
            }
        };
        job.ended_ms = job.state.is_over().then_some(now_ms);
        Ok(true)
    }

    async fn end_leases(&self, now_ms: u64) -> Result<(), PortError> {
        for held in self.kept().iter_mut().filter(|held| held.job.state == JobState::Running) {
            (held.until_ms, held.worker) = (now_ms, None);
        }
        Ok(())
    }
}
