//! One store, opened as a user's process opens it, asked question after question.

use std::{path::Path, process::ExitCode, time::Instant};

use anyhow::Context;
use vouch_domain::{Question, Reader, ports::Catalogue};
use vouch_engine::{
    decide::Decision,
    retrieve::{Lane, LaneChoice},
};

use super::{Latency, StoreFigures};
use vouch_app::{
    cli::Common,
    console::{open, print_json},
};

/// Questions asked before the clock counts.
const WARM_UP: usize = 20;

pub(crate) async fn measure_store(common: &Common, questions: &Path) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let app = open(common)?;
    let start_up_ms = started.elapsed().as_secs_f64() * 1e3;
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let text = std::fs::read_to_string(questions).with_context(|| format!("cannot read {}", questions.display()))?;
    let question = |text: &str| Question::new(text, reader.clone());
    for line in text.lines().take(WARM_UP) {
        app.engine.ask(&question(line)).await?;
    }
    let (mut search, mut ask, mut answered) = (Vec::new(), Vec::new(), 0);
    for line in text.lines() {
        let question = question(line);
        let clock = Instant::now();
        app.engine.search(&question, LaneChoice::All).await?;
        search.push(clock.elapsed().as_secs_f64() * 1e3);
        let clock = Instant::now();
        let response = app.engine.ask(&question).await?;
        ask.push(clock.elapsed().as_secs_f64() * 1e3);
        answered += usize::from(matches!(response.decision, Decision::Answer(_)));
    }
    let mut words = Vec::new();
    for line in text.lines() {
        let clock = Instant::now();
        app.engine.search(&question(line), LaneChoice::Only(Lane::Lexical)).await?;
        words.push(clock.elapsed().as_secs_f64() * 1e3);
    }
    print_json(&StoreFigures {
        passages: app.store.catalogue.counts(&reader).await?.passages,
        questions: ask.len(),
        answered,
        search: latency(search),
        ask: latency(ask),
        words: latency(words),
        start_up_ms,
        resident_mb: memory("VmRSS:"),
        resident_peak_mb: memory("VmHWM:"),
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn latency(mut millis: Vec<f64>) -> Latency {
    millis.sort_by(f64::total_cmp);
    let at = |share: usize| millis.get((millis.len() * share / 100).min(millis.len().saturating_sub(1)));
    let figure = |share: usize| at(share).copied().unwrap_or(f64::NAN);
    Latency { p50_ms: figure(50), p95_ms: figure(95), p99_ms: figure(99) }
}

/// A figure of this process in megabytes, where the system tells it.
fn memory(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1_024.0)
}
