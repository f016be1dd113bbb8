//! The contract of `Jobs`.

use std::sync::Arc;

use vouch_domain::{
    Fault, Job, JobFailure, JobOutcome, JobPaths, JobProgress, JobState, JobTarget, NewJob,
    ports::{Enqueued, JobLease, JobWish, Jobs},
};

const NOW_MS: u64 = 1_800_000_000_000;
const LEASE_MS: u64 = 30_000;

/// A job for a source of a tenant.
#[must_use]
pub fn sync(tenant: &str, source: &str) -> NewJob {
    let target = JobTarget::Source(source.to_owned());
    NewJob { tenant: tenant.to_owned(), target, asked_by: "user:mira".to_owned() }
}

/// Runs every clause, each on an empty queue.
pub async fn check(make: impl Fn() -> Arc<dyn Jobs>) {
    a_job_is_asked_for_once_at_a_time(make().as_ref()).await;
    each_tenant_sees_its_own(make().as_ref()).await;
    one_of_many_who_claim_a_job_gets_it(&make()).await;
    a_worker_reports_until_the_job_is_no_longer_its_own(make().as_ref()).await;
    a_failed_job_waits_for_its_next_try(make().as_ref()).await;
    a_job_is_cancelled_at_once_or_at_its_next_step(make().as_ref()).await;
    a_job_that_is_over_can_be_tried_again(make().as_ref()).await;
    what_a_dead_worker_left_is_taken_up(make().as_ref()).await;
}

async fn enqueue(jobs: &dyn Jobs, job: &NewJob) -> Job {
    let enqueued = jobs.enqueue(job, NOW_MS).await.expect("kept");
    assert!(matches!(enqueued, Enqueued::New(_)), "{enqueued:?}");
    enqueued.into_job()
}

async fn claim(jobs: &dyn Jobs, now_ms: u64) -> (Job, JobLease) {
    let until_ms = now_ms + LEASE_MS;
    let job = jobs.claim("w1", now_ms, until_ms).await.expect("an answer").expect("a job");
    let lease = JobLease { id: job.id.clone(), worker: "w1".to_owned(), until_ms };
    (job, lease)
}

async fn state(jobs: &dyn Jobs, id: &str) -> Job {
    jobs.find(None, id).await.expect("an answer").expect("the job")
}

async fn a_job_is_asked_for_once_at_a_time(jobs: &dyn Jobs) {
    let paths = JobPaths {
        paths: vec!["/a b/ü".to_owned()],
        collection: Some("c".to_owned()),
        tags: ["hr".to_owned()].into(),
        prunes: true,
        ..JobPaths::default()
    };
    let wanted = NewJob { target: JobTarget::Paths(paths), ..sync("acme", "") };
    let first = enqueue(jobs, &wanted).await;
    assert_eq!((first.state, first.attempts, first.asked_ms), (JobState::Queued, 0, NOW_MS));
    assert_eq!((&first.target, first.asked_by.as_str()), (&wanted.target, "user:mira"));
    let again = jobs.enqueue(&wanted, NOW_MS + 1).await.expect("kept");
    assert_eq!(again, Enqueued::Already(first.clone()));
    let other = enqueue(jobs, &sync("acme", "wiki")).await;
    enqueue(jobs, &sync("other", "wiki")).await;
    let (_, lease) = claim(jobs, NOW_MS).await;
    assert_eq!(lease.id, first.id, "the oldest comes first");
    assert!(jobs.finish(&lease, &JobOutcome::Done, NOW_MS + 5).await.expect("kept"));
    let over = state(jobs, &first.id).await;
    assert_eq!((over.state, over.ended_ms), (JobState::Done, Some(NOW_MS + 5)));
    let next = enqueue(jobs, &wanted).await;
    assert_ne!(next.id, first.id);
    let latest = jobs.latest("acme", &wanted.target).await.expect("an answer");
    assert_eq!(latest.map(|job| job.id), Some(next.id));
    let latest = jobs.latest("acme", &other.target).await.expect("an answer");
    assert_eq!(latest.map(|job| job.id), Some(other.id));
}

