//! `vouch ingest`: files into the store, with a bar, a line for every failure and a count at the end.

use std::{collections::BTreeSet, process::ExitCode, sync::Arc, time::Duration};

use serde::Serialize;
use vouch_adapters::files::{self, Links, Reading};
use vouch_domain::{
    Document, FindingKind, FindingPage, JobPaths, JobTarget, RawDocument, Reader,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_engine::ingest::{Failure, IngestReport, IngestRun, PruneExtent, UnreadableSource};
use vouch_service::{certificate::Standing, run_findings, wire::OpenFindingWire};

use super::{jobs, load, open_to_fill, print, print_json, tell};
use crate::{
    certificate_file,
    cli::{Common, IngestArgs},
    delegation::{remote_output::is_abandoned, working_folder},
    exit::Usage,
    progress::Bar,
    wiring::App,
};

/// How many skipped files are told by name.
const SKIPPED_TOLD_MAX: usize = 20;
/// How many findings are told.
const FINDINGS_TOLD_MAX: usize = 10;
/// How often a watched folder is looked at.
const WATCH_EVERY: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct ReportWire<'a> {
    added: u64,
    updated: u64,
    unchanged: u64,
    renamed: u64,
    removed: u64,
    failed: u64,
    skipped: usize,
    /// Documents whose files are gone and that were not removed, since they are too many.
    not_removed: u64,
    failures: Vec<FailureWire<'a>>,
    skipped_files: Vec<FailureWire<'a>>,
    warnings: Vec<WarningWire<'a>>,
    findings: Vec<OpenFindingWire>,
    findings_total: u64,
}

#[derive(Serialize)]
struct FailureWire<'a> {
    source: &'a str,
    place: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct WarningWire<'a> {
    source: &'a str,
    reason: &'a str,
}

