//! `vouch store`: backups of a data folder, old versions out of it, and what to do when it is damaged.

mod compact;
mod copy;

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::{self, BackupReport, EmbeddedJobs};
use vouch_domain::ports::Jobs;

use super::{print, print_json, tell};
use crate::{
    cli::{Common, StoreCommand},
    settings::BackgroundSettings,
};

/// The file of background jobs, which a backup leaves out.
const QUEUE: &str = "jobs.db";
/// As many jobs are looked through for those that are not done yet.
const JOBS_MAX: usize = 1_000;

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

pub(super) async fn run(common: &Common, command: &StoreCommand) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Backup { folder } => {
            let report = embedded::backup(&common.data, folder)?;
            let line = format!("{} files, {} bytes in {}", report.files.len(), report.bytes, folder.display());
            tell_jobs(common).await;
            tell_backup(common, report, &line)
        }
        StoreCommand::Restore { folder, replace } => {
            let report = embedded::restore(folder, &common.data, *replace)?;
            let moved = report.moved_to.as_deref().map(|path| format!("; what was there is in {}", path.display()));
            let line = format!("{} files restored{}", report.files.len(), moved.unwrap_or_default());
            tell_backup(common, report, &line)
        }
        StoreCommand::Compact { dry_run } => compact::run(common, *dry_run),
        StoreCommand::Copy { from, to } => copy::run(common, from, to),
        StoreCommand::Migrate => copy::migrate(common),
        StoreCommand::Repair => repair(common),
    }
}

/// Says that work which waits is not in a backup. A queue is of its moment: restored later, it would do again what was done and
/// wait for what is no longer wanted, while sources that are due by the settings come up by themselves.
async fn tell_jobs(common: &Common) {
    if !common.data.join(QUEUE).exists() {
        return;
    }
    // A queue that cannot be read takes nothing from the backup.
    let Ok(queue) = EmbeddedJobs::open(&common.data, BackgroundSettings::default().kept_max) else { return };
    let listed = queue.list(None, JOBS_MAX).await.unwrap_or_default();
    match listed.iter().filter(|job| !job.state.is_over()).count() {
        0 => {}
        1 => tell("note: 1 background job is not done yet; jobs are no part of a backup (`vouch jobs list`)"),
        many => {
            tell(&format!(
                "note: {many} background jobs are not done yet; jobs are no part of a backup (`vouch jobs list`)"
            ));
        }
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