async fn each_tenant_sees_its_own(jobs: &dyn Jobs) {
    let mine = enqueue(jobs, &sync("acme", "wiki")).await;
    let theirs = enqueue(jobs, &sync("other", "wiki")).await;
    let ids = |found: Vec<Job>| found.into_iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(ids(jobs.list(Some("acme"), 9).await.expect("jobs")), [mine.id.as_str()]);
    assert_eq!(
        ids(jobs.list(None, 9).await.expect("jobs")),
        [theirs.id.as_str(), mine.id.as_str()],
        "the newest first"
    );
    assert_eq!(ids(jobs.list(None, 1).await.expect("jobs")), [theirs.id.as_str()]);
    for id in [theirs.id.as_str(), "nothing", ""] {
        assert_eq!(jobs.find(Some("acme"), id).await.expect("an answer"), None);
        assert_eq!(jobs.cancel(Some("acme"), id, NOW_MS).await.expect("an answer"), None);
        assert_eq!(jobs.retry(Some("acme"), id, NOW_MS).await.expect("an answer"), None);
    }
    assert_eq!(state(jobs, &theirs.id).await, theirs);
}

async fn one_of_many_who_claim_a_job_gets_it(jobs: &Arc<dyn Jobs>) {
    enqueue(jobs.as_ref(), &sync("acme", "wiki")).await;
    let tries: Vec<_> = (0..16)
        .map(|number| {
            let jobs = Arc::clone(jobs);
            let worker = format!("w{number}");
            tokio::spawn(async move { jobs.claim(&worker, NOW_MS, NOW_MS + LEASE_MS).await.expect("an answer") })
        })
        .collect();
    let mut claimed = 0;
    for one in tries {
        claimed += usize::from(one.await.expect("a task").is_some());
    }
    assert_eq!(claimed, 1);
}

async fn a_worker_reports_until_the_job_is_no_longer_its_own(jobs: &dyn Jobs) {
    enqueue(jobs, &sync("acme", "wiki")).await;
    let (job, lease) = claim(jobs, NOW_MS).await;
    assert_eq!((job.state, job.attempts, job.started_ms), (JobState::Running, 1, Some(NOW_MS)));
    let progress = JobProgress { seen: 3, total: Some(9), added: 2, failed: 1, ..JobProgress::default() };
    let failures = [JobFailure { source: "/a".to_owned(), sentence: "it is bad".to_owned() }];
    let later = JobLease { until_ms: NOW_MS + 2 * LEASE_MS, ..lease.clone() };
    assert_eq!(jobs.report(&later, &progress, &failures).await.expect("kept"), JobWish::GoOn);
    let told = state(jobs, &job.id).await;
    assert_eq!((told.progress, told.failures.as_slice()), (progress, &failures[..]));
    assert_eq!(
        jobs.claim("w2", NOW_MS + LEASE_MS, u64::MAX >> 1).await.expect("an answer"),
        None,
        "the lease is longer"
    );
    let taken =
        jobs.claim("w2", NOW_MS + 2 * LEASE_MS, NOW_MS + 3 * LEASE_MS).await.expect("an answer").expect("a job");
    assert_eq!((taken.id.as_str(), taken.attempts), (job.id.as_str(), 2));
    assert_eq!(jobs.report(&later, &progress, &failures).await.expect("an answer"), JobWish::Lost);
    assert!(!jobs.finish(&later, &JobOutcome::Done, NOW_MS).await.expect("an answer"));
    assert_eq!(state(jobs, &job.id).await.state, JobState::Running);
}

async fn a_failed_job_waits_for_its_next_try(jobs: &dyn Jobs) {
    enqueue(jobs, &sync("acme", "wiki")).await;
    let (job, lease) = claim(jobs, NOW_MS).await;
    let failed = |next_try_ms| JobOutcome::Failed { sentence: "no answer".to_owned(), next_try_ms };
    assert!(jobs.finish(&lease, &failed(Some(NOW_MS + 50)), NOW_MS + 1).await.expect("kept"));
    let waiting = state(jobs, &job.id).await;
    assert_eq!((waiting.state, waiting.next_try_ms), (JobState::Waiting, Some(NOW_MS + 50)));
    assert_eq!((waiting.error.as_deref(), waiting.ended_ms), (Some("no answer"), None));
    assert_eq!(jobs.claim("w1", NOW_MS + 49, NOW_MS + LEASE_MS).await.expect("an answer"), None);
    let (again, lease) = claim(jobs, NOW_MS + 50).await;
    assert_eq!((again.id.as_str(), again.attempts, again.next_try_ms), (job.id.as_str(), 2, None));
    assert!(jobs.finish(&lease, &JobOutcome::PutBack, NOW_MS + 51).await.expect("kept"));
    let back = state(jobs, &job.id).await;
    assert_eq!((back.state, back.attempts), (JobState::Queued, 1), "an attempt that was cut off does not count");
    let (_, lease) = claim(jobs, NOW_MS + 52).await;
    assert!(jobs.finish(&lease, &failed(None), NOW_MS + 53).await.expect("kept"));
    let over = state(jobs, &job.id).await;
    assert_eq!((over.state, over.ended_ms), (JobState::Failed, Some(NOW_MS + 53)));
    assert_eq!(jobs.claim("w1", NOW_MS + LEASE_MS, NOW_MS + 2 * LEASE_MS).await.expect("an answer"), None);
}

