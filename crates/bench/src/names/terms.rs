//! Real vocabularies: how long they take to come in, how fast a term is found, and whether each label finds its own.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use anyhow::Context;
use serde::Serialize;
use vouch_adapters::{embedded::EmbedderCheck, skos_file};
use vouch_domain::{
    Concept, Reader, TermKey,
    ports::{Embedder, Vocabulary},
};
use vouch_engine::decide::Decision;

use super::{blank::Blank, cited};
use crate::cli::BenchArgs;
use vouch_app::{
    cli::Common,
    settings,
    wiring::{self, App},
};

const NON_TERMS: usize = 500;
const SYLLABLES: [&str; 16] =
    ["qua", "zor", "bex", "lim", "tuv", "pra", "nix", "goy", "shu", "vek", "dra", "wof", "kli", "mub", "jez", "fyr"];

#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    files: usize,
    failed: Vec<String>,
    concepts: usize,
    largest_file: String,
    largest_concepts: usize,
    largest_seconds: f64,
    lookups: usize,
    lookup_p50_ms: f64,
    lookup_p99_ms: f64,
    defined_labels: usize,
    defined_found: usize,
    non_terms: usize,
    non_terms_refused: usize,
}

impl Row {
    pub(super) fn table(&self) -> Vec<Vec<String>> {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        vec![
            row("vocabulary files", format!("{}, failed: {:?}", self.files, self.failed)),
            row("concepts", self.concepts.to_string()),
            row(
                "largest",
                format!("{}: {} in {:.2} s", self.largest_file, self.largest_concepts, self.largest_seconds),
            ),
            row(
                "look-ups",
                format!("{}, p50 {:.3} ms, p99 {:.3} ms", self.lookups, self.lookup_p50_ms, self.lookup_p99_ms),
            ),
            row("labels of defined concepts found", format!("{} of {}", self.defined_found, self.defined_labels)),
            row("words that are no terms refused", format!("{} of {}", self.non_terms_refused, self.non_terms)),
        ]
    }
}

pub(super) async fn measure(common: &Common, args: &BenchArgs) -> anyhow::Result<Row> {
    let loaded = settings::parse_text("the benchmark's settings", "terminology:\n  source: skos_file\n")?;
    let folder = args.store.join("names-skos");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let embedder: Arc<dyn Embedder> = Arc::new(Blank::new());
    let app = wiring::build_with(&loaded, &folder, EmbedderCheck::Enforce, embedder)?;
    let mut row = Row::default();
    let mut all: Vec<Concept> = Vec::new();
    for path in vocabularies(&common.data.join("skos"))? {
        ingest_files(&app, &path, &mut row, &mut all)?;
    }
    time_lookups(&app, &all, &mut row).await?;
    find_labels(&app, &all, &mut row).await?;
    refuse_non_terms(&app, &mut row).await?;
    Ok(row)
}

fn vocabularies(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("no vocabularies in {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(vocabularies(&path)?);
        } else if skos_file::is_skos(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn ingest_files(app: &App, path: &Path, row: &mut Row, all: &mut Vec<Concept>) -> anyhow::Result<()> {
    row.files += 1;
    let started = Instant::now();
    let bytes = std::fs::read(path)?;
    match skos_file::read(path, &bytes) {
        Err(fault) => row.failed.push(format!("{}: {fault}", path.display())),
        Ok(concepts) => {
            let source = path.display().to_string();
            app.store.vocabulary.replace(Reader::DEFAULT_TENANT, &source, &concepts)?;
            row.concepts += concepts.len();
            if concepts.len() > row.largest_concepts {
                row.largest_concepts = concepts.len();
                row.largest_seconds = started.elapsed().as_secs_f64();
                row.largest_file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            }
            all.extend(concepts);
        }
    }
    Ok(())
}

async fn time_lookups(app: &App, all: &[Concept], row: &mut Row) -> anyhow::Result<()> {
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let mut times: Vec<f64> = Vec::new();
    for label in all.iter().flat_map(|concept| &concept.labels).step_by(3) {
        let Some(key) = TermKey::parse(&label.wording.text) else { continue };
        let started = Instant::now();
        app.store.vocabulary.look_up(&reader, &key).await?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    row.lookups = times.len();
    row.lookup_p50_ms = times.get(times.len() / 2).copied().unwrap_or_default();
    row.lookup_p99_ms = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    Ok(())
}

/// A label has found its concept where that is cited, alone or among the meanings to choose from.
async fn find_labels(app: &App, all: &[Concept], row: &mut Row) -> anyhow::Result<()> {
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    for concept in all.iter().filter(|concept| !concept.definitions.is_empty()) {
        for label in &concept.labels {
            row.defined_labels += 1;
            let Some(response) = app.engine.define_term(&label.wording.text, &reader).await? else { continue };
            let is_found = match &response.decision {
                Decision::Answer(_) => cited(&response).is_some_and(|ids| ids.contains(&concept.uri.as_str())),
                Decision::Clarify(clarification) => clarification
                    .text
                    .as_ref()
                    .is_some_and(|text| text.citations().iter().any(|one| one.document().id.as_str() == concept.uri)),
                Decision::Refuse(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => false,
            };
            row.defined_found += usize::from(is_found);
        }
    }
    Ok(())
}

async fn refuse_non_terms(app: &App, row: &mut Row) -> anyhow::Result<()> {
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let mut seed: u64 = 7;
    for _ in 0..NON_TERMS {
        let mut word = String::new();
        for _ in 0..4 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(seed >> 60).unwrap_or_default();
            word.push_str(SYLLABLES.get(at).copied().unwrap_or_default());
        }
        row.non_terms += 1;
        if let Some(response) = app.engine.define_term(&word, &reader).await?
            && let Decision::Refuse(refusal) = &response.decision
            && refusal.reason.as_str() == "terminology_not_found"
        {
            row.non_terms_refused += 1;
        }
    }
    Ok(())
}
