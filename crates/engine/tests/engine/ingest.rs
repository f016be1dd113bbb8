//! What becomes of every source of an ingest, run after run.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use vouch_domain::{RawDocument, SourceFormat, document::Labels, ports::Catalogue};
use vouch_engine::{
    ingest::{Failure, Ingest, IngestReport, IngestRun, Progress, PruneExtent, UnreadableSource},
    policy::IngestPolicy,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::TENANT,
    fakes::{FakeEmbedder, LineParser, MemoryStore, StoppedClock},
};

use crate::support::tight_catalogue::TightCatalogue;

/// Notes the failures it is told of.
#[derive(Default)]
struct FailureLog(Mutex<Vec<Failure>>);

impl Progress for FailureLog {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, failure: &Failure) {
        self.0.lock().expect("no panic before").push(failure.clone());
    }
}

/// A store and the files that are there; one place to take them in.
struct Fixture {
    ingest: Ingest,
    store: Arc<MemoryStore>,
}

impl Fixture {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        let ingest = Ingest {
            parser: Arc::new(LineParser),
            catalogue: Arc::new(TightCatalogue(store.clone())),
            lexical: store.clone(),
            dense: store.clone(),
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
        Self { ingest, store }
    }

    /// Takes in these files, with nothing else on the disk; `bad` files cannot be opened. Prunes below the roots.
    async fn run(&self, files: &[(&str, &str)], roots: &[&str]) -> IngestReport {
        let there: BTreeSet<&str> = files.iter().map(|(source, _)| *source).collect();
        let told = FailureLog::default();
        let source_exists = |source: &str| there.contains(source);
        let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
        let run =
            IngestRun { sees_all: true, tenant: TENANT, roots: &roots, source_exists: &source_exists, progress: &told };
        let sources = files.iter().map(|(source, text)| match *text {
            "unreadable" => Err(UnreadableSource {
                shown: (*source).to_owned().clone(),
                source: (*source).to_owned(),
                sentence: "cannot be read".to_owned(),
            }),
            text => Ok(raw(source, text)),
        });
        let mut report = self.ingest.ingest(sources, &run).await.expect("the store answers");
        self.ingest.prune(&run, PruneExtent::Many, &mut report).await.expect("the store answers");
        assert_eq!(*told.0.lock().expect("no panic before"), report.failures, "failures are told as they are noted");
        report
    }

    /// Every document's id, source and text.
    async fn documents(&self) -> Vec<(String, String, String)> {
        let mut found = Vec::new();
        for known in self.store.under_source(TENANT, "").await.expect("the store answers") {
            let text = self.store.text(&everyone(), &known.id).await.expect("the store answers");
            found.push((known.id.as_str().to_owned(), known.source, text.expect("the document")));
        }
        found
    }

    async fn check(&self, expected: &[(&str, &str, &str)]) {
        let expected: Vec<(String, String, String)> =
            expected.iter().map(|(id, source, text)| ((*id).into(), (*source).into(), (*text).into())).collect();
        assert_eq!(self.documents().await, expected);
    }
}

fn raw(source: &str, text: &str) -> RawDocument {
    let format = if source.ends_with(".jsonl") { SourceFormat::JsonLines } else { SourceFormat::PlainText };
    RawDocument {
        source: source.to_owned(),
        fallback_id: source.trim_start_matches('/').to_owned(),
        url: None,
        format,
        bytes: text.as_bytes().to_vec(),
        labels: Labels { tenant: TENANT.to_owned(), ..Labels::default() },
    }
}

/// Added, updated, unchanged, removed, failed.
fn counts(report: &IngestReport) -> [u64; 5] {
    [report.added, report.updated, report.unchanged, report.removed, report.failed]
}

fn failures(report: &IngestReport) -> Vec<(&str, &str, &str)> {
    let told = report.failures.iter();
    told.map(|one| (one.source.as_str(), one.place.as_str(), one.sentence.as_str())).collect()
}

#[tokio::test]
async fn every_document_is_added_updated_unchanged_removed_or_failed() {
    let fixture = Fixture::new();
    let first = fixture.run(&[("/d/a", "a: one"), ("/d/b", "b: two"), ("/d/c", "c: three")], &["/d"]).await;
    assert_eq!(counts(&first), [3, 0, 0, 0, 0]);
    let files = [("/d/a", "a: one"), ("/d/b", "b: new"), ("/d/e", "bad"), ("/d/f", "unreadable")];
    let second = fixture.run(&files, &["/d"]).await;
    assert_eq!(counts(&second), [0, 1, 1, 1, 2]);
    assert_eq!(failures(&second), [("/d/e", "line 1", "it is bad"), ("/d/f", "", "cannot be read")]);
    fixture.check(&[("a", "/d/a", "one"), ("b", "/d/b", "new")]).await;
}

