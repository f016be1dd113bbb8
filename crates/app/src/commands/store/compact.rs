//! `vouch store compact`: versions that are older than the settings keep them go, and their room is given back.

use std::process::ExitCode;

use serde::Serialize;
use vouch_adapters::embedded::CompactReport;
use vouch_domain::date;

use super::super::{load, open_filled, print, print_json};
use crate::cli::Common;

const DAY_MS: u64 = 86_400_000;

#[derive(Serialize)]
struct CompactWire {
    dry_run: bool,
    keep_versions_days: Option<u32>,
    versions: u64,
    passages: u64,
    kept_from_generation: u64,
    bytes_before: u64,
    bytes_after: u64,
    unreclaimed: Option<String>,
}

pub(super) fn run(common: &Common, is_dry: bool) -> anyhow::Result<ExitCode> {
    let days = load(common)?.settings.store.keep_versions_days;
    let app = open_filled(common)?;
    let before_ms = days.map(|days| app.engine.clock.now_ms().saturating_sub(u64::from(days) * DAY_MS));
    let report = match (is_dry, before_ms) {
        // Nothing ended before time began.
        (true, moment) => app.store.compactable(moment.unwrap_or(0))?,
        (false, moment) => app.store.compact(moment)?,
    };
    if common.json {
        print_json(&wire(&report, is_dry, days))?;
    } else {
        print(&shown(&report, is_dry, before_ms))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wire(report: &CompactReport, dry_run: bool, keep_versions_days: Option<u32>) -> CompactWire {
    CompactWire {
        dry_run,
        keep_versions_days,
        versions: report.versions,
        passages: report.passages,
        kept_from_generation: report.kept_from.0,
        bytes_before: report.bytes_before,
        bytes_after: report.bytes_after,
        unreclaimed: report.unreclaimed.clone(),
    }
}

fn shown(report: &CompactReport, is_dry: bool, before_ms: Option<u64>) -> String {
    let mut out = match before_ms {
        None => "nothing was removed, because every version is kept: store.keep_versions_days is not set\n".to_owned(),
        Some(moment) => {
            let verb = if is_dry { "would be removed" } else { "removed" };
            let (versions, passages) = (counted(report.versions, "version"), counted(report.passages, "passage"));
            format!("{versions} with {passages} {verb}: no longer current since before {}\n", date(moment))
        }
    };
    if report.versions > 0 {
        let from = report.kept_from.0;
        let verb = if is_dry { "could then no longer" } else { "can no longer" };
        out.push_str(&format!("requests from before generation {from} {verb} be replayed; the trail keeps them\n"));
    }
    if !is_dry {
        let (before, after) = (report.bytes_before, report.bytes_after);
        out.push_str(&format!("catalogue and indexes had {before} bytes and have {after}\n"));
    }
    if let Some(reason) = &report.unreclaimed {
        out.push_str(&format!("the disk space was not freed: {reason}; run the command again\n"));
    }
    out
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
