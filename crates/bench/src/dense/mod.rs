//! `vouch-bench dense`: the same vectors searched in the data folder, in PostgreSQL and in Milvus, in one run: how fast they are
//! taken in, what that costs in memory and on disk, how long a search takes and how much of what is nearest it finds, for a reader
//! who sees everything and for one who sees one passage in a hundred.

mod engine;
mod made;
mod place;

use std::{path::Path, process::ExitCode, time::Instant};

use serde::Serialize;
use vouch_adapters::embedded::{DenseLane, EmbeddedStore, EmbedderCheck};
use vouch_domain::{
    EmbedderIdentity, Embedding, Reader, Scope,
    ports::{Catalogue, DenseIndex, LexicalIndex},
};

use crate::{
    cli::{DenseArgs, DenseReader},
    speed::{Latency, latency},
};
use engine::Engine;
use made::{DIMENSIONS, FEW, PASSAGES_A_DOCUMENT, Vectors};
use vouch_app::{
    cli::Common,
    console::{print, print_json, tell},
    render,
};

/// As many as a search is asked for.
const LIMIT: usize = 50;
/// Among how many the exact ones are counted.
const COUNTED: usize = 10;
/// Scores of the same vectors differ by the order they are summed in.
const SAME: f32 = 1e-5;
const WARM_UP: usize = 20;
/// Documents kept at once.
const SLICE: usize = 40;

/// What one engine came to.
#[derive(Serialize)]
struct Figures {
    engine: &'static str,
    /// What it was measured with, where that is not the settings as they come.
    settings: Option<String>,
    passages: usize,
    /// How long the index was made.
    ingest_s: f64,
    passages_per_s: f64,
    /// Of the index: of this process where it is embedded, else of the server.
    memory_mb: f64,
    disk_mb: f64,
    readers: Vec<ReaderFigures>,
}

#[derive(Serialize)]
struct ReaderFigures {
    reader: &'static str,
    latency: Latency,
    recall_at_10: f64,
}

/// Questions, and how near the nearest passages of a reader are.
struct Truth {
    reader: DenseReader,
    best: Vec<Vec<f32>>,
}

