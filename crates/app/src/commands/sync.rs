//! `vouch sync`: sources of the settings into the store, here and now or by a server.

use std::process::ExitCode;

use vouch_domain::{JobTarget, PortError, ports::OpenSource};
use vouch_engine::ingest::{IngestReport, IngestRun, PruneExtent, UnreadableSource};

use super::{ingest, jobs, open_to_fill, print, print_json, tell};
use crate::{
    cli::{Common, SyncArgs},
    delegation::remote_output::is_abandoned,
    exit::Usage,
    progress::Bar,
    settings::SourceSettings,
    wiring::App,
};

pub(super) async fn run(common: &Common, args: &SyncArgs) -> anyhow::Result<ExitCode> {
    let sources = jobs::sources(common)?;
    let wanted = wanted(&sources.all, &args.names)?;
    if args.background {
        let targets = wanted.iter().map(|source| (source.tenant.clone(), JobTarget::Source(source.name.clone())));
        return jobs::enqueue(common, &sources, targets.collect()).await;
    }
    let app = open_to_fill(common)?;
    let mut is_whole = true;
    for source in wanted.iter().take_while(|_| !is_abandoned()) {
        match sync(&app, source, args).await {
            Ok(report) => {
                is_whole &= ingest::is_whole(&report);
                show(common, source, &report)?;
            }
            // The others may well be reached.
            Err(error) => {
                is_whole = false;
                tell(&format!("failed: {}: {}", source.name, error.sentence));
            }
        }
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The sources of these names, or all of them.
fn wanted(all: &[SourceSettings], names: &[String]) -> anyhow::Result<Vec<SourceSettings>> {
    if all.is_empty() {
        return Err(Usage("the settings have no sources; add some under `sources`".to_owned()).into());
    }
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    let find = |name: &String| {
        let unknown = || {
            let known: Vec<&str> = all.iter().map(|source| source.name.as_str()).collect();
            Usage(format!("the settings have no source '{name}', only {}", known.join(", ")))
        };
        all.iter().find(|source| source.name == *name).cloned().ok_or_else(unknown)
    };
    Ok(names.iter().map(find).collect::<Result<Vec<_>, Usage>>()?)
}

async fn sync(app: &App, settings: &SourceSettings, args: &SyncArgs) -> Result<IngestReport, PortError> {
    let source = if args.open { app.sources.source_to_open(settings)? } else { app.sources.source(settings)? };
    let opened = source.open(&|| !is_abandoned()).await?;
    let OpenSource { roots, documents, exists, .. } = opened;
    let _turn = app.turn_to_change(&settings.tenant).await?;
    let bar = Bar::start(0);
    let run = IngestRun {
        sees_all: true,
        tenant: &settings.tenant,
        roots: &roots,
        source_exists: exists.as_ref(),
        progress: &bar,
    };
    let documents = documents.map(|read| {
        bar.read(read.as_ref().map_or(0, |raw| raw.bytes.len() as u64));
        read.map_err(|fault| UnreadableSource { source: fault.source, shown: fault.shown, sentence: fault.sentence })
    });
    let mut report = app.ingest.ingest(documents, &run).await?;
    if settings.prune || args.prune_many {
        let extent = if args.prune_many { PruneExtent::Many } else { PruneExtent::Few };
        app.ingest.prune(&run, extent, &mut report).await?;
    }
    bar.finish();
    Ok(report)
}

fn show(common: &Common, source: &SourceSettings, report: &IngestReport) -> anyhow::Result<()> {
    if let Some(reason) = &report.indexes_behind {
        tell(&format!("vouch: {reason}; what was added is stored, and the next start brings the indexes up to date"));
    }
    ingest::tell_access(report);
    for unpruned in &report.unpruned {
        let word = format!("`vouch sync {} --prune-many`", source.name);
        tell(&format!("not removed: {}: {}", unpruned.root, unpruned.sentence(&word)));
    }
    let failed = ingest::failed_count(report);
    if common.json {
        return print_json(&serde_json::json!({
            "source": source.name, "added": report.added, "updated": report.updated, "unchanged": report.unchanged,
            "renamed": report.renamed, "removed": report.removed, "failed": failed,
        }));
    }
    let renamed = if report.renamed > 0 { format!(", renamed {}", report.renamed) } else { String::new() };
    print(&format!(
        "{}: added {}, updated {}, unchanged {}{renamed}, removed {}, failed {failed}\n",
        source.name, report.added, report.updated, report.unchanged, report.removed
    ))
}
