//! Background jobs that are asked for while servers are killed, and what became of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde_json::{Value, json};

use super::{
    changes::next_up,
    fleet::{SOURCES, source, source_name},
    load::Load,
    node::Node,
    truth::{JobRow, PassageRow, Truth},
};
use crate::client::{Client, HttpRequest, Target};

/// Files of one job.
const FILES: usize = 10;
/// How long the last jobs may take: a job of a server that was killed is taken up when its lease is over.
const OVER_WITHIN: Duration = Duration::from_secs(180);
const MARK: &str = "The signal post ";
const DONE: &str = "done";
/// Events of the log.
const BEGINS: &str = "background_job_begins";
const ENDS: &str = "background_job_ends";

/// Jobs that were asked for and acknowledged.
#[derive(Debug, Default)]
pub(super) struct Started {
    pub(super) ids: BTreeSet<String>,
    /// The signal posts of each of them.
    pub(super) posts: BTreeSet<String>,
}

/// Writes files and asks for the job that takes them in, until the load is stopped.
pub(super) async fn start(load: Load, folder: &Path, every: Duration) -> anyhow::Result<Started> {
    let mut started = Started::default();
    let mut at = 0;
    while !load.stop.load(Ordering::Relaxed) {
        let slot = at % SOURCES;
        let mut posts = Vec::new();
        for file in 0..FILES {
            let post = format!("{at}-{file}");
            let text = format!("# Signal post {post}\n\n{MARK}{post} stands on the mole and shows a steady light.\n");
            let path = source(folder, slot).join(format!("post-{post}.md"));
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            posts.push(post);
        }
        if let Some((_, place)) = next_up(&load.nodes, at) {
            let mut client = Client::new(&Target { address: place.address, key: None });
            let request = HttpRequest::post("/v1/jobs", &json!({ "source": source_name(slot) }));
            let reply = client.send(&request).await.ok().filter(|reply| reply.status == 200);
            let id = reply.and_then(|reply| Some(reply.json().get("job")?.get("id")?.as_str()?.to_owned()));
            // A job that was under way already may have looked at the folder before these files were in it.
            if let Some(id) = id
                && started.ids.insert(id)
            {
                started.posts.extend(posts);
            }
        }
        at += 1;
        let next = Instant::now() + every;
        while Instant::now() < next && !load.stop.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    Ok(started)
}

/// Waits until no job is under way, or for as long as that may take.
pub(super) async fn wait_until_over(truth: &Truth) -> anyhow::Result<Vec<JobRow>> {
    let began = Instant::now();
    loop {
        let jobs = truth.jobs().await?;
        if jobs.iter().all(|job| job.is_over) || began.elapsed() > OVER_WITHIN {
            return Ok(jobs);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// What the servers' logs say of jobs: attempts that began and jobs that were done, each with how often.
#[derive(Debug, Default)]
pub(super) struct LoggedJobs {
    begun: BTreeMap<(String, u64), usize>,
    done: BTreeMap<String, usize>,
}

impl LoggedJobs {
    pub(super) fn read(nodes: &[std::sync::Arc<Node>]) -> anyhow::Result<Self> {
        let mut logged = Self::default();
        for log in nodes.iter().flat_map(|node| node.logs()) {
            let text = std::fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
            text.lines().for_each(|line| logged.note(line));
        }
        Ok(logged)
    }

    fn note(&mut self, line: &str) {
        // A process that was killed may have left half a line.
        let Ok(line) = serde_json::from_str::<Value>(line) else { return };
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let (Some(event), Some(job)) = (text("event"), text("job")) else { return };
        if event == BEGINS {
            let attempt = line.get("attempt").and_then(Value::as_u64).unwrap_or_default();
            *self.begun.entry((job.to_owned(), attempt)).or_default() += 1;
        }
        if event == ENDS && text("outcome") == Some("Done") {
            *self.done.entry(job.to_owned()).or_default() += 1;
        }
    }

    /// Attempts after the first, which take over what a killed server had begun.
    pub(super) fn further_attempts(&self) -> usize {
        self.begun.keys().filter(|(_, attempt)| *attempt > 1).count()
    }
}

/// What is wrong with the jobs: not done, done twice, begun twice as the same attempt, or what they should have taken in.
pub(super) fn faults(started: &Started, jobs: &[JobRow], logged: &LoggedJobs, passages: &[PassageRow]) -> Vec<String> {
    let mut faults = Vec::new();
    for id in &started.ids {
        match jobs.iter().find(|job| job.id == *id) {
            None => faults.push(format!("job {id} is gone")),
            Some(job) if job.state != DONE => faults.push(format!("job {id} is {} at the end", job.state)),
            Some(_) => {}
        }
    }
    if started.ids.is_empty() && !jobs.is_empty() {
        faults.push("no job was acknowledged, although there are jobs".to_owned());
    }
    if !started.ids.is_empty() && logged.begun.is_empty() {
        faults.push("no log tells of a job, so nothing is known of jobs that were done twice".to_owned());
    }
    for ((id, attempt), times) in logged.begun.iter().filter(|(_, times)| **times > 1) {
        faults.push(format!("attempt {attempt} of job {id} began {times} times"));
    }
    for (id, times) in logged.done.iter().filter(|(_, times)| **times > 1) {
        faults.push(format!("job {id} was done {times} times"));
    }
    let mut posts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in passages.iter().map(|row| &row.text) {
        if let Some(post) = text.split_once(MARK).and_then(|(_, rest)| rest.split(' ').next()) {
            *posts.entry(post).or_default() += 1;
        }
    }
    for (post, times) in posts.iter().filter(|(_, times)| **times > 1) {
        faults.push(format!("signal post {post} was taken in {times} times"));
    }
    for post in started.posts.iter().filter(|post| !posts.contains_key(post.as_str())) {
        faults.push(format!("signal post {post} was not taken in, although its job was acknowledged"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(lines: &[Value]) -> LoggedJobs {
        let mut logged = LoggedJobs::default();
        lines.iter().for_each(|line| logged.note(&line.to_string()));
        logged
    }

    #[test]
    fn a_job_that_two_servers_do_is_found_and_one_that_is_taken_over_is_none() {
        let begins = |attempt: u64| json!({ "event": BEGINS, "job": "a", "attempt": attempt });
        let ends = json!({ "event": ENDS, "job": "a", "outcome": "Done" });
        let started = Started { ids: ["a".to_owned()].into(), posts: ["0-1".to_owned()].into() };
        let jobs = [JobRow { id: "a".to_owned(), state: "done".to_owned(), is_over: true }];
        let post = PassageRow { text: format!("{MARK}0-1 stands on the mole."), born: 1, died: None };
        let found = |lines: &[Value], posts: &[PassageRow]| faults(&started, &jobs, &logged(lines), posts).len();
        assert_eq!(found(&[begins(1), begins(2), ends.clone()], std::slice::from_ref(&post)), 0);
        assert_eq!(found(&[begins(1), begins(1), ends.clone()], std::slice::from_ref(&post)), 1);
        assert_eq!(found(&[begins(1), begins(2), ends.clone(), ends.clone()], std::slice::from_ref(&post)), 1);
        assert_eq!(found(&[begins(1), ends.clone()], &[post.clone(), post]), 1);
        assert_eq!(found(&[begins(1), ends], &[]), 1);
    }
}
