//! How long the documents of a store are compared with one another: it ends, and what was compared is not compared again.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Dismissal, DocumentId, DocumentSketch, Finding, FindingKind, FindingPage, PortError, RawDocument, Reader,
    SourceFormat,
    document::Labels,
    finding::{Similar, SketchedDocument, UncomparedDocument},
    ports::Findings,
};
use vouch_engine::{
    ingest::{Comparing, Failure, Ingest, IngestRun, Progress},
    policy::IngestPolicy,
};
use vouch_testkit::{
    corpus::TENANT,
    fakes::{FakeEmbedder, LineParser, MemoryStore, StoppedClock},
};

/// How long each document takes.
const EACH: Duration = Duration::from_millis(60);
const DOCUMENTS: u64 = 150;

/// A store in which comparing takes its time.
struct SlowFindings {
    store: Arc<MemoryStore>,
    clock: Arc<StoppedClock>,
    compared: AtomicU64,
}

#[async_trait]
impl Findings for SlowFindings {
    async fn uncompared(&self, tenant: &str, limit: usize) -> Result<Vec<UncomparedDocument>, PortError> {
        self.store.uncompared(tenant, limit).await
    }

    async fn keep_sketches(&self, tenant: &str, sketches: Vec<SketchedDocument>) -> Result<(), PortError> {
        self.store.keep_sketches(tenant, sketches).await
    }

    async fn similar(&self, tenant: &str, id: &DocumentId, sketch: &DocumentSketch) -> Result<Similar, PortError> {
        self.clock.advance(EACH);
        self.compared.fetch_add(1, Ordering::SeqCst);
        self.store.similar(tenant, id, sketch).await
    }

    async fn record(
        &self,
        tenant: &str,
        compared: Vec<(DocumentId, u32)>,
        findings: Vec<Finding>,
    ) -> Result<(), PortError> {
        self.store.record(tenant, compared, findings).await
    }

    async fn open(&self, reader: &Reader, kind: Option<FindingKind>, limit: usize) -> Result<FindingPage, PortError> {
        self.store.open(reader, kind, limit).await
    }

    async fn dismiss(&self, reader: &Reader, id: &str, dismissal: Dismissal) -> Result<bool, PortError> {
        self.store.dismiss(reader, id, dismissal).await
    }
}

struct Silent;

impl Progress for Silent {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, _: &Failure) {}
}

struct Fixture {
    ingest: Ingest,
    findings: Arc<SlowFindings>,
}

impl Fixture {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        let clock = Arc::new(StoppedClock::at(7));
        let findings =
            Arc::new(SlowFindings { store: store.clone(), clock: clock.clone(), compared: AtomicU64::default() });
        let ingest = Ingest {
            parser: Arc::new(LineParser),
            catalogue: store.clone(),
            lexical: store.clone(),
            dense: store.clone(),
            embedder: Arc::new(FakeEmbedder::named("fake")),
            findings: Some(Comparing { findings: findings.clone(), judge: None }),
            clock,
            policy: IngestPolicy {
                addresses: Vec::new(),
                passage_tokens: 200,
                batch_passages: 64,
                passages_max: 20_000,
            },
        };
        Self { ingest, findings }
    }

    /// Takes in the documents with these numbers; answers how many were compared and whether others still wait.
    async fn run(&self, numbers: std::ops::Range<u64>) -> (u64, bool) {
        let run = IngestRun { tenant: TENANT, roots: &[], source_exists: &|_| true, sees_all: true, progress: &Silent };
        let sources = numbers.map(|number| {
            Ok(RawDocument {
                source: format!("/d/{number}"),
                fallback_id: format!("d{number}"),
                url: None,
                format: SourceFormat::PlainText,
                bytes: format!("Ferry {number}.").into_bytes(),
                labels: Labels { tenant: TENANT.to_owned(), ..Labels::default() },
            })
        });
        let report = self.ingest.ingest(sources, &run).await.expect("the store answers");
        (report.review.compared, report.review.is_cut)
    }
}

#[tokio::test]
async fn comparing_ends_when_a_folder_is_taken_in_again() {
    let fixture = Fixture::new();
    let (first, is_cut) = fixture.run(0..DOCUMENTS).await;
    assert!(is_cut && first < DOCUMENTS, "the first run has no time for all: {first}");
    assert_eq!(fixture.run(0..DOCUMENTS).await, (DOCUMENTS - first, false), "the second compares the rest");
    assert_eq!(fixture.run(0..DOCUMENTS).await, (0, false), "nothing is left");
    assert_eq!(fixture.findings.compared.load(Ordering::SeqCst), DOCUMENTS, "none is compared twice");
}

#[tokio::test]
async fn one_document_does_not_wait_for_all_others_to_be_compared() {
    let fixture = Fixture::new();
    fixture.run(0..DOCUMENTS).await;
    let before = fixture.ingest.clock.since_start();
    let (compared, is_cut) = fixture.run(DOCUMENTS..DOCUMENTS + 1).await;
    let took = fixture.ingest.clock.since_start() - before;
    assert!(compared > 0 && is_cut, "{compared}");
    assert!(took <= Duration::from_secs(3), "{took:?}");
}
