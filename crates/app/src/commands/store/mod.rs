//! `vouch store`: backups of a data folder, copies and snapshots, old versions out of it, and what to do when it is damaged.

mod backup;
mod compact;
mod copy;
mod snapshot;

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::{self, RestoreConsent};

use super::{print, print_json};
use crate::cli::{Common, StoreCommand};

#[derive(Serialize)]
struct RepairWire {
    damaged: Vec<String>,
    lost: Vec<String>,
    left: Vec<String>,
    moved_to: Option<String>,
}

pub(super) async fn run(common: &Common, command: &StoreCommand) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Backup { folder, point } => backup::backup(common, folder, point).await,
        StoreCommand::Restore { folder, replace, open, point } => {
            let consent = RestoreConsent { replaces: *replace, opens: *open };
            backup::restore(common, folder, consent, point)
        }
        StoreCommand::Compact { dry_run } => compact::run(common, *dry_run),
        StoreCommand::Copy { from, to, start_over } => copy::run(common, (from, to), *start_over),
        StoreCommand::Digest => copy::digest(common),
        StoreCommand::Snapshot => snapshot::run(common),
        StoreCommand::Migrate => copy::migrate(common),
        StoreCommand::Repair => repair(common),
    }
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