async fn a_job_is_cancelled_at_once_or_at_its_next_step(jobs: &dyn Jobs) {
    let queued = enqueue(jobs, &sync("acme", "a")).await;
    let gone = jobs.cancel(Some("acme"), &queued.id, NOW_MS + 1).await.expect("an answer").expect("the job");
    assert_eq!((gone.state, gone.ended_ms), (JobState::Cancelled, Some(NOW_MS + 1)));
    enqueue(jobs, &sync("acme", "b")).await;
    let (job, lease) = claim(jobs, NOW_MS).await;
    let asked = jobs.cancel(None, &job.id, NOW_MS + 2).await.expect("an answer").expect("the job");
    assert_eq!((asked.state, asked.is_cancelled, asked.ended_ms), (JobState::Running, true, None));
    assert_eq!(jobs.report(&lease, &JobProgress::default(), &[]).await.expect("kept"), JobWish::Stop);
    assert!(jobs.finish(&lease, &JobOutcome::Cancelled, NOW_MS + 3).await.expect("kept"));
    let over = state(jobs, &job.id).await;
    assert_eq!((over.state, over.ended_ms), (JobState::Cancelled, Some(NOW_MS + 3)));
    let same = jobs.cancel(None, &job.id, NOW_MS + 9).await.expect("an answer").expect("the job");
    assert_eq!(same, over, "what is over stays as it is");
    enqueue(jobs, &sync("acme", "c")).await;
    let (job, _) = claim(jobs, NOW_MS).await;
    jobs.cancel(None, &job.id, NOW_MS).await.expect("an answer");
    assert_eq!(jobs.claim("w2", NOW_MS + LEASE_MS, NOW_MS + 2 * LEASE_MS).await.expect("an answer"), None);
    assert_eq!(state(jobs, &job.id).await.state, JobState::Cancelled, "nobody begins it again for a worker that died");
}

async fn a_job_that_is_over_can_be_tried_again(jobs: &dyn Jobs) {
    let wanted = sync("acme", "wiki");
    enqueue(jobs, &wanted).await;
    let (job, lease) = claim(jobs, NOW_MS).await;
    let running = jobs.retry(None, &job.id, NOW_MS).await.expect("an answer").expect("the job");
    assert_eq!(running.state, JobState::Running, "a job that runs goes on");
    let failed = JobOutcome::Failed { sentence: "no answer".to_owned(), next_try_ms: None };
    jobs.finish(&lease, &failed, NOW_MS).await.expect("kept");
    let again = jobs.retry(Some("acme"), &job.id, NOW_MS + 9).await.expect("an answer").expect("the job");
    assert_eq!((again.state, again.attempts, again.ended_ms), (JobState::Queued, 0, None));
    let (_, lease) = claim(jobs, NOW_MS + 9).await;
    jobs.finish(&lease, &JobOutcome::Done, NOW_MS).await.expect("kept");
    enqueue(jobs, &wanted).await;
    let refused = jobs.retry(None, &job.id, NOW_MS).await.expect_err("another does the same");
    assert_eq!(refused.fault, Fault::Invalid);
}

async fn what_a_dead_worker_left_is_taken_up(jobs: &dyn Jobs) {
    enqueue(jobs, &sync("acme", "wiki")).await;
    let (job, lease) = claim(jobs, NOW_MS).await;
    jobs.end_leases(NOW_MS + 1).await.expect("kept");
    assert_eq!(jobs.report(&lease, &JobProgress::default(), &[]).await.expect("an answer"), JobWish::Lost);
    let (again, _) = claim(jobs, NOW_MS + 1).await;
    assert_eq!((again.id.as_str(), again.attempts), (job.id.as_str(), 2));
}
