//! The worker: takes jobs off the queue one after another, asks for those that are due, and ends when it is told to.
//!
//! Invariant: a job is under a lease while it runs and says how far it has come; where the process dies, the next one takes it
//! up. What is ended with the process is put back and costs no attempt.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{runtime::Handle, sync::Notify, task::JoinHandle, time::sleep};
use vouch_domain::{
    Job, JobOutcome, JobTarget, NewJob, PortError,
    ports::{Clock, DocumentSource, JobLease, JobWish, Jobs},
};
use vouch_engine::ingest::{Ingest, Progress};

use super::{
    attempt::{JobPolicy, OpenTarget, attempt, given_up},
    running::Running,
};

/// How often the queue and the watched sources are looked at.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(1);
/// How often a running job says how far it has come, and how long it stays its worker's without that.
const REPORTED_EVERY: Duration = Duration::from_millis(500);
const LEASE_MS: u64 = 60_000;
/// Who asks for jobs that are due.
const SCHEDULE: &str = "schedule";

/// A source that is looked at by itself.
pub struct Schedule {
    /// Its name.
    pub name: String,
    /// Whose documents it holds.
    pub tenant: String,
    /// How long after the last job the next one is due.
    pub every: Option<Duration>,
    /// The source itself, where its changes are followed as they come.
    pub watched: Option<Arc<dyn DocumentSource>>,
}

/// Everything a worker needs.
pub struct JobWorker {
    /// The queue.
    pub jobs: Arc<dyn Jobs>,
    /// The walk of a document.
    pub ingest: Ingest,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Finds the source of a job.
    pub open: OpenTarget,
    /// The sources that are looked at by themselves.
    pub schedules: Vec<Schedule>,
    /// How often a job is tried, and when.
    pub policy: JobPolicy,
    /// Whether no other worker has the queue, so that what runs in it when this one starts runs no more.
    pub is_alone: bool,
    /// The worker's name, which no other has.
    pub name: String,
}

/// A worker at work.
pub struct Worker {
    stop: Arc<Stop>,
    task: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    is_wanted: AtomicBool,
    told: Notify,
}

impl Worker {
    /// Begins to work.
    #[must_use]
    pub fn start(worker: JobWorker) -> Self {
        let stop = Arc::new(Stop::default());
        let told = Arc::clone(&stop);
        // A thread of its own: files are read and documents weighed between two waits, and whoever asks is answered by the
        // threads of the runtime.
        let runtime = Handle::current();
        let task = tokio::task::spawn_blocking(move || runtime.block_on(worker.work(&told)));
        Self { stop, task: Some(task) }
    }

    /// Asks it to end at its next step.
    pub fn stop(&self) {
        self.stop.is_wanted.store(true, Ordering::Release);
        self.stop.told.notify_one();
    }

