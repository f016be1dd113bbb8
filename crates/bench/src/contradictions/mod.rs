//! `vouch-bench contradictions`: of contradictions planted in a corpus those that are found, of documents that only seem to
//! contradict it those that are flagged, and the alarms between documents of the corpus itself.

mod counting_embedder;
mod figures;
mod planted;
mod suspected;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use vouch_adapters::embedded::EmbedderCheck;
use vouch_domain::{FindingKind, Reader, ports::Findings};
use vouch_engine::{findings::Review, ingest::Ingest};
use vouch_models::GteSmall;

use crate::{cli::ContradictionsArgs, datasets};
use vouch_app::{
    cli::Common,
    console::{load, print, print_json, tell},
    exit::Usage,
    wiring,
};

use counting_embedder::CountingEmbedder;
use figures::{Figures, Times};
use planted::Planted;

const CORPUS: &str = "corpus.jsonl";
const PLANTED: &str = "planted.jsonl";
/// Nothing is left uncompared for want of time.
const WITHOUT_END: Duration = Duration::from_secs(86_400);

pub(crate) async fn run(common: &Common, args: &ContradictionsArgs) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    for (name, folder) in sets(&common.data)? {
        all.push(measure(common, args, &name, &folder).await?);
    }
    if common.json {
        print_json(&all)?;
    } else {
        print(&figures::shown(&all))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The sets of a folder: itself, or the folders in it.
fn sets(data: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if data.join(CORPUS).is_file() {
        return Ok(vec![(name(data), data.to_owned())]);
    }
    let entries = std::fs::read_dir(data)
        .map_err(|error| Usage(format!("--data {}: no folder of documents ({error})", data.display())))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.join(CORPUS).is_file() {
            found.push((name(&path), path));
        }
    }
    if found.is_empty() {
        let told = "neither it nor a folder in it has corpus.jsonl, lines of {\"id\", \"title\", \"text\"}";
        bail!(Usage(format!("--data {}: {told}", data.display())));
    }
    found.sort();
    Ok(found)
}

async fn measure(common: &Common, args: &ContradictionsArgs, name: &str, folder: &Path) -> anyhow::Result<Figures> {
    let planted = match folder.join(PLANTED) {
        path if path.is_file() => planted::read(&path)?,
        path => {
            tell(&format!("{} is not there: only alarms between documents are counted", path.display()));
            Vec::new()
        }
    };
    let store = args.store.join(format!("contradictions-{name}"));
    if store.exists() {
        std::fs::remove_dir_all(&store).with_context(|| format!("cannot empty {}", store.display()))?;
    }
    std::fs::create_dir_all(&store)?;
    let embedder = Arc::new(CountingEmbedder::new(GteSmall::load(wiring::threads())?).await?);
    let app = wiring::build_with(&load(common)?, &store, EmbedderCheck::Enforce, embedder.clone())?;
    let ingest = Ingest { findings: None, ..app.ingest.clone() };
    let started = Instant::now();
    datasets::ingest_files_with(&ingest, &folder.join(CORPUS)).await?;
    let documents = ingest.catalogue.counts(&reader()).await?.documents;
    if !planted.is_empty() {
        let path = store.join(PLANTED);
        std::fs::write(&path, planted::as_documents(&planted)?)?;
        datasets::ingest_files_with(&ingest, &path).await?;
    }
    let without_vectors = started.elapsed();
    let findings: &dyn Findings = app.store.findings.as_ref();
    let judge = app.engine.claim_judge.as_deref();
    if let Some(path) = &args.pairs {
        suspected::write(findings, judge, path).await?;
    }
    let started = Instant::now();
    let review = Review {
        findings,
        catalogue: ingest.catalogue.as_ref(),
        judge,
        clock: ingest.clock.as_ref(),
        until: ingest.clock.since_start() + WITHOUT_END,
        is_wanted: &|| true,
    };
    let report = review.run(Reader::DEFAULT_TENANT).await?;
    let comparing = started.elapsed();
    let times = Times { compared: report.compared, comparing, taking_in: without_vectors + embedder.time().await? };
    let found = findings.open(&reader(), Some(FindingKind::Contradiction), usize::MAX).await?.findings;
    Ok(Figures::new(name, documents, (&planted, &found), &times))
}

fn reader() -> Reader {
    Reader::of_tenant(Reader::DEFAULT_TENANT)
}