pub(super) async fn run(common: &Common, args: &IngestArgs) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    if args.tenant.trim().is_empty() {
        return Err(Usage("--tenant must not be empty".to_owned()).into());
    }
    if args.background {
        return enqueue(common, args).await;
    }
    let mut app = open_to_fill(common)?;
    if args.reread {
        app.ingest.parser = Arc::new(Rereading(app.ingest.parser));
    }
    let reading = Reading {
        bytes_max: loaded.settings.ingest.file_bytes_max,
        links: if args.follow_links { Links::Everywhere } else { Links::Within },
        labels: Labels {
            tenant: args.tenant.clone(),
            collection: args.collection.clone(),
            kind: args.kind.clone(),
            tags: tags(args),
            opens: args.open,
        },
        foreign: loaded.settings.ingest.convert.iter().flat_map(|one| one.endings.clone()).collect(),
    };
    let mut last = files::signature(&args.paths, &reading);
    let report = ingest_files(&app, args, &reading).await?;
    show(common, args, &reading, (&report, &found(&app, args, &report).await?))?;
    if let Some((Standing::Withdrawn, sentence)) = certificate_file::standing(&app).await? {
        tell(&format!("The certificate of the answers is {sentence}"));
    }
    if args.watch {
        tell("Watching; stop with Ctrl-C.");
        loop {
            tokio::time::sleep(WATCH_EVERY).await;
            if is_abandoned() {
                break;
            }
            let now = files::signature(&args.paths, &reading);
            if now == last {
                continue;
            }
            last = now;
            let report = ingest_files(&app, args, &reading).await?;
            if report.added + report.updated + report.renamed + report.removed > 0 || !report.unpruned.is_empty() {
                show(common, args, &reading, (&report, &found(&app, args, &report).await?))?;
            }
        }
    }
    Ok(if is_whole(&report) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Leaves the paths to a server, which may run in another folder.
async fn enqueue(common: &Common, args: &IngestArgs) -> anyhow::Result<ExitCode> {
    let mut paths = Vec::new();
    for path in &args.paths {
        let gone = |error| Usage(format!("{} cannot be read: {error}", path.display()));
        let real = std::fs::canonicalize(path).map_err(gone)?;
        let text = real.to_str().ok_or_else(|| Usage(format!("the path {} is not valid UTF-8", path.display())))?;
        paths.push(text.to_owned());
    }
    let wanted = JobPaths {
        paths,
        collection: args.collection.clone(),
        kind: args.kind.clone(),
        tags: tags(args),
        opens: args.open,
        prunes: args.prune || args.prune_many,
        prunes_many: args.prune_many,
        follows_links: args.follow_links,
    };
    let target = JobTarget::Paths(wanted);
    jobs::enqueue(common, &jobs::sources(common)?, vec![(args.tenant.clone(), target)]).await
}

fn tags(args: &IngestArgs) -> BTreeSet<String> {
    args.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

async fn ingest_files(app: &App, args: &IngestArgs, reading: &Reading) -> anyhow::Result<IngestReport> {
    let _turn = app.turn_to_change(&args.tenant).await?;
    let bar = Bar::start(files::measure(&args.paths, reading));
    // A path that is not there at all is far more often a typing error than a wish to forget everything below it.
    let roots: Vec<String> =
        args.paths.iter().filter(|path| path.exists()).map(|path| files::source_name(path)).collect();
    let run = IngestRun {
        sees_all: true,
        tenant: &args.tenant,
        roots: &roots,
        source_exists: &|source| std::path::Path::new(source).exists(),
        progress: &bar,
    };
    let sources = files::read_all_from(working_folder::current().as_deref(), &args.paths, reading).map(|outcome| {
        bar.read(outcome.as_ref().map_or(0, |raw| raw.bytes.len() as u64));
        outcome.map_err(|fault| UnreadableSource { source: fault.source, shown: fault.path, sentence: fault.sentence })
    });
    let mut report = app.ingest.ingest(sources, &run).await?;
    if args.prune || args.prune_many || args.watch {
        let extent = if args.prune_many { PruneExtent::Many } else { PruneExtent::Few };
        app.ingest.prune(&run, extent, &mut report).await?;
    } else {
        app.ingest.count_unseen(&run, &mut report).await?;
    }
    bar.finish();
    Ok(report)
}

/// Reads every source, whether or not it has changed.
struct Rereading(Arc<dyn Parser>);

impl Parser for Rereading {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        self.0.parse(raw)
    }

    fn recipe(&self) -> Option<String> {
        None
    }
}

/// Whether everything was taken in and removed that was to be.
pub(super) fn is_whole(report: &IngestReport) -> bool {
    failed_count(report) == 0 && report.indexes_behind.is_none() && report.unpruned.is_empty()
}

/// What failed, without the sources that hold no text. Of more than are kept word for word the rest counts as failed.
pub(super) fn failed_count(report: &IngestReport) -> u64 {
    let empty = report.failures.iter().filter(|failure| failure.is_empty_source()).count();
    report.failed.saturating_sub(empty as u64)
}

/// Who may see documents of which this run says nothing.
pub(super) fn tell_access(report: &IngestReport) {
    let count = |number: u64, one: &str, many: &str| match number {
        1 => format!("1 document {one}"),
        _ => format!("{number} documents {many}"),
    };
    if report.kept_access > 0 {
        let kept = count(report.kept_access, "keeps the tags it was", "keep the tags they were");
        tell(&format!("note: {kept} given before; --open lets more people see such documents"));
    }
    if report.joined_access > 0 {
        let joined = count(report.joined_access, "is new and has", "are new and have");
        tell(&format!(
            "note: {joined} the tags of all others in the folder; --open lets more people see such documents"
        ));
    }
    if report.kept_access > 0 && report.open_by_silence > 0 {
        let open = count(report.open_by_silence, "is", "are");
        tell(&format!("note: {open} new and open to everyone, unlike those; use --tags to limit who may see them"));
    }
}

/// What came of comparing what is new with what is there.
async fn found(app: &App, args: &IngestArgs, report: &IngestReport) -> anyhow::Result<FindingPage> {
    let Some(comparing) = &app.ingest.findings else { return Ok(FindingPage::default()) };
    Ok(run_findings(comparing.findings.as_ref(), &Reader::of_tenant(&args.tenant), report).await?)
}

fn tell_findings(report: &IngestReport, found: &FindingPage) {
    for finding in found.findings.iter().take(FINDINGS_TOLD_MAX) {
        let [one, other] = finding.sides.each_ref().map(|side| side.document.title.as_str());
        match finding.kind {
            FindingKind::Duplicate => {
                tell(&format!("note: \"{one}\" is nearly the same as \"{other}\" ({} %)", finding.likeness));
            }
            // `vouch review` alone lists these.
            FindingKind::Versions | FindingKind::Contradiction => {}
        }
    }
    if found.total > 0 {
        tell(&format!("note: findings to review: {}; `vouch review` lists them", found.total));
    }
    if report.review.is_cut {
        tell("note: there was no time to compare every document with the others; the next ingest continues");
    }
}

fn show(
    common: &Common,
    args: &IngestArgs,
    reading: &Reading,
    (report, found): (&IngestReport, &FindingPage),
) -> anyhow::Result<()> {
    if let Some(reason) = &report.indexes_behind {
        tell(&format!("vouch: {reason}; what was added is stored, and the next start brings the indexes up to date"));
    }
    let unread = files::skipped(&args.paths, reading);
    let (empty, failed): (Vec<&Failure>, Vec<&Failure>) =
        report.failures.iter().partition(|failure| failure.is_empty_source());
    let unread_count = unread.count + empty.len();
    let failed_count = failed_count(report);
    let names: Vec<(String, &str)> =
        unread.named.iter().map(|(path, why)| (path.display().to_string(), why.as_str())).collect();
    let skipped = || {
        let empty = empty.iter().map(|failure| (failure.source.as_str(), failure.sentence.as_str()));
        names.iter().map(|(path, why)| (path.as_str(), *why)).chain(empty)
    };
    if common.json {
        let skipped_files = skipped().map(|(source, reason)| FailureWire { source, place: "", reason }).collect();
        let failures = failed
            .iter()
            .map(|failure| FailureWire { source: &failure.source, place: &failure.place, reason: &failure.sentence })
            .collect();
        let warnings = report
            .warnings
            .iter()
            .map(|warning| WarningWire { source: &warning.source, reason: &warning.sentence })
            .collect();
        return print_json(&ReportWire {
            added: report.added,
            updated: report.updated,
            unchanged: report.unchanged,
            renamed: report.renamed,
            removed: report.removed,
            failed: failed_count,
            skipped: unread_count,
            not_removed: report.unpruned.iter().map(|unpruned| unpruned.gone).sum(),
            failures,
            skipped_files,
            warnings,
            findings: found.findings.iter().map(OpenFindingWire::new).collect(),
            findings_total: found.total,
        });
    }
    for (path, why) in skipped().take(SKIPPED_TOLD_MAX) {
        tell(&format!("skipped: {path}: {why}"));
    }
    if unread_count > SKIPPED_TOLD_MAX {
        tell(&format!("skipped: {} more", unread_count - SKIPPED_TOLD_MAX));
    }
    tell_access(report);
    if report.without_file > 0 {
        let (many, them) = if report.without_file == 1 { ("document", "it") } else { ("documents", "them") };
        tell(&format!("note: the files of {} stored {many} are gone; --prune removes {them}", report.without_file));
    }
    for unpruned in &report.unpruned {
        tell(&format!("not removed: {}: {}", unpruned.root, unpruned.sentence("--prune-many")));
    }
    tell_findings(report, found);
    let also = if unread_count > 0 { format!(", skipped {unread_count}") } else { String::new() };
    let renamed = if report.renamed > 0 { format!(", renamed {}", report.renamed) } else { String::new() };
    print(&format!(
        "added {}, updated {}, unchanged {}{renamed}, removed {}, failed {failed_count}{also}\n",
        report.added, report.updated, report.unchanged, report.removed
    ))
}