#[tokio::test]
async fn what_is_taken_in_can_be_found_and_what_is_removed_cannot() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "a: mast")], &[]).await;
    let count = |fixture: &Fixture| {
        let store = fixture.store.clone();
        async move {
            let vector = FakeEmbedder::vector("mast");
            vouch_domain::ports::DenseIndex::nearest(store.as_ref(), &everyone(), &vector, 9).await.expect("hits").len()
        }
    };
    assert_eq!(count(&fixture).await, 1);
    fixture.run(&[], &["/d"]).await;
    assert_eq!(count(&fixture).await, 0);
}

#[tokio::test]
async fn an_id_used_twice_in_one_run_is_kept_once_and_reported() {
    let fixture = Fixture::new();
    let report = fixture.run(&[("/d/a", "x: one"), ("/d/b", "x: two"), ("/d/c.jsonl", "y: 1\ny: 2")], &[]).await;
    assert_eq!(counts(&report), [2, 0, 0, 0, 2]);
    let expected = [
        ("/d/b", "", "the id 'x' is already used by /d/a in this run"),
        ("/d/c.jsonl", "", "the id 'y' is already used by /d/c.jsonl in this run"),
    ];
    assert_eq!(failures(&report), expected);
    fixture.check(&[("x", "/d/a", "one"), ("y", "/d/c.jsonl", "1")]).await;
}

#[tokio::test]
async fn an_id_that_belongs_to_another_source_is_taken_over_only_when_that_source_is_gone() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "x: one")], &[]).await;
    let told = FailureLog::default();
    let run = IngestRun {
        sees_all: true,
        tenant: TENANT,
        roots: &[],
        source_exists: &|source| source == "/d/a",
        progress: &told,
    };
    let refused = fixture.ingest.ingest([Ok(raw("/e/b", "x: two"))].into_iter(), &run).await.expect("a report");
    let sentence = "the id 'x' already belongs to /d/a; give one of the two an id of its own";
    assert_eq!(failures(&refused), [("/e/b", "", sentence)]);
    fixture.check(&[("x", "/d/a", "one")]).await;
    let taken = fixture.run(&[("/e/b", "x: two")], &[]).await;
    assert_eq!(counts(&taken), [0, 1, 0, 0, 0]);
    fixture.check(&[("x", "/e/b", "two")]).await;
}

#[tokio::test]
async fn a_document_that_moved_without_a_change_is_known_by_its_new_source() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "x: one")], &["/d"]).await;
    let moved = fixture.run(&[("/d/b", "x: one")], &["/d"]).await;
    assert_eq!((counts(&moved), moved.renamed), ([0, 0, 0, 0, 0], 1));
    fixture.check(&[("x", "/d/b", "one")]).await;
}

#[tokio::test]
async fn a_source_whose_document_has_a_new_id_loses_the_old_one() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "old: one"), ("/d/b", "b: two")], &[]).await;
    let report = fixture.run(&[("/d/a", "new: one"), ("/d/b", "b: two")], &[]).await;
    assert_eq!(counts(&report), [1, 0, 1, 1, 0]);
    fixture.check(&[("b", "/d/b", "two"), ("new", "/d/a", "one")]).await;
}

#[tokio::test]
async fn a_document_whose_new_id_cannot_be_kept_stays_under_the_old_one() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "old: one")], &["/d"]).await;
    let report = fixture.run(&[("/d/a", "new: huge")], &["/d"]).await;
    assert_eq!(counts(&report), [0, 0, 0, 0, 1]);
    fixture.check(&[("old", "/d/a", "one")]).await;
}

#[tokio::test]
async fn a_document_that_takes_anothers_id_stays_under_its_old_one() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "old: one"), ("/d/b", "b: two")], &[]).await;
    let told = FailureLog::default();
    let run = IngestRun { sees_all: true, tenant: TENANT, roots: &[], source_exists: &|_| true, progress: &told };
    let report = fixture.ingest.ingest([Ok(raw("/d/a", "b: one"))].into_iter(), &run).await.expect("a report");
    assert_eq!(counts(&report), [0, 0, 0, 0, 1]);
    fixture.check(&[("b", "/d/b", "two"), ("old", "/d/a", "one")]).await;
}

#[tokio::test]
async fn the_owner_of_an_id_is_not_held_up_by_a_source_that_claims_it_first() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/b", "b: two")], &[]).await;
    let report = fixture.run(&[("/d/a", "b: one"), ("/d/b", "b: new")], &[]).await;
    assert_eq!(counts(&report), [0, 1, 0, 0, 1]);
    fixture.check(&[("b", "/d/b", "new")]).await;
}

