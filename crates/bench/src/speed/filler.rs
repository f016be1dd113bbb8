//! A store of a wanted size: real passages first, then text and vectors made by seed.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    sync::Arc,
};

use anyhow::Context;
use serde::Deserialize;
use vouch_adapters::embedded::EmbedderCheck;
use vouch_domain::{
    ContentHash, Document, DocumentCard, DocumentId, EmbeddedPassage, Embedding, Passage, RawDocument, Reader, Section,
    SourceFormat,
    document::Labels,
    ports::{Catalogue, DenseIndex, Embedder, KeptDocument, LexicalIndex},
};
use vouch_engine::ingest::IngestRun;
use vouch_evals::golden;

use crate::seed::Seed;
use vouch_app::{
    cli::Common,
    console::{load, tell},
    progress::Bar,
    wiring::{self, App},
};

/// Real documents a store takes in at once, and made ones kept at once.
const SLICE: usize = 256;
const WORDS_A_PASSAGE: usize = 120;

#[derive(Deserialize)]
struct Line {
    text: String,
}

/// Lines of the sets' corpora, set by set.
fn corpus_lines(common: &Common, names: &[String]) -> anyhow::Result<impl Iterator<Item = String>> {
    let mut files = Vec::new();
    for name in names {
        let path = common.data.join(name).join("corpus.jsonl");
        files.push(std::fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    Ok(files.into_iter().flat_map(|file| BufReader::new(file).lines().map_while(Result::ok)))
}

/// Texts of real documents.
pub(super) fn real_texts(common: &Common, names: &[String], count: usize) -> anyhow::Result<Vec<String>> {
    let texts = corpus_lines(common, names)?.filter_map(|line| serde_json::from_str::<Line>(&line).ok());
    Ok(texts.map(|line| line.text).filter(|text| text.len() > 200).take(count).collect())
}

/// Questions of the sets, evenly from each, one per line.
pub(super) fn write_questions(common: &Common, names: &[String], count: usize, to: &Path) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for name in names {
        let path = common.data.join(name).join("queries.jsonl");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let questions = golden::read(&text).with_context(|| path.display().to_string())?;
        let own = count.div_ceil(names.len());
        let step = (questions.len() / own.max(1)).max(1);
        lines.extend(questions.into_iter().step_by(step).take(own).map(|golden| golden.query.replace('\n', " ")));
    }
    lines.truncate(count);
    std::fs::write(to, lines.join("\n")).with_context(|| format!("cannot write {}", to.display()))
}

/// Fills a store up to a size; what is already there stays.
pub(super) async fn fill(
    common: &Common,
    names: &[String],
    folder: &Path,
    (size, real_max): (usize, usize),
    embedder: &Arc<dyn Embedder>,
) -> anyhow::Result<()> {
    let app = wiring::build_with(&load(common)?, folder, EmbedderCheck::Enforce, Arc::clone(embedder))?;
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let passages =
        async || -> anyhow::Result<usize> { Ok(usize::try_from(app.store.catalogue.counts(&reader).await?.passages)?) };
    if passages().await? >= size {
        return Ok(());
    }
    tell(&format!("filling {} up to {size} passages", folder.display()));
    let lines: Vec<String> = corpus_lines(common, names)?.collect();
    for slice in lines.chunks(SLICE / 2) {
        if passages().await? >= size.min(real_max) {
            break;
        }
        ingest_files(&app, slice).await?;
    }
    let vocabulary: Vec<String> = vocabulary(&lines);
    let mut seed = Seed::new(0);
    let mut number = 0;
    while passages().await? < size {
        let missing = size - passages().await?;
        let documents: Vec<KeptDocument> = (0..missing.min(SLICE * 8))
            .map(|_| {
                number += 1;
                made(number, &vocabulary, embedder.identity().dimensions, &mut seed)
            })
            .collect::<Option<_>>()
            .context("a made document is not valid")?;
        app.store.catalogue.upsert(documents).await?;
    }
    app.store.lexical.refresh().await?;
    app.store.dense.refresh().await?;
    Ok(())
}

async fn ingest_files(app: &App, lines: &[String]) -> anyhow::Result<()> {
    let labels = Labels { tenant: Reader::DEFAULT_TENANT.to_owned(), ..Labels::default() };
    let raw = RawDocument {
        source: "sets".to_owned(),
        fallback_id: "sets".to_owned(),
        url: None,
        format: SourceFormat::JsonLines,
        bytes: lines.join("\n").into_bytes(),
        labels,
    };
    let bar = Bar::start(raw.bytes.len() as u64);
    bar.read(raw.bytes.len() as u64);
    let run = IngestRun {
        sees_all: true,
        tenant: Reader::DEFAULT_TENANT,
        roots: &[],
        source_exists: &|_| false,
        progress: &bar,
    };
    app.ingest.ingest(std::iter::once(Ok(raw)), &run).await?;
    bar.finish();
    Ok(())
}

/// Words of the corpora as often as they stand there, so that made text has the common words of real text.
fn vocabulary(lines: &[String]) -> Vec<String> {
    let texts = lines.iter().step_by(20).filter_map(|line| serde_json::from_str::<Line>(line).ok());
    texts.flat_map(|line| line.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).take(200_000).collect()
}

fn made(number: usize, vocabulary: &[String], dimensions: usize, seed: &mut Seed) -> Option<KeptDocument> {
    let words: Vec<&str> =
        (0..WORDS_A_PASSAGE).filter_map(|_| vocabulary.get(seed.below(vocabulary.len())).map(String::as_str)).collect();
    let text = format!("{}.", words.join(" "));
    let values: Vec<f32> = (0..dimensions).map(|_| seed.centred()).collect();
    let span = vouch_domain::CharSpan { start: 0, end: text.chars().count() };
    let passage = Passage {
        ordinal: 0,
        section: [].into(),
        span,
        text: text.clone(),
        address: None,
        times: Vec::new(),
        pages: Vec::new(),
    };
    let card = DocumentCard {
        id: DocumentId::parse(&format!("made-{number}"))?,
        tenant: Reader::DEFAULT_TENANT.to_owned(),
        source: format!("made:{number}"),
        title: format!("Made document {number}"),
        kind: "document".to_owned(),
        collection: "made".to_owned(),
        status: None,
        date: None,
        version: None,
        tags: BTreeSet::new(),
        topics: BTreeSet::new(),
        owner: None,
        address: None,
        url: None,
        superseded_by: None,
    };
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    let passages = vec![EmbeddedPassage { passage, embedding: Embedding::normalised(values)? }];
    Some(KeptDocument {
        ended_edits: Vec::new(),
        document: Document {
            card,
            text,
            sections,
            times: Vec::new(),
            pages: Vec::new(),
            states_access: true,
            warnings: Vec::new(),
        },
        hash: ContentHash([0; 32]),
        passages,
        taken_in_ms: 0,
    })
}
