//! `vouch-bench serve`: a running server under load: 1, 8 and 64 clients that ask one after the other, or as many as are asked
//! for, then four times as many requests per second as it can answer.

use std::{
    path::Path,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context;
use serde::Serialize;
use vouch_evals::golden;

use crate::{
    cli::ServeBenchArgs,
    client::{Client, Sample, Target},
};
use vouch_app::{
    console::{print, print_json},
    exit::Usage,
    render,
};

/// How many times what it can do a server is asked to do.
const OVERLOAD: f64 = 4.0;
const ANSWERED: u16 = 200;
const TURNED_AWAY: u16 = 503;

/// What one phase came to.
#[derive(Debug, Serialize)]
struct Phase {
    load: String,
    answered: usize,
    turned_away: usize,
    errors: usize,
    per_second: f64,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    turned_away_p99_ms: Option<f64>,
    resident_mb: Option<u64>,
}

pub(super) async fn run(args: &ServeBenchArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    let address = args.url.strip_prefix("http://").ok_or_else(|| Usage("--url must begin with http://".to_owned()))?;
    let target = Target { address: address.trim_end_matches('/').to_owned(), key: std::env::var("VOUCH_KEY").ok() };
    let questions = Arc::new(questions(&args.golden)?);
    let length = Duration::from_secs(args.seconds);
    let mut phases = Vec::new();
    for clients in args.clients.iter().copied().filter(|clients| *clients > 0) {
        let samples = closed(&target, &questions, clients, length).await;
        phases.push(phase(format!("{clients} clients"), &samples, length, args.pid));
    }
    if !args.without_overload {
        let capacity = phases.last().map_or(1.0, |phase| phase.per_second);
        let samples = open(&target, &questions, capacity * OVERLOAD, length).await;
        let load = format!("{:.0} requests a second", capacity * OVERLOAD);
        phases.push(phase(load, &samples, length, args.pid));
    }
    if as_json {
        print_json(&phases)?;
    } else {
        print(&shown(&phases))?;
    }
    let errors: usize = phases.iter().map(|phase| phase.errors).sum();
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn questions(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let questions: Vec<String> = golden::read(&text)
        .map_err(|error| Usage(format!("{}: {error}: {}", path.display(), error.source)))?
        .into_iter()
        .map(|golden| golden.query)
        .collect();
    if questions.is_empty() {
        return Err(Usage(format!("{} holds no question", path.display())).into());
    }
    Ok(questions)
}

/// So many clients, each of which asks again as soon as it has its answer.
async fn closed(target: &Target, questions: &Arc<Vec<String>>, clients: usize, length: Duration) -> Vec<Sample> {
    let until = Instant::now() + length;
    let next = Arc::new(AtomicUsize::new(0));
    let work = (0..clients).map(|_| {
        let (mut client, questions, next) = (Client::new(target), Arc::clone(questions), Arc::clone(&next));
        tokio::spawn(async move {
            let mut samples = Vec::new();
            while Instant::now() < until {
                samples.push(client.ask(chosen(&questions, next.fetch_add(1, Ordering::Relaxed))).await);
            }
            samples
        })
    });
    gathered(work.collect()).await
}

/// A fixed rate of requests per second, whatever becomes of those before.
async fn open(target: &Target, questions: &Arc<Vec<String>>, per_second: f64, length: Duration) -> Vec<Sample> {
    let started = Instant::now();
    let mut work = Vec::new();
    let mut at = 0;
    while started.elapsed() < length {
        let (mut client, questions) = (Client::new(target), Arc::clone(questions));
        work.push(tokio::spawn(async move { vec![client.ask(chosen(&questions, at)).await] }));
        at += 1;
        #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
        let due = started + Duration::from_secs_f64(at as f64 / per_second);
        tokio::time::sleep_until(due.into()).await;
    }
    gathered(work).await
}

fn chosen(questions: &[String], at: usize) -> &str {
    questions.get(at % questions.len().max(1)).map_or("", String::as_str)
}

async fn gathered(work: Vec<tokio::task::JoinHandle<Vec<Sample>>>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for one in work {
        samples.extend(one.await.unwrap_or_default());
    }
    samples
}

fn phase(load: String, samples: &[Sample], length: Duration, pid: Option<u32>) -> Phase {
    let times = |status: u16| {
        let mut times: Vec<f64> =
            samples.iter().filter(|one| one.status == status).map(|one| one.took.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (answered, turned_away) = (times(ANSWERED), times(TURNED_AWAY));
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let per_second = answered.len() as f64 / length.as_secs_f64();
    Phase {
        load,
        errors: samples.len() - answered.len() - turned_away.len(),
        per_second,
        p50_ms: at(&answered, 50),
        p95_ms: at(&answered, 95),
        p99_ms: at(&answered, 99),
        turned_away_p99_ms: (!turned_away.is_empty()).then(|| at(&turned_away, 99)),
        answered: answered.len(),
        turned_away: turned_away.len(),
        resident_mb: pid.and_then(resident_mb),
    }
}

fn at(sorted: &[f64], share: usize) -> f64 {
    sorted.get(sorted.len() * share / 100).or(sorted.last()).copied().unwrap_or_default()
}

/// The memory a process holds, as the system counts it.
fn resident_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().split(' ').next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

fn shown(phases: &[Phase]) -> String {
    let mut rows = vec![
        ["load", "answered", "a second", "p50 ms", "p95 ms", "p99 ms", "turned away", "their p99 ms", "errors", "MB"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(phases.iter().map(|phase| {
        vec![
            phase.load.clone(),
            phase.answered.to_string(),
            format!("{:.1}", phase.per_second),
            format!("{:.0}", phase.p50_ms),
            format!("{:.0}", phase.p95_ms),
            format!("{:.0}", phase.p99_ms),
            phase.turned_away.to_string(),
            phase.turned_away_p99_ms.map_or("-".to_owned(), |ms| format!("{ms:.1}")),
            phase.errors.to_string(),
            phase.resident_mb.map_or("-".to_owned(), |mb| mb.to_string()),
        ]
    }));
    render::table(&rows)
}
