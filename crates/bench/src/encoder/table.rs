//! What was measured, as a table or as JSON.

use serde::Serialize;

use vouch_app::console::{print as print_text, print_json};

/// Everything measured.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) absent: Option<String>,
    pub(super) cells: Vec<Cell>,
    pub(super) memory: Vec<Memory>,
}

/// One shape of work, run by all.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) what: &'static str,
    pub(super) tokens: usize,
    pub(super) batch: usize,
    pub(super) threads: usize,
    pub(super) rows: Vec<Row>,
}

/// One runtime's time for it.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    runtime: String,
    median_ms: f64,
    fastest_ms: f64,
    slowest_ms: f64,
    a_second: f64,
}

/// What a runtime takes of memory, and of time until its first result.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    pub(super) runtime: String,
    pub(super) reads_pairs: bool,
    pub(super) threads: usize,
    pub(super) resident_mb: Option<f64>,
    pub(super) ready_ms: f64,
}

impl Row {
    pub(super) fn new(runtime: String, batch: usize, mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        let median_ms = at(times.len() / 2);
        Self {
            runtime,
            median_ms,
            fastest_ms: at(0),
            slowest_ms: at(times.len().saturating_sub(1)),
            a_second: batch as f64 * 1e3 / median_ms,
        }
    }
}

/// Bytes of this process that are in memory, where the system tells.
pub(super) fn resident_bytes() -> Option<f64> {
    const PAGE: f64 = 4_096.0;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split_whitespace().nth(1)?.parse::<f64>().ok()? * PAGE)
}

pub(super) fn print(report: &Report, as_json: bool) -> anyhow::Result<()> {
    if as_json { print_json(report) } else { print_text(&shown(report)) }
}

fn shown(report: &Report) -> String {
    let mut lines = Vec::new();
    for cell in &report.cells {
        let Cell { what, tokens, batch, threads, .. } = cell;
        lines.push(format!("{what}: {batch} of {tokens} tokens, {threads} thread(s)"));
        let own = cell.rows.first().map_or(0.0, |row| row.median_ms);
        for Row { runtime, median_ms, fastest_ms, slowest_ms, a_second } in &cell.rows {
            let (spread, ratio) = (format!("({fastest_ms:.2} to {slowest_ms:.2})"), median_ms / own);
            lines.push(format!(
                "  {runtime:<22} {median_ms:9.2} ms  {spread:<20} {a_second:8.1}/s  {ratio:5.2} times the first"
            ));
        }
    }
    lines.push("memory taken by loading and a first text, and the time until then".to_owned());
    for Memory { runtime, reads_pairs, threads, resident_mb, ready_ms } in &report.memory {
        let model = if *reads_pairs { "judge" } else { "embedder" };
        let memory = resident_mb.map_or_else(|| "unknown".to_owned(), |mb| format!("{mb:.0} MB"));
        lines.push(format!("  {runtime:<22} {model:<9} {threads} thread(s)  {memory:>8}  {ready_ms:7.1} ms"));
    }
    lines.extend(report.absent.clone());
    lines.join("\n") + "\n"
}
