//! A folder of documents → an engine that answers from it, on the parts the binary `vouch` is made of.
//!
//! Everything happens in this process: the store lies in a temporary folder, embedder and judge are part of the build, and
//! no model server is asked.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::ensure;
use tempfile::TempDir;
use vouch_adapters::{
    embedded::{EmbeddedStore, EmbedderCheck},
    extractive::Extractive,
    files::{Links, Reading, read_all},
    system_clock::SystemClock,
};
use vouch_domain::{
    Reader,
    document::Labels,
    ports::{Clock, Embedder},
};
use vouch_engine::{
    ask::Engine,
    breaker::Breaker,
    decide::Decision,
    ingest::{Failure, Ingest, IngestRun, Progress, UnreadableSource},
    model_registry::ModelRegistry,
    policy::Policies,
    retrieve::RetrievePorts,
};
use vouch_formats::FileParser;
use vouch_models::{EnglishWords, GteSmall, Judge};

/// The largest document that is read.
const BYTES_MAX: u64 = 1 << 20;

/// An engine over a folder of documents, and the folder of its store, which goes away with it.
pub async fn engine_over(documents: PathBuf) -> anyhow::Result<(Engine, TempDir)> {
    let folder = tempfile::tempdir()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(1)?);
    let store = EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce)?;
    let ingest = Ingest {
        parser: Arc::new(FileParser::default()),
        catalogue: store.catalogue.clone(),
        lexical: store.lexical.clone(),
        dense: store.dense.clone(),
        embedder: Arc::clone(&embedder),
        findings: None,
        clock: Arc::clone(&clock),
        policy: Policies::default().ingest,
    };
    ingest_folder(&ingest, documents).await?;
    let judge = Arc::new(Judge::load(1)?);
    let engine = Engine {
        retrieve: RetrievePorts {
            catalogue: store.catalogue.clone(),
            register: store.register.clone(),
            lexical: store.lexical.clone(),
            dense: store.dense.clone(),
            embedder,
            breaker: Arc::new(Breaker::with_default_policy("embeddings", Arc::clone(&clock))),
            plain_words: Arc::new(EnglishWords),
        },
        terms: None,
        memory: None,
        passage_judge: Some(judge.clone()),
        reranker: None,
        claim_judge: Some(judge),
        // The writer that quotes the passages and needs no model.
        writer: Arc::new(Extractive),
        model_registry: ModelRegistry::default(),
        agents: None,
        toolbox: None,
        directory: None,
        clock,
        policies: Policies::default(),
    };
    Ok((engine, folder))
}

async fn ingest_folder(ingest: &Ingest, documents: PathBuf) -> anyhow::Result<()> {
    let labels = Labels { tenant: Reader::DEFAULT_TENANT.to_owned(), ..Labels::default() };
    let reading = Reading { bytes_max: BYTES_MAX, links: Links::Within, labels, foreign: Vec::new() };
    let run = IngestRun {
        sees_all: true,
        tenant: Reader::DEFAULT_TENANT,
        roots: &[],
        source_exists: &|source| Path::new(source).exists(),
        progress: &Silent,
    };
    let paths = [documents];
    let sources = read_all(&paths, &reading).map(|read| {
        read.map_err(|fault| UnreadableSource { source: fault.source, shown: fault.path, sentence: fault.sentence })
    });
    let report = ingest.ingest(sources, &run).await?;
    ensure!(report.failures.is_empty(), "not everything could be read: {:?}", report.failures);
    Ok(())
}

struct Silent;

impl Progress for Silent {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, _: &Failure) {}
}

/// A decision as text: every claim with its sources, or why there is none.
pub fn told(decision: &Decision) -> String {
    let text = match decision {
        Decision::Answer(answer) => answer.text(),
        Decision::Refuse(refusal) => {
            return format!("refused ({}): {}\n", refusal.reason.as_str(), refusal.reason.sentence());
        }
        Decision::Clarify(clarification) => return format!("asked back: {}\n", clarification.question),
        Decision::Refer(_) => return "for a person to answer\n".to_owned(),
        Decision::Tool(tool) => return format!("a tool says: {}\n", tool.text()),
        Decision::General(_) => return "from general knowledge, without a source\n".to_owned(),
    };
    let claims = text.claims().iter().map(|claim| format!("answered: {}\n", claim.with_markers()));
    let sources = text.citations().iter().map(|cited| {
        format!("    [^{}] {} ({}): {}\n", cited.marker(), cited.document().title, cited.source_id(), cited.text())
    });
    claims.chain(sources).collect()
}
