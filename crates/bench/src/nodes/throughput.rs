//! `vouch-bench nodes throughput`: questions per second of so many servers on this machine, and what limits them.

use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use serde::Serialize;
use vouch_app::{
    console::{print, print_json, tell},
    render,
};

use super::{
    args::ThroughputArgs,
    changes, ferries,
    fleet::Fleet,
    load::{Answer, FerryQuestion, Load},
    timeline::Timeline,
};
use crate::{processor, seed::Seed, speed::latency};

/// From this share of all cores on, the processor is what limits.
const BUSY: f64 = 0.9;

/// One number of servers.
#[derive(Debug, Serialize)]
struct Phase {
    nodes: usize,
    clients: usize,
    /// Replies that state the figure of the document asked for; only these count as answers.
    replies: usize,
    /// Replies without it, such as refusals: as many with each number of servers where the servers have the time.
    without: usize,
    /// Replies that state another figure.
    wrong: usize,
    errors: usize,
    per_second: f64,
    p50_ms: f64,
    p95_ms: f64,
    /// Replies per server, the fewest and the most.
    fewest: usize,
    most: usize,
    /// Processor time of the servers for one question; unknown where the system does not tell.
    cpu_ms_a_question: Option<f64>,
    /// Share of this machine's processor time that anything used.
    busy: Option<f64>,
    limit: String,
}

pub(super) async fn run(args: &ThroughputArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    let documents = usize::from(args.documents);
    let mut fleet = Fleet::prepare(&args.fleet).await?;
    fleet.ingest(&changes::first_documents(documents))?;
    let questions = shuffled(documents);
    let mut phases = Vec::new();
    for nodes in &args.nodes {
        fleet.start(usize::from(*nodes)).await?;
        tell(&format!("asking {nodes} servers"));
        let timeline = Timeline::new(&fleet.truth.passages().await?);
        phases.push(phase(args, &fleet, (questions.clone(), &timeline)).await);
        fleet.clear()?;
    }
    std::fs::remove_dir_all(fleet.folder())?;
    if as_json {
        print_json(&phases)?;
    } else {
        print(&shown(&phases))?;
    }
    let is_right = |phase: &Phase| phase.errors + phase.wrong == 0 && phase.replies > phase.without;
    Ok(if phases.iter().all(is_right) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every wording of every question, in an order that is the same each time.
fn shuffled(documents: usize) -> Vec<FerryQuestion> {
    let mut seed = Seed::new(7);
    let all = (0..documents).flat_map(|document| (0..ferries::WORDINGS).map(move |wording| (document, wording)));
    let mut keyed: Vec<(u64, FerryQuestion)> =
        all.map(|(document, wording)| (seed.next(), FerryQuestion { document, wording })).collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, question)| question).collect()
}

async fn phase(args: &ThroughputArgs, fleet: &Fleet, (questions, timeline): (Vec<FerryQuestion>, &Timeline)) -> Phase {
    let load = Load::new(&fleet.nodes, questions, fleet.began);
    let pids: Vec<u32> = fleet.nodes.iter().filter_map(|node| node.pid()).collect();
    let clock = Instant::now();
    let (servers_before, machine_before) = (processor::used_by(&pids), processor::machine());
    let asking = {
        let (load, clients) = (load.clone(), usize::from(args.fleet.clients));
        tokio::spawn(async move { load.run(clients).await })
    };
    tokio::time::sleep(Duration::from_secs(args.seconds)).await;
    load.stop.store(true, Ordering::Relaxed);
    let answers = asking.await.unwrap_or_default();
    let took = clock.elapsed().as_secs_f64();
    let servers = servers_before.zip(processor::used_by(&pids)).map(|(before, after)| after - before);
    let busy = machine_before.zip(processor::machine()).map(|(before, after)| after.busy_since(before));
    let size = (fleet.nodes.len(), usize::from(args.fleet.clients));
    summary(size, (&answers, timeline), (took, servers, busy))
}