#[tokio::test]
async fn a_file_that_names_no_id_keeps_the_one_it_was_given() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "given: one")], &[]).await;
    let report = fixture.run(&[("/d/a", "two")], &[]).await;
    assert_eq!(counts(&report), [0, 1, 0, 0, 0]);
    fixture.check(&[("given", "/d/a", "two")]).await;
}

#[tokio::test]
async fn one_document_without_room_does_not_cost_the_others_of_its_batch() {
    let fixture = Fixture::new();
    let report = fixture.run(&[("/d/a", "a: one"), ("/d/b", "b: huge"), ("/d/c", "c: three")], &["/d"]).await;
    assert_eq!(counts(&report), [2, 0, 0, 0, 1]);
    assert_eq!(failures(&report), [("/d/b", "", "no room left")]);
    fixture.check(&[("a", "/d/a", "one"), ("c", "/d/c", "three")]).await;
    let alone = fixture.run(&[("/d/b", "b: huge")], &[]).await;
    assert_eq!(failures(&alone), [("/d/b", "", "no room left")]);
}

#[tokio::test]
async fn a_new_version_without_room_leaves_the_old_one_standing() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "a: one")], &["/d"]).await;
    let report = fixture.run(&[("/d/a", "a: huge")], &["/d"]).await;
    assert_eq!(counts(&report), [0, 0, 0, 0, 1]);
    fixture.check(&[("a", "/d/a", "one")]).await;
}

#[tokio::test]
async fn prune_keeps_the_documents_of_sources_that_failed() {
    let fixture = Fixture::new();
    let files = [("/d/a", "a: one"), ("/d/b.jsonl", "x: 1\ny: 2"), ("/d/c", "c: three"), ("/d/gone", "g: 4")];
    fixture.run(&files, &["/d"]).await;
    let report = fixture.run(&[("/d/a", "bad"), ("/d/b.jsonl", "bad\ny: 2"), ("/d/c", "unreadable")], &["/d"]).await;
    assert_eq!(counts(&report), [0, 0, 1, 1, 3]);
    let kept = [("a", "/d/a", "one"), ("c", "/d/c", "three"), ("x", "/d/b.jsonl", "1"), ("y", "/d/b.jsonl", "2")];
    fixture.check(&kept).await;
}

#[tokio::test]
async fn prune_keeps_what_lies_below_a_folder_that_could_not_be_read() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/sub/a", "a: one"), ("/d/sub2", "b: two")], &["/d"]).await;
    let report = fixture.run(&[("/d/sub", "unreadable")], &["/d"]).await;
    assert_eq!(counts(&report), [0, 0, 0, 1, 1]);
    fixture.check(&[("a", "/d/sub/a", "one")]).await;
}

#[tokio::test]
async fn prune_reaches_below_its_roots_alone() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "a: one"), ("/dd/b", "b: two"), ("/d/l.jsonl", "x: 1\ny: 2")], &[]).await;
    let report = fixture.run(&[("/d/l.jsonl", "y: 2")], &["/d"]).await;
    assert_eq!(counts(&report), [0, 0, 1, 2, 0]);
    fixture.check(&[("b", "/dd/b", "two"), ("y", "/d/l.jsonl", "2")]).await;
}

/// Waits until so many passages are embedded, then leaves.
struct Leaving {
    passages: usize,
    embedded: AtomicUsize,
}

impl Progress for Leaving {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, passages: usize) {
        self.embedded.fetch_add(passages, Ordering::Relaxed);
    }
    fn failed(&self, _: &Failure) {}
    fn is_wanted(&self) -> bool {
        self.embedded.load(Ordering::Relaxed) < self.passages
    }
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_neither_embedded_further_nor_kept() {
    let mut fixture = Fixture::new();
    fixture.ingest.policy.batch_passages = 1;
    let leaving = Leaving { passages: 2, embedded: AtomicUsize::new(0) };
    let run = IngestRun { sees_all: true, tenant: TENANT, roots: &[], source_exists: &|_| false, progress: &leaving };
    let sources = ["a: one", "b: two", "c: three", "d: four"];
    let sources = sources.iter().map(|text| Ok(raw(&format!("/d/{}", text.get(..1).expect("a name")), text)));
    let report = fixture.ingest.ingest(sources, &run).await.expect("the store answers");
    assert_eq!(counts(&report), [1, 0, 0, 0, 0]);
    assert_eq!(leaving.embedded.load(Ordering::Relaxed), 2);
    fixture.check(&[("a", "/d/a", "one")]).await;
}
