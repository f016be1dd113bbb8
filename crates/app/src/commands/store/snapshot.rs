//! `vouch store snapshot`: what new nodes start from.

use std::process::ExitCode;

use serde::Serialize;
use vouch_adapters::embedded;

use super::shown;
use crate::{
    cli::Common,
    commands::{load, print, print_json},
    exit::Usage,
};

#[derive(Serialize)]
struct SnapshotWire {
    path: String,
    change: u64,
    generation: u64,
    bytes: u64,
    was_there: bool,
    removed: usize,
}

pub(super) fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let missing = || Usage("the settings have no folder for snapshots; set store.snapshots".to_owned());
    let loaded = load(common)?;
    let place = loaded.settings.store.snapshots.as_ref().ok_or_else(missing)?.for_adapter();
    let report = embedded::write_snapshot(&common.data, &place)?;
    let path = shown(&report.path);
    if common.json {
        let (change, generation, bytes) = (report.change, report.generation, report.bytes);
        let wire =
            SnapshotWire { path, change, generation, bytes, was_there: report.was_there, removed: report.removed };
        print_json(&wire)?;
        return Ok(ExitCode::SUCCESS);
    }
    let verb = if report.was_there { "was there already" } else { "written" };
    print(&format!("snapshot {verb}: {path}, at change {}, {} bytes\n", report.change, report.bytes))?;
    if report.removed > 0 {
        print(&format!("older snapshots removed: {}\n", report.removed))?;
    }
    Ok(ExitCode::SUCCESS)
}
