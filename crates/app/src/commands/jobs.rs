//! `vouch jobs`: what is done in the background.
//!
//! Invariant: the data folder is not held, so that jobs are seen and steered while a server runs.

use std::process::ExitCode;

use vouch_adapters::{embedded::is_held, system_clock::SystemClock};
use vouch_domain::{
    Job, JobTarget, NewJob,
    ports::{Clock, Enqueued},
};
use vouch_service::wire::{JobProgressWire, JobWire};

use super::{load, print, print_json, tell};
use crate::{
    cli::{Common, JobsCommand},
    exit::Usage,
    wiring::{self, Sources},
};

/// Who asks for a job on the command line.
const ASKED_BY: &str = "command line";

pub(super) async fn run(common: &Common, command: JobsCommand) -> anyhow::Result<ExitCode> {
    let queue = sources(common)?.queue()?;
    let now_ms = SystemClock::start().now_ms();
    let (id, found) = match command {
        JobsCommand::List { limit, tenant } => {
            return list(common, &queue.list(tenant.as_deref(), usize::from(limit)).await?);
        }
        JobsCommand::Show { id } => (id.clone(), queue.find(None, &id).await?),
        JobsCommand::Cancel { id } => (id.clone(), queue.cancel(None, &id, now_ms).await?),
        JobsCommand::Retry { id } => (id.clone(), queue.retry(None, &id, now_ms).await?),
    };
    let job = found.ok_or_else(|| Usage(format!("there is no job {id}; `vouch jobs list` shows them")))?;
    show(common, &job)?;
    Ok(ExitCode::SUCCESS)
}

/// The sources of the settings, without the store.
pub(super) fn sources(common: &Common) -> anyhow::Result<Sources> {
    Ok(wiring::sources_alone(&load(common)?, &common.data))
}

/// Puts jobs in the queue, and says whether somebody is there who does them.
pub(super) async fn enqueue(
    common: &Common,
    sources: &Sources,
    wanted: Vec<(String, JobTarget)>,
) -> anyhow::Result<ExitCode> {
    let queue = sources.queue()?;
    let now_ms = SystemClock::start().now_ms();
    let mut jobs = Vec::new();
    for (tenant, target) in wanted {
        let job = NewJob { tenant, target, asked_by: ASKED_BY.to_owned() };
        let job = match queue.enqueue(&job, now_ms).await? {
            Enqueued::New(job) => job,
            Enqueued::Already(job) => {
                tell(&format!("note: job {} is already doing this", job.id));
                job
            }
        };
        jobs.push(job);
    }
    if common.json {
        print_json(&jobs.iter().map(JobWire::from).collect::<Vec<_>>())?;
    } else {
        print(&jobs.iter().map(line).collect::<String>())?;
    }
    tell(match (sources.is_shared(), is_held(&common.data)) {
        (true, _) => "A server on the database will do it; `vouch jobs list` shows its progress.",
        (false, true) => "The server on this data folder will do it; `vouch jobs list` shows its progress.",
        (false, false) => {
            "No server is running on this data folder: the job waits until you start one (`vouch serve`)."
        }
    });
    Ok(ExitCode::SUCCESS)
}

fn list(common: &Common, jobs: &[Job]) -> anyhow::Result<ExitCode> {
    if common.json {
        print_json(&jobs.iter().map(JobWire::from).collect::<Vec<_>>())?;
    } else if jobs.is_empty() {
        print("There are no jobs.\n")?;
    } else {
        print(&jobs.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(common: &Common, job: &Job) -> anyhow::Result<()> {
    let wire = JobWire::from(job);
    if common.json {
        return print_json(&wire);
    }
    let mut text = line(job);
    text.push_str(&format!("requested by {} at {}", wire.asked_by, wire.asked));
    for (what, when) in [("began", &wire.started), ("ended", &wire.ended), ("next try", &wire.next_try)] {
        text.push_str(&when.as_ref().map_or(String::new(), |when| format!("; {what} {when}")));
    }
    text.push_str(&format!("; attempts {}\n", wire.attempts));
    text.push_str(&wire.error.as_ref().map_or(String::new(), |error| format!("failed: {error}\n")));
    for failure in &wire.failures {
        text.push_str(&format!("failed: {}: {}\n", failure.source, failure.reason));
    }
    print(&text)
}

fn line(job: &Job) -> String {
    let wire = JobWire::from(job);
    let what = wire.source.clone().unwrap_or_else(|| wire.paths.join(", "));
    let state = if wire.is_cancelled && !job.state.is_over() { "stopping" } else { wire.state };
    format!("{}  {state}  {} {what} of tenant {}: {}\n", wire.id, wire.kind, job.tenant, counted(&wire.progress))
}

fn counted(progress: &JobProgressWire) -> String {
    let JobProgressWire { seen, total, added, updated, unchanged, renamed, removed, failed } = progress;
    let of = total.map_or(String::new(), |total| format!(" of {total}"));
    let renamed = if *renamed > 0 { format!(", renamed {renamed}") } else { String::new() };
    format!(
        "looked at {seen}{of}, added {added}, updated {updated}, unchanged {unchanged}{renamed}, removed {removed}, failed {failed}"
    )
}
