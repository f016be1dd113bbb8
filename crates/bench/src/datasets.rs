//! A folder of data sets → stores filled with their corpora and the questions that go with them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use vouch_adapters::{
    embedded::EmbedderCheck,
    files::{self, Links, Reading},
};
use vouch_domain::{Question, Reader, document::Labels, ports::Embedder};
use vouch_engine::{
    ingest::{Ingest, IngestRun, UnreadableSource},
    retrieve::Candidate,
};
use vouch_evals::golden::{self, GoldenQuestion};

use crate::cli::BenchArgs;
use vouch_app::{
    cli::Common,
    console::{load, tell},
    exit::Usage,
    progress::Bar,
    wiring::{self, App},
};

/// What a corpus and its questions may be called: one file, or a folder of documents as people keep them.
const CORPORA: &[&str] = &["corpus.jsonl", "documents", "corpus"];
const QUESTIONS: &[&str] = &["queries.jsonl", "questions.jsonl", "golden.jsonl"];
const SET: &str =
    "a set has corpus.jsonl or a folder `documents` or `corpus`, and queries.jsonl, questions.jsonl or golden.jsonl";

/// A corpus in a store and its questions.
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) app: App,
    pub(crate) questions: Vec<GoldenQuestion>,
}

/// The names of the sets that have a corpus and questions, in order; those that were asked for and do not exist
/// are an error.
pub(crate) fn names(common: &Common, args: &BenchArgs) -> anyhow::Result<Vec<String>> {
    let entries = std::fs::read_dir(&common.data)
        .map_err(|error| Usage(format!("--data {}: no folder of data sets ({error})", common.data.display())))?;
    let mut found: BTreeSet<String> = BTreeSet::new();
    for entry in entries {
        let path = entry?.path();
        if corpus(&path).is_some() && questions(&path).is_some() {
            found.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    let missing: Vec<&String> = args.sets.iter().filter(|name| !found.contains(*name)).collect();
    if !missing.is_empty() {
        bail!(Usage(format!("not in {}: {missing:?} ({SET})", common.data.display())));
    }
    if found.is_empty() {
        bail!(Usage(format!("{} holds no data set ({SET})", common.data.display())));
    }
    Ok(if args.sets.is_empty() { found.into_iter().collect() } else { args.sets.clone() })
}

fn corpus(set: &Path) -> Option<PathBuf> {
    CORPORA.iter().map(|name| set.join(name)).find(|path| path.exists())
}

fn questions(set: &Path) -> Option<PathBuf> {
    QUESTIONS.iter().map(|name| set.join(name)).find(|path| path.is_file())
}

/// Fills a store with a set's corpus, as far as it is not filled yet.
pub(crate) async fn open(
    common: &Common,
    args: &BenchArgs,
    name: &str,
    embedder: &Arc<dyn Embedder>,
) -> anyhow::Result<DataSet> {
    let folder = common.data.join(name);
    let loaded = load(common)?;
    let app = wiring::build_with(&loaded, &args.store.join(name), EmbedderCheck::Enforce, Arc::clone(embedder))?;
    let missing = || Usage(format!("{}: {SET}", folder.display()));
    ingest_files(&app, &corpus(&folder).ok_or_else(missing)?).await?;
    let path = questions(&folder).ok_or_else(missing)?;
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let questions = golden::read(&text).with_context(|| path.display().to_string())?;
    Ok(DataSet { name: name.to_owned(), app, questions })
}

/// A question as the benchmark asks it, of everything that is stored.
pub(crate) fn question(text: &str, passages_max: Option<usize>) -> Question {
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    Question { passages_max, ..Question::new(text, reader) }
}

/// Documents in the order of their best passage.
pub(crate) fn documents<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Vec<String> {
    let mut ranking: Vec<String> = Vec::new();
    for candidate in candidates {
        let id = candidate.passage.document.id.as_str();
        if ranking.iter().all(|known| known != id) {
            ranking.push(id.to_owned());
        }
    }
    ranking
}

pub(crate) async fn ingest_files(app: &App, corpus: &Path) -> anyhow::Result<()> {
    ingest_files_with(&app.ingest, corpus).await
}

/// The same by another walk than the app's own.
pub(crate) async fn ingest_files_with(ingest: &Ingest, corpus: &Path) -> anyhow::Result<()> {
    let paths = [corpus.to_owned()];
    let reading = Reading {
        bytes_max: 1 << 30,
        links: Links::Everywhere,
        labels: Labels { tenant: Reader::DEFAULT_TENANT.to_owned(), ..Labels::default() },
        foreign: Vec::new(),
    };
    let bar = Bar::start(files::measure(&paths, &reading));
    let run = IngestRun {
        sees_all: true,
        tenant: Reader::DEFAULT_TENANT,
        roots: &[],
        source_exists: &|_| true,
        progress: &bar,
    };
    let sources = files::read_all(&paths, &reading).map(|outcome| {
        outcome.map_err(|fault| UnreadableSource { source: fault.source, shown: fault.path, sentence: fault.sentence })
    });
    let report = ingest.ingest(sources, &run).await?;
    bar.finish();
    if report.added + report.updated + report.failed > 0 {
        let done = report.added + report.updated;
        tell(&format!("{}: {done} documents taken in, {} failed", corpus.display(), report.failed));
    }
    Ok(())
}