pub(crate) async fn run(common: &Common, args: &DenseArgs) -> anyhow::Result<ExitCode> {
    let documents = args.passages.div_ceil(PASSAGES_A_DOCUMENT);
    let vectors = Vectors::new();
    let folder = args.folder.join(format!("dense-{documents}"));
    fill(&folder, &vectors, documents).await?;
    tell("looking at every vector for what is nearest");
    let questions = vectors.questions(args.queries + WARM_UP);
    let truths: Vec<Truth> = args
        .readers
        .iter()
        .map(|reader| {
            let sees = |is_of_few: bool| is_of_few || *reader == DenseReader::All;
            Truth { reader: *reader, best: made::exact(&vectors, documents, &questions, sees, COUNTED) }
        })
        .collect();
    let mut figures = Vec::new();
    for name in &args.engines {
        tell(&format!("{}: making the index", name.as_str()));
        let engine = Engine::start(*name, &args.folder)?;
        figures.push(measure(&engine, &folder, documents, &questions, &truths).await?);
    }
    if common.json {
        print_json(&figures)?;
    } else {
        print(&shown(&figures))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn identity() -> EmbedderIdentity {
    EmbedderIdentity { name: "made".to_owned(), digest: "made".to_owned(), dimensions: DIMENSIONS }
}

fn open(folder: &Path, place: DenseLane) -> anyhow::Result<EmbeddedStore> {
    Ok(EmbeddedStore::open_with(folder, (&identity(), EmbedderCheck::Enforce), place)?)
}

/// The catalogue that every engine takes its vectors from; what is there already stays.
async fn fill(folder: &Path, vectors: &Vectors, documents: usize) -> anyhow::Result<()> {
    let store = open(folder, DenseLane::Elsewhere)?;
    let reader = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let there = usize::try_from(store.catalogue.counts(&reader).await?.documents)?;
    tell(&format!("{} holds {there} of {documents} documents", folder.display()));
    let clock = Instant::now();
    let mut next = there;
    while next < documents {
        let until = (next + SLICE).min(documents);
        let slice = (next..until).map(|number| vectors.document(number)).collect::<anyhow::Result<Vec<_>>>()?;
        store.catalogue.upsert(slice).await?;
        next = until;
    }
    if there < documents {
        let passages = (documents - there) * PASSAGES_A_DOCUMENT;
        tell(&format!("kept {passages} passages in {:.0} s", clock.elapsed().as_secs_f64()));
    }
    store.lexical.refresh().await?;
    Ok(())
}

async fn measure(
    engine: &Engine,
    folder: &Path,
    documents: usize,
    questions: &[Vec<f32>],
    truths: &[Truth],
) -> anyhow::Result<Figures> {
    engine.forget(folder)?;
    let memory_before = engine.memory_mb();
    let clock = Instant::now();
    let store = open(folder, engine.place())?;
    let index = engine.index(&store, DIMENSIONS)?;
    index.refresh().await?;
    let ingest_s = clock.elapsed().as_secs_f64();
    let passages = documents * PASSAGES_A_DOCUMENT;
    let mut readers = Vec::new();
    for truth in truths {
        readers.push(ask(index.as_ref(), questions, truth).await?);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of passages")]
    let passages_per_s = passages as f64 / ingest_s;
    let disk_mb = engine.disk_mb(folder);
    Ok(Figures {
        engine: engine.name(),
        settings: engine.settings(),
        passages,
        ingest_s,
        passages_per_s,
        memory_mb: engine.memory_mb() - memory_before,
        disk_mb,
        readers,
    })
}

async fn ask(index: &dyn DenseIndex, questions: &[Vec<f32>], truth: &Truth) -> anyhow::Result<ReaderFigures> {
    let everyone = Reader::of_tenant(Reader::DEFAULT_TENANT);
    let reader = match truth.reader {
        DenseReader::All => everyone,
        DenseReader::Few => Reader::of_scope(Reader::DEFAULT_TENANT, Scope::Tags([FEW.to_owned()].into())),
    };
    let (mut millis, mut found, mut wanted) = (Vec::new(), 0usize, 0usize);
    for (number, (question, best)) in questions.iter().zip(&truth.best).enumerate() {
        let Some(vector) = Embedding::normalised(question.clone()) else { continue };
        let clock = Instant::now();
        let hits = index.nearest(&reader, &vector, LIMIT).await?;
        let elapsed = clock.elapsed().as_secs_f64() * 1e3;
        if number < WARM_UP {
            continue;
        }
        millis.push(elapsed);
        let Some(last) = best.last() else { continue };
        wanted += best.len();
        found += hits.iter().take(COUNTED).filter(|hit| hit.lane_score >= last - SAME).count();
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of hits")]
    let recall_at_10 = found as f64 / wanted.max(1) as f64;
    Ok(ReaderFigures { reader: truth.reader.as_str(), latency: latency(millis), recall_at_10 })
}

fn shown(figures: &[Figures]) -> String {
    let titles = ["engine", "passages", "ingest", "a second", "memory", "disk", "reader", "p50", "p95", "recall@10"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for one in figures {
        for reader in &one.readers {
            rows.push(vec![
                one.engine.to_owned(),
                one.passages.to_string(),
                format!("{:.1} s", one.ingest_s),
                format!("{:.0}", one.passages_per_s),
                format!("{:.0} MB", one.memory_mb),
                format!("{:.0} MB", one.disk_mb),
                reader.reader.to_owned(),
                format!("{:.1} ms", reader.latency.p50_ms),
                format!("{:.1} ms", reader.latency.p95_ms),
                format!("{:.3}", reader.recall_at_10),
            ]);
        }
    }
    let notes = figures.iter().filter_map(|one| Some(format!("{}: {}\n", one.engine, one.settings.as_ref()?)));
    format!("{}{}", render::table(&rows), notes.collect::<String>())
}
