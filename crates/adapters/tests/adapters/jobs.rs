//! Jobs of a data folder: claimed once whoever tries, few once they are over, and never guessed from damage.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc};

use vouch_adapters::embedded::EmbeddedJobs;
use vouch_domain::{
    Fault, JobOutcome,
    ports::{JobLease, Jobs},
};
use vouch_testkit::contracts::jobs::{check, sync};

const NOW_MS: u64 = 1_800_000_000_000;

fn jobs(folder: &Path) -> EmbeddedJobs {
    EmbeddedJobs::open(folder, 3).expect("jobs")
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_jobs_are_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = std::sync::atomic::AtomicU32::new(0);
    check(|| {
        let next = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(jobs(&folder.path().join(next.to_string())))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_have_the_file_open_one_claims_a_job() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..5 {
        let name = format!("s{round}");
        jobs(folder.path()).enqueue(&sync("acme", &name), NOW_MS).await.expect("kept");
        let tries: Vec<_> = (0..6)
            .map(|number| {
                let jobs = jobs(folder.path());
                tokio::spawn(
                    async move { jobs.claim(&format!("w{number}"), NOW_MS, NOW_MS + 9).await.expect("an answer") },
                )
            })
            .collect();
        let mut claimed = 0;
        for one in tries {
            claimed += usize::from(one.await.expect("a task").is_some());
        }
        assert_eq!(claimed, 1, "round {round}");
    }
}

#[tokio::test]
async fn old_jobs_are_dropped_but_for_the_newest_of_each_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = jobs(folder.path());
    for name in ["rare", "often", "often", "often", "often", "often", "open"] {
        let job = jobs.enqueue(&sync("acme", name), NOW_MS).await.expect("kept").into_job();
        if name != "open" {
            jobs.claim("w", NOW_MS, NOW_MS + 9).await.expect("an answer").expect("the job");
            let lease = JobLease { id: job.id, worker: "w".to_owned(), until_ms: NOW_MS + 9 };
            assert!(jobs.finish(&lease, &JobOutcome::Done, NOW_MS).await.expect("kept"));
        }
    }
    let kept = jobs.list(None, 99).await.expect("jobs");
    assert_eq!(kept.len(), 5, "three that are over, the newest of the rare one, and the open one: {kept:?}");
    let rare = jobs.latest("acme", &sync("acme", "rare").target).await.expect("an answer");
    assert!(rare.is_some());
}

#[tokio::test]
async fn a_damaged_file_is_an_error_that_says_it_may_be_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("jobs.db");
    std::fs::write(&file, "no database, but long enough to be taken for the head of one if nobody looks".repeat(40))
        .expect("a file");
    let error = EmbeddedJobs::open(folder.path(), 3).err().expect("damage");
    assert_eq!(error.fault, Fault::Corrupt, "{error}");
    assert!(error.sentence.contains("may be deleted"), "{error}");
    std::fs::remove_file(&file).expect("deleted");
    let opened = jobs(folder.path());
    opened.enqueue(&sync("acme", "wiki"), NOW_MS).await.expect("kept");
    let beside = rusqlite::Connection::open(&file).expect("the file");
    for (column, wrong) in [("target", "{"), ("progress", "[]"), ("failures", "{}"), ("state", "odd")] {
        let before: String =
            beside.query_row(&format!("SELECT {column} FROM jobs"), [], |row| row.get(0)).expect("the row");
        beside.execute(&format!("UPDATE jobs SET {column} = ?1"), [wrong]).expect("changed");
        let error = opened.list(None, 9).await.expect_err(wrong);
        assert_eq!(error.fault, Fault::Corrupt, "{error}");
        beside.execute(&format!("UPDATE jobs SET {column} = ?1"), [before]).expect("changed");
    }
    assert_eq!(opened.list(None, 9).await.expect("jobs").len(), 1);
}

#[tokio::test]
async fn jobs_outlive_their_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = jobs(folder.path()).enqueue(&sync("acme", "wiki"), NOW_MS).await.expect("kept").into_job();
    assert_eq!(jobs(folder.path()).find(Some("acme"), &job.id).await.expect("an answer"), Some(job));
}
