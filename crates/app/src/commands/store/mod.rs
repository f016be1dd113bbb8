//! `vouch store`: backups of a data folder, old versions out of it, and what to do when it is damaged.

mod compact;

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::{self, BackupReport};

use super::{print, print_json};
use crate::cli::{Common, StoreCommand};

#[derive(Serialize)]
struct BackupWire {
    files: Vec<String>,
    bytes: u64,
    moved_to: Option<String>,
}

#[derive(Serialize)]
struct RepairWire {
    damaged: Vec<String>,
    lost: Vec<String>,
    left: Vec<String>,
    moved_to: Option<String>,
}

pub(super) fn run(common: &Common, command: &StoreCommand) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Backup { folder } => {
            let report = embedded::backup(&common.data, folder)?;
            let line = format!("{} files, {} bytes in {}", report.files.len(), report.bytes, folder.display());
            tell_backup(common, report, &line)
        }
        StoreCommand::Restore { folder, replace } => {
            let report = embedded::restore(folder, &common.data, *replace)?;
            let moved = report.moved_to.as_deref().map(|path| format!("; what was there is in {}", path.display()));
            let line = format!("{} files restored{}", report.files.len(), moved.unwrap_or_default());
            tell_backup(common, report, &line)
        }
        StoreCommand::Compact { dry_run } => compact::run(common, *dry_run),
        StoreCommand::Repair => repair(common),
    }
}

fn tell_backup(common: &Common, report: BackupReport, line: &str) -> anyhow::Result<ExitCode> {
    if common.json {
        let moved_to = report.moved_to.as_deref().map(shown);
        print_json(&BackupWire { files: report.files, bytes: report.bytes, moved_to })?;
    } else {
        print(&format!("{line}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn repair(common: &Common) -> anyhow::Result<ExitCode> {
    let report = embedded::repair(&common.data)?;
    let is_mended = report.left.is_empty();
    let wire = RepairWire {
        damaged: report.damaged,
        lost: report.lost,
        left: report.left,
        moved_to: report.moved_to.as_deref().map(shown),
    };
    if common.json {
        print_json(&wire)?;
    } else {
        let mut out = String::new();
        for (what, lines) in [("damaged", &wire.damaged), ("lost", &wire.lost), ("not mended", &wire.left)] {
            lines.iter().for_each(|line| out.push_str(&format!("{what}: {line}\n")));
        }
        if let Some(path) = &wire.moved_to {
            out.push_str(&format!("the damaged files are in {path}\n"));
        }
        if wire.damaged.is_empty() && is_mended {
            out.push_str("nothing was damaged; the indexes are rebuilt at the next start\n");
        }
        print(&out)?;
    }
    Ok(if is_mended { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