    /// Waits until it has ended.
    pub async fn ended(mut self) {
        let Some(task) = self.task.take() else { return };
        if let Err(error) = task.await {
            tracing::error!(%error, "background jobs stopped with an internal error");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

impl JobWorker {
    async fn work(&self, stop: &Stop) {
        if self.is_alone {
            // What ran before ran in a process that has ended.
            self.note(self.jobs.end_leases(self.clock.now_ms()).await);
        }
        let mut signatures: BTreeMap<usize, u64> = BTreeMap::new();
        while !stop.is_wanted.load(Ordering::Acquire) {
            self.note(self.ask_for_due(&mut signatures).await);
            let now_ms = self.clock.now_ms();
            let claimed = self.jobs.claim(&self.name, now_ms, now_ms.saturating_add(LEASE_MS)).await;
            match self.note(claimed).flatten() {
                Some(job) => self.run(&job, stop).await,
                None => tokio::select! { () = sleep(LOOKED_AT_EVERY) => {}, () = stop.told.notified() => {} },
            }
        }
    }

    /// Asks for the sources whose time has come or that have changed since they were last looked at.
    async fn ask_for_due(&self, signatures: &mut BTreeMap<usize, u64>) -> Result<(), PortError> {
        for (number, schedule) in self.schedules.iter().enumerate() {
            let target = JobTarget::Source(schedule.name.clone());
            let now_ms = self.clock.now_ms();
            let mut is_due = false;
            if let Some(every) = schedule.every {
                let every_ms = u64::try_from(every.as_millis()).unwrap_or(u64::MAX);
                let latest = self.jobs.latest(&schedule.tenant, &target).await?;
                is_due =
                    latest.is_none_or(|job| job.state.is_over() && job.asked_ms.saturating_add(every_ms) <= now_ms);
            }
            if let Some(source) = &schedule.watched {
                let signature = source.signature().await;
                let before = signature.and_then(|signature| signatures.insert(number, signature));
                // What changed while nobody watched is found by the first look.
                is_due |= signature.is_some() && before != signature;
            }
            if is_due {
                let asked_by = SCHEDULE.to_owned();
                let job = NewJob { tenant: schedule.tenant.clone(), target, asked_by };
                self.jobs.enqueue(&job, now_ms).await?;
            }
        }
        Ok(())
    }

    async fn run(&self, job: &Job, stop: &Stop) {
        let running = Running::default();
        let lease = |now_ms: u64| JobLease {
            id: job.id.clone(),
            worker: self.name.clone(),
            until_ms: now_ms.saturating_add(LEASE_MS),
        };
        tracing::info!(job = job.id, attempt = job.attempts, "background job begins");
        let mut is_lost = false;
        let outcome = {
            let work = self.try_once(job, &running);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    outcome = &mut work => break outcome,
                    () = sleep(REPORTED_EVERY) => {
                        is_lost |= self.report(&lease(self.clock.now_ms()), &running).await == Some(JobWish::Lost);
                        if is_lost || stop.is_wanted.load(Ordering::Acquire) {
                            running.stop();
                        }
                    }
                }
            }
        };
        let lease = lease(self.clock.now_ms());
        let wish = self.report(&lease, &running).await;
        // What was done to its end is done, whoever wanted it stopped by then.
        let outcome = match outcome {
            Some(outcome) => outcome,
            None if wish == Some(JobWish::Stop) => JobOutcome::Cancelled,
            None => JobOutcome::PutBack,
        };
        self.note(self.jobs.finish(&lease, &outcome, self.clock.now_ms()).await);
        tracing::info!(job = job.id, outcome = ?outcome, "background job ends");
    }

    /// How an attempt came out; nothing if it was stopped on the way.
    async fn try_once(&self, job: &Job, running: &Running) -> Option<JobOutcome> {
        if job.attempts > self.policy.attempts_max {
            return Some(given_up(job));
        }
        let tried = match (self.open)(job) {
            Ok(target) => attempt(&self.ingest, &target, &job.tenant, running).await,
            Err(error) => Err(error),
        };
        match tried {
            Ok(report) => report.map(|_| JobOutcome::Done),
            Err(_) if !running.is_wanted() => None,
            Err(error) => {
                tracing::warn!(job = job.id, fault = error.fault.as_str(), %error, "background job failed");
                Some(self.policy.failed(job, &error, self.clock.now_ms()))
            }
        }
    }

    async fn report(&self, lease: &JobLease, running: &Running) -> Option<JobWish> {
        let (progress, failures) = running.told();
        let wish = self.note(self.jobs.report(lease, &progress, &failures).await);
        if wish == Some(JobWish::Stop) {
            running.stop();
        }
        wish
    }

    /// Notes what went wrong with the queue; the work goes on, and the next look may find it whole again.
    fn note<T>(&self, outcome: Result<T, PortError>) -> Option<T> {
        outcome.inspect_err(|error| tracing::warn!(%error, worker = self.name, "the queue of jobs failed")).ok()
    }
}
