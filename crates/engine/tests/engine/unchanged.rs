//! Files that are as they were are not read again, and nobody can tell but by the time it takes.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_engine::{
    ingest::{Failure, Ingest, IngestReport, IngestRun, Progress, PruneExtent},
    policy::IngestPolicy,
};
use vouch_testkit::{
    corpus::TENANT,
    fakes::{FakeEmbedder, LineParser, MemoryStore, StoppedClock},
};

struct Silent;

impl Progress for Silent {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, _: &Failure) {}
}

/// Counts what it reads. A text with `warn` in it has something to mend, and only files with tags say who may see them.
struct CountingParser {
    read: AtomicUsize,
    recipe: Mutex<Option<String>>,
}

impl Parser for CountingParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        self.read.fetch_add(1, Ordering::SeqCst);
        let tags = raw.labels.tags.clone();
        let told = |mut document: Document| {
            (document.states_access, document.card.tags) = (!tags.is_empty(), tags.clone());
            if document.text.contains("warn") {
                document.warnings.push("a page has no text".to_owned());
            }
            document
        };
        LineParser.parse(raw).into_iter().map(|parsed| parsed.map(told)).collect()
    }

    fn recipe(&self) -> Option<String> {
        self.recipe.lock().expect("no panic before").clone()
    }
}

struct Fixture {
    ingest: Ingest,
    parser: Arc<CountingParser>,
    tags: BTreeSet<String>,
}

impl Fixture {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        let parser =
            Arc::new(CountingParser { read: AtomicUsize::new(0), recipe: Mutex::new(Some("first".to_owned())) });
        let ingest = Ingest {
            parser: parser.clone(),
            catalogue: store.clone(),
            lexical: store.clone(),
            dense: store,
            embedder: Arc::new(FakeEmbedder::named("fake")),
            findings: None,
            clock: Arc::new(StoppedClock::at(7)),
            policy: IngestPolicy {
                addresses: Vec::new(),
                passage_tokens: 200,
                batch_passages: 64,
                passages_max: 20_000,
            },
        };
        Self { ingest, parser, tags: BTreeSet::new() }
    }

    fn read_by(&self, recipe: Option<&str>) {
        *self.parser.recipe.lock().expect("no panic before") = recipe.map(str::to_owned);
    }

    /// Takes files in and prunes; answers how many were read, and the report.
    async fn run(&self, files: &[(&str, &str)]) -> (usize, IngestReport) {
        let there: BTreeSet<&str> = files.iter().map(|(source, _)| *source).collect();
        let roots = ["/d".to_owned()];
        let source_exists = |source: &str| there.contains(source);
        let run = IngestRun {
            sees_all: true,
            tenant: TENANT,
            roots: &roots,
            source_exists: &source_exists,
            progress: &Silent,
        };
        let sources = files.iter().map(|(source, text)| {
            Ok(RawDocument {
                source: (*source).to_owned(),
                fallback_id: source.trim_start_matches('/').to_owned(),
                url: None,
                format: if source.ends_with(".jsonl") { SourceFormat::JsonLines } else { SourceFormat::PlainText },
                bytes: text.as_bytes().to_vec(),
                labels: Labels { tenant: TENANT.to_owned(), tags: self.tags.clone(), ..Labels::default() },
            })
        });
        self.parser.read.store(0, Ordering::SeqCst);
        let mut report = self.ingest.ingest(sources, &run).await.expect("the store answers");
        self.ingest.prune(&run, PruneExtent::Many, &mut report).await.expect("the store answers");
        (self.parser.read.load(Ordering::SeqCst), report)
    }
}

/// Added, updated, unchanged, removed, failed.
fn counts(report: &IngestReport) -> [u64; 5] {
    [report.added, report.updated, report.unchanged, report.removed, report.failed]
}

#[tokio::test]
async fn only_what_has_changed_is_read_again() {
    let fixture = Fixture::new();
    let (read, report) = fixture.run(&[("/d/a", "a: one"), ("/d/b", "two"), ("/d/c", "c: three")]).await;
    assert_eq!((read, counts(&report)), (3, [3, 0, 0, 0, 0]));
    let (read, report) = fixture.run(&[("/d/a", "a: one"), ("/d/b", "two"), ("/d/c", "c: new")]).await;
    assert_eq!((read, counts(&report)), (1, [0, 1, 2, 0, 0]));
    let (read, report) = fixture.run(&[("/d/a", "a: one"), ("/d/c", "c: new")]).await;
    assert_eq!((read, counts(&report)), (0, [0, 0, 2, 1, 0]), "what is skipped is seen, what is gone goes");
    let (read, report) = fixture.run(&[("/d/c", "c: three")]).await;
    assert_eq!((read, counts(&report)), (1, [0, 1, 0, 1, 0]), "as it was before the last change is a change");
}

#[tokio::test]
async fn a_file_that_was_moved_is_read_once() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one")]).await;
    let (_, report) = fixture.run(&[("/d/moved", "one")]).await;
    assert_eq!((report.renamed, counts(&report)), (1, [0, 0, 0, 0, 0]));
    let (_, report) = fixture.run(&[("/d/moved", "one")]).await;
    assert_eq!(counts(&report), [0, 0, 1, 0, 0]);
    assert_eq!(fixture.run(&[("/d/moved", "one")]).await.0, 0);
}

#[tokio::test]
async fn what_is_said_of_a_file_or_how_it_is_read_counts_as_a_change() {
    let mut fixture = Fixture::new();
    let files = [("/d/a", "a: one"), ("/d/b", "b: two")];
    fixture.run(&files).await;
    fixture.read_by(Some("second"));
    let (read, report) = fixture.run(&files).await;
    assert_eq!((read, counts(&report)), (2, [0, 0, 2, 0, 0]));
    assert_eq!(fixture.run(&files).await.0, 0, "it is noted for what is read and found unchanged too");
    fixture.read_by(None);
    assert_eq!(fixture.run(&files).await.0, 2);
    fixture.read_by(Some("second"));
    assert_eq!(fixture.run(&files).await.0, 0);
    fixture.tags.insert("hr".to_owned());
    let (read, report) = fixture.run(&files).await;
    assert_eq!((read, counts(&report)), (2, [0, 2, 0, 0, 0]));
    fixture.ingest.policy.passage_tokens = 100;
    let (read, report) = fixture.run(&files).await;
    assert_eq!((read, counts(&report)), (2, [0, 2, 0, 0, 0]));
}

#[tokio::test]
async fn what_a_person_should_hear_of_is_told_every_time() {
    let mut fixture = Fixture::new();
    let files = [("/d/a", "a: warn"), ("/d/b", "bad"), ("/d/l.jsonl", "x: 1\ny: 2")];
    for run in 0..2 {
        let (read, report) = fixture.run(&files).await;
        assert_eq!((read, report.warnings.len(), report.failed), (3, 1, 1), "run {run}");
    }
    let closed = [("/d/c", "c: three")];
    fixture.tags.insert("hr".to_owned());
    fixture.run(&closed).await;
    fixture.tags.clear();
    for run in 0..2 {
        let (read, report) = fixture.run(&closed).await;
        assert_eq!((read, report.kept_access), (1, 1), "run {run}");
    }
}

#[tokio::test]
async fn an_id_that_another_file_of_the_run_has_taken_is_reported_as_before() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/b", "x: two")]).await;
    let (_, report) = fixture.run(&[("/d/a", "x: one"), ("/d/b", "x: two")]).await;
    assert_eq!(counts(&report), [0, 0, 1, 0, 1]);
    assert!(report.failures.first().is_some_and(|failure| failure.source == "/d/a"), "{:?}", report.failures);
}