fn summary(
    (nodes, clients): (usize, usize),
    (answers, timeline): (&[Answer], &Timeline),
    (took, servers, busy): (f64, Option<f64>, Option<f64>),
) -> Phase {
    let told = || answers.iter().filter(|answer| answer.status == Ok(200));
    let is = |answer: &Answer, is_it: bool| {
        let name = ferries::name(answer.document);
        let now = timeline.of(&name).iter().rfind(|span| span.died.is_none()).map(|span| span.figure);
        answer.figures.iter().any(|(stated, figure)| *stated == name && (Some(*figure) == now) == is_it)
    };
    let wrong = told().filter(|answer| is(answer, false)).count();
    let replies: Vec<&Answer> = told().filter(|answer| is(answer, true) && !is(answer, false)).collect();
    let times = latency(replies.iter().map(|answer| (answer.ended - answer.sent).as_secs_f64() * 1e3).collect());
    let mut by_node: BTreeMap<usize, usize> = (0..nodes).map(|node| (node, 0)).collect();
    replies.iter().for_each(|answer| *by_node.entry(answer.node).or_default() += 1);
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let count = replies.len() as f64;
    let told = told().count();
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let cpu_ms = servers.filter(|_| told > 0).map(|seconds| seconds * 1e3 / told as f64);
    Phase {
        nodes,
        clients,
        replies: replies.len(),
        without: told - replies.len() - wrong,
        wrong,
        errors: answers.len() - told,
        per_second: count / took,
        p50_ms: times.p50_ms,
        p95_ms: times.p95_ms,
        fewest: by_node.values().min().copied().unwrap_or_default(),
        most: by_node.values().max().copied().unwrap_or_default(),
        cpu_ms_a_question: cpu_ms,
        busy,
        limit: limit(busy, cpu_ms),
    }
}

/// What the servers cannot get past, as far as the figures show it.
fn limit(busy: Option<f64>, cpu_ms: Option<f64>) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match (busy, cpu_ms) {
        (Some(busy), Some(cpu_ms)) if busy >= BUSY => {
            #[expect(clippy::cast_precision_loss, reason = "a count of cores")]
            let bound = cores as f64 * 1e3 / cpu_ms;
            format!(
                "the processor: {cores} cores do {bound:.0} a second of {cpu_ms:.1} ms each, and share them with clients and database"
            )
        }
        (Some(busy), _) => {
            format!("not the processor, {:.0} % busy: clients, permits of the servers, or waiting", busy * 100.0)
        }
        (None, _) => "unknown: this system does not tell its processor time".to_owned(),
    }
}

fn shown(phases: &[Phase]) -> String {
    let unknown = || "unknown".to_owned();
    let heading = [
        "servers",
        "clients",
        "answers",
        "without",
        "wrong",
        "a second",
        "p50 ms",
        "p95 ms",
        "errors",
        "per server",
        "CPU ms each",
        "busy",
        "limit",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(phases.iter().map(|phase| {
        vec![
            phase.nodes.to_string(),
            phase.clients.to_string(),
            phase.replies.to_string(),
            phase.without.to_string(),
            phase.wrong.to_string(),
            format!("{:.1}", phase.per_second),
            format!("{:.0}", phase.p50_ms),
            format!("{:.0}", phase.p95_ms),
            phase.errors.to_string(),
            format!("{} to {}", phase.fewest, phase.most),
            phase.cpu_ms_a_question.map_or_else(unknown, |ms| format!("{ms:.1}")),
            phase.busy.map_or_else(unknown, |busy| format!("{:.0} %", busy * 100.0)),
            phase.limit.clone(),
        ]
    }));
    render::table(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_processor_only_where_it_is_busy() {
        assert!(limit(Some(0.97), Some(20.0)).starts_with("the processor"));
        assert!(limit(Some(0.4), Some(20.0)).starts_with("not the processor"));
        assert!(limit(None, Some(20.0)).starts_with("unknown"));
    }

    #[test]
    fn every_question_is_asked_once_before_any_is_asked_again() {
        let questions = shuffled(25);
        assert_eq!(questions.len(), 25 * ferries::WORDINGS);
        assert!(
            (0..25)
                .all(|document| questions.iter().filter(|one| one.document == document).count() == ferries::WORDINGS)
        );
        assert_eq!(questions, shuffled(25));
    }
}
