//! `vouch-bench scan`: how long it takes to look at every vector of a large store, with vectors made by seed.

use std::{collections::BTreeSet, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::{MadeVectors, ScanTimes};

use crate::cli::ScanArgs;
use crate::speed::{Latency, latency};
use vouch_app::{
    cli::Common,
    console::{print, print_json, tell},
    render, wiring,
};

/// As many as are kept of a scan.
const NEAREST: usize = 100;

#[derive(Serialize)]
struct Figures {
    rows: usize,
    dimensions: usize,
    threads: usize,
    latency: Latency,
    cpu_ms: Option<f64>,
}

pub(crate) fn run(common: &Common, args: &ScanArgs) -> anyhow::Result<ExitCode> {
    tell(&format!("making {} vectors", args.rows));
    let mut made = MadeVectors::new(args.rows, args.dimensions);
    let mut figures = Vec::new();
    for threads in BTreeSet::from([1, wiring::threads()]) {
        let ScanTimes { elapsed, cpu } = made.scan(threads, args.queries, NEAREST)?;
        let latency = latency(elapsed.into_iter().map(|time| time.as_secs_f64() * 1e3).collect());
        let cpu_ms = cpu.map(|cpu| cpu.as_secs_f64() * 1e3);
        figures.push(Figures { rows: args.rows, dimensions: args.dimensions, threads, latency, cpu_ms });
    }
    if common.json {
        print_json(&figures)?;
    } else {
        print(&shown(&figures))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(figures: &[Figures]) -> String {
    let ms = |value: f64| format!("{value:.1} ms");
    let mut rows = vec![["rows", "dimensions", "threads", "p50", "p95", "CPU time"].map(str::to_owned).to_vec()];
    rows.extend(figures.iter().map(|one| {
        vec![
            one.rows.to_string(),
            one.dimensions.to_string(),
            one.threads.to_string(),
            ms(one.latency.p50_ms),
            ms(one.latency.p95_ms),
            one.cpu_ms.map_or_else(|| "unknown".to_owned(), ms),
        ]
    }));
    render::table(&rows)
}
