//! Jobs of several nodes: those of a node that died are done by another, each of them once.

use std::{collections::BTreeMap, sync::Arc};

use tokio::task::JoinSet;
use vouch_domain::{
    JobOutcome, JobProgress, JobState,
    ports::{JobLease, JobWish, Jobs},
};
use vouch_testkit::contracts::jobs::sync;

use super::{database, server};

const NOW_MS: u64 = 1_800_000_000_000;
const LEASE_MS: u64 = 30_000;
const JOBS: usize = 24;

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_node_that_died_are_done_by_others_and_each_once() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let nodes: Vec<Arc<dyn Jobs>> = (0..4).map(|_| Arc::new(database(&settings).jobs(100)) as Arc<dyn Jobs>).collect();
    for number in 0..JOBS {
        nodes[number % 4].enqueue(&sync("acme", &format!("s{number}")), NOW_MS).await.expect("kept");
    }
    // The first node takes a few and dies; its leases run out.
    let mut left = Vec::new();
    for _ in 0..5 {
        let job = nodes[0].claim("dead", NOW_MS, NOW_MS + LEASE_MS).await.expect("an answer").expect("a job");
        left.push(JobLease { id: job.id, worker: "dead".to_owned(), until_ms: NOW_MS + LEASE_MS });
    }
    let mut workers = JoinSet::new();
    for (number, node) in nodes.iter().skip(1).cloned().enumerate() {
        for worker in 0..3 {
            let (node, name) = (Arc::clone(&node), format!("n{number}w{worker}"));
            workers.spawn(async move {
                let (now_ms, until_ms) = (NOW_MS + LEASE_MS, NOW_MS + 2 * LEASE_MS);
                let mut done = Vec::new();
                while let Some(job) = node.claim(&name, now_ms, until_ms).await.expect("an answer") {
                    let lease = JobLease { id: job.id.clone(), worker: name.clone(), until_ms };
                    if node.finish(&lease, &JobOutcome::Done, now_ms).await.expect("an answer") {
                        done.push(job.id);
                    }
                }
                done
            });
        }
    }
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(done) = workers.join_next().await {
        done.expect("a worker").into_iter().for_each(|id| *times.entry(id).or_default() += 1);
    }
    assert_eq!((times.len(), times.values().sum::<usize>()), (JOBS, JOBS), "{times:?}");
    // Where the dead one was only slow, nothing of what it says counts any more.
    for lease in &left {
        assert_eq!(nodes[0].report(lease, &JobProgress::default(), &[]).await.expect("an answer"), JobWish::Lost);
        assert!(!nodes[0].finish(lease, &JobOutcome::Done, NOW_MS).await.expect("an answer"));
        let job = nodes[1].find(None, &lease.id).await.expect("an answer").expect("the job");
        assert_eq!((job.state, job.attempts), (JobState::Done, 2));
    }
}
