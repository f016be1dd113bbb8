//! `vouch store backup` and `vouch store restore`: a data folder, now or at an earlier time, into another folder and back.

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::{self, BackupReport, EmbeddedJobs, PointInTime, RestoreConsent, TurnedBack};
use vouch_domain::{
    Timestamp,
    ports::{Generation, Jobs},
};

use super::shown;
use crate::{
    cli::{Common, PointArgs},
    commands::{load, print, print_json, tell},
    exit::Usage,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    turned_back: Option<TurnedBackWire>,
}

#[derive(Serialize)]
struct TurnedBackWire {
    generation: u64,
    goes_on_at: u64,
}

pub(super) async fn backup(common: &Common, folder: &Path, point: &PointArgs) -> anyhow::Result<ExitCode> {
    let is_node = load(common)?.settings.store.postgres.is_some();
    let report = embedded::backup_at(&common.data, folder, of_args(point)?.as_ref())?;
    let line = format!("{} files, {} bytes in {}", report.files.len(), report.bytes, folder.display());
    if is_node {
        tell(
            "note: the documents here are this server's copy of the database; back the database itself up as the role that owns \
             it: `PGOPTIONS=\"-c vouch.tenant=*\" pg_dump --enable-row-security --schema vouch`. What this server has not sent to \
             the trail there yet is in this folder alone",
        );
    } else {
        tell_jobs(common).await;
    }
    show(common, report, &line)
}

pub(super) fn restore(
    common: &Common,
    folder: &Path,
    consent: RestoreConsent,
    point: &PointArgs,
) -> anyhow::Result<ExitCode> {
    let report = embedded::restore_at(folder, &common.data, consent, of_args(point)?.as_ref())?;
    let moved = report.moved_to.as_deref().map(|path| format!("; what was there is in {}", path.display()));
    let line = format!("{} files restored{}", report.files.len(), moved.unwrap_or_default());
    show(common, report, &line)
}

/// The point in time that is named, if one is.
fn of_args(point: &PointArgs) -> anyhow::Result<Option<PointInTime>> {
    if let Some(generation) = point.generation {
        return Ok(Some(PointInTime::Generation(Generation(generation))));
    }
    let Some(at) = &point.at else { return Ok(None) };
    let moment = if at.contains(['T', ' ']) { at.clone() } else { format!("{at}T00:00") };
    if Timestamp::parse(&moment).is_none() {
        let sentence = format!("--at is '{at}', it must be a day or a moment such as 2026-05-21 or 2026-05-21T10:30Z");
        return Err(Usage(sentence).into());
    }
    Ok(Some(PointInTime::Moment(moment)))
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
        1 => tell("note: 1 background job is not done yet; jobs are not part of a backup (`vouch jobs list`)"),
        many => {
            tell(&format!(
                "note: {many} background jobs are not done yet; jobs are not part of a backup (`vouch jobs list`)"
            ));
        }
    }
}

fn show(common: &Common, report: BackupReport, line: &str) -> anyhow::Result<ExitCode> {
    let turned_back = report.turned_back;
    if common.json {
        let moved_to = report.moved_to.as_deref().map(shown);
        let turned_back = turned_back.map(|to| TurnedBackWire { generation: to.to.0, goes_on_at: to.goes_on_at.0 });
        print_json(&BackupWire { files: report.files, bytes: report.bytes, moved_to, turned_back })?;
    } else {
        print(&format!("{line}\n"))?;
        if let Some(TurnedBack { to, goes_on_at, .. }) = turned_back {
            print(&format!(
                "the documents are as they were at generation {}; the store goes on at generation {}\n",
                to.0, goes_on_at.0
            ))?;
        }
    }
    if turned_back.is_some() {
        tell(
            "note: memory, vocabulary, people, the trail and keys are not kept by generation; they are as they were last",
        );
    }
    if turned_back.is_some_and(|to| to.passages_without_vector > 0) {
        tell(
            "note: some vectors of that time no longer exist; make them again with `vouch reembed` once it is restored",
        );
    }
    Ok(ExitCode::SUCCESS)
}
