//! `vouch-bench speed`: passages embedded a second; search and ask latency, memory and start-up at growing size.
//!
//! Passages of the data sets come first; past `--real-max` or the sets' end, text and vectors are made by seed. Each
//! store is measured by a process of its own, so that memory and start-up are those of a user.

mod caching_embedder;
mod embedding;
mod filler;
mod of_store;

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use vouch_domain::ports::Embedder;
use vouch_models::GteSmall;

use super::datasets;
use crate::cli::SpeedArgs;
use vouch_app::{
    cli::Common,
    console::{print, print_json, tell},
    render, wiring,
};

use caching_embedder::CachingEmbedder;

pub(crate) use of_store::latency;
pub(crate) use of_store::measure_store;

/// Percentiles of a latency, in milliseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: f64,
    p99_ms: f64,
}

/// The figures of one store.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoreFigures {
    passages: u64,
    questions: usize,
    answered: usize,
    search: Latency,
    ask: Latency,
    /// Searches by words alone, of what is in memory by then.
    words: Latency,
    start_up_ms: f64,
    resident_mb: Option<f64>,
    resident_peak_mb: Option<f64>,
}

#[derive(Serialize)]
struct Figures {
    cores: usize,
    embedding: Vec<embedding::Rate>,
    stores: Vec<StoreFigures>,
}

pub(super) async fn run(common: &Common, args: &SpeedArgs) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = Arc::new(CachingEmbedder::new(GteSmall::load(wiring::threads())?));
    let names = datasets::names(common, &args.bench)?;
    let embedding = embedding::measure(common, &names).await?;
    let mut stores = Vec::new();
    if !args.embedding_only {
        let questions = args.bench.store.join("speed-questions.txt");
        std::fs::create_dir_all(&args.bench.store)?;
        filler::write_questions(common, &names, args.questions, &questions)?;
        for size in &args.sizes {
            let folder = args.bench.store.join(format!("speed-{size}-{}", args.real_max));
            filler::fill(common, &names, &folder, (*size, args.real_max), &embedder).await?;
            stores.push(in_own_process(common, &folder, &questions)?);
        }
    }
    let figures = Figures { cores: wiring::threads(), embedding, stores };
    if common.json {
        print_json(&figures)?;
    } else {
        print(&shown(&figures))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn in_own_process(common: &Common, folder: &Path, questions: &Path) -> anyhow::Result<StoreFigures> {
    tell(&format!("measuring {}", folder.display()));
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.arg("speed-of-store").arg("--data").arg(folder).arg("--questions").arg(questions);
    if let Some(config) = &common.config {
        command.arg("--config").arg(config);
    }
    let output = command.output().context("cannot start the measuring process")?;
    if !output.status.success() {
        bail!("the measuring process failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the measuring process said something unexpected")
}

fn shown(figures: &Figures) -> String {
    let mut rates = vec![["tokens", "threads", "passages/s", "ms a passage"].map(str::to_owned).to_vec()];
    rates.extend(figures.embedding.iter().map(|rate| {
        let figures = [format!("{:.1}", rate.passages_per_second), format!("{:.1}", rate.ms_per_passage)];
        [vec![rate.tokens.clone(), rate.threads.to_string()], figures.to_vec()].concat()
    }));
    let heading = [
        "passages",
        "search p50",
        "p95",
        "p99",
        "ask p50",
        "p95",
        "p99",
        "words p50",
        "p95",
        "p99",
        "answered",
        "start-up",
        "resident",
        "peak",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(figures.stores.iter().map(|store| {
        let ms = |value: f64| format!("{value:.1} ms");
        let mb = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.0} MB"));
        vec![
            store.passages.to_string(),
            ms(store.search.p50_ms),
            ms(store.search.p95_ms),
            ms(store.search.p99_ms),
            ms(store.ask.p50_ms),
            ms(store.ask.p95_ms),
            ms(store.ask.p99_ms),
            ms(store.words.p50_ms),
            ms(store.words.p95_ms),
            ms(store.words.p99_ms),
            format!("{} of {}", store.answered, store.questions),
            ms(store.start_up_ms),
            mb(store.resident_mb),
            mb(store.resident_peak_mb),
        ]
    }));
    format!("{} cores\n\nEmbedding\n{}\nStores\n{}", figures.cores, render::table(&rates), render::table(&rows))
}
