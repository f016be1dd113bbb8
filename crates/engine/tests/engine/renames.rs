//! Files that were moved or renamed: their documents keep their ids.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{
    Document, DocumentId, RawDocument, SourceFormat,
    document::Labels,
    ports::{Catalogue, ParseError, Parser},
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

/// Gives documents the tags of their run, and leaves who may see them open where there are none.
struct TaggedParser;

impl Parser for TaggedParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        let tags = raw.labels.tags.clone();
        let tagged = |mut document: Document| {
            (document.states_access, document.card.tags) = (!tags.is_empty(), tags.clone());
            document
        };
        LineParser.parse(raw).into_iter().map(|parsed| parsed.map(tagged)).collect()
    }

    fn recipe(&self) -> Option<String> {
        LineParser.recipe()
    }
}

impl Progress for Silent {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, _: &Failure) {}
}

/// A store, and the folder `/d` that is taken in again and again.
struct Fixture {
    ingest: Ingest,
    store: Arc<MemoryStore>,
}

impl Fixture {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::default());
        let ingest = Ingest {
            parser: Arc::new(TaggedParser),
            catalogue: store.clone(),
            lexical: store.clone(),
            dense: store.clone(),
            findings: None,
            embedder: Arc::new(FakeEmbedder::named("fake")),
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

    async fn run(&self, files: &[(&str, &str)]) -> IngestReport {
        self.run_with(TENANT, files, &[]).await
    }

    /// Takes in these files of a tenant with tags, prunes, and lets nothing else exist.
    async fn run_with(&self, tenant: &str, files: &[(&str, &str)], tags: &[&str]) -> IngestReport {
        let there: BTreeSet<&str> = files.iter().map(|(source, _)| *source).collect();
        let source_exists = |source: &str| there.contains(source);
        let roots = ["/d".to_owned()];
        let run = IngestRun { sees_all: true, tenant, roots: &roots, source_exists: &source_exists, progress: &Silent };
        let tags: BTreeSet<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let sources = files.iter().map(|(source, text)| {
            Ok(RawDocument {
                source: (*source).to_owned(),
                fallback_id: source.trim_start_matches('/').to_owned(),
                url: None,
                format: SourceFormat::PlainText,
                bytes: text.as_bytes().to_vec(),
                labels: Labels { tenant: tenant.to_owned(), tags: tags.clone(), ..Labels::default() },
            })
        });
        let mut report = self.ingest.ingest(sources, &run).await.expect("the store answers");
        self.ingest.prune(&run, PruneExtent::Many, &mut report).await.expect("the store answers");
        report
    }

    /// Every source of the tenant with the id of its document.
    async fn ids(&self) -> BTreeMap<String, String> {
        let known = self.store.under_source(TENANT, "").await.expect("the store answers");
        known.into_iter().map(|known| (known.source, known.id.as_str().to_owned())).collect()
    }
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(source, id)| ((*source).to_owned(), (*id).to_owned())).collect()
}

/// Added, updated, unchanged, renamed, removed, failed.
fn counts(report: &IngestReport) -> [u64; 6] {
    [report.added, report.updated, report.unchanged, report.renamed, report.removed, report.failed]
}

#[tokio::test]
async fn a_moved_file_keeps_its_id_and_is_known_from_then_on() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one"), ("/d/b", "two")]).await;
    let moved = fixture.run(&[("/d/b", "two"), ("/d/sub/c", "one")]).await;
    assert_eq!(counts(&moved), [0, 0, 1, 1, 0, 0]);
    assert_eq!(fixture.ids().await, map(&[("/d/b", "d/b"), ("/d/sub/c", "d/a")]));
    let again = fixture.run(&[("/d/b", "two"), ("/d/sub/c", "one")]).await;
    assert_eq!(counts(&again), [0, 0, 2, 0, 0, 0]);
    let edited = fixture.run(&[("/d/b", "two"), ("/d/sub/c", "one more")]).await;
    assert_eq!(counts(&edited), [0, 1, 1, 0, 0, 0]);
    assert_eq!(fixture.ids().await, map(&[("/d/b", "d/b"), ("/d/sub/c", "d/a")]));
}

#[tokio::test]
async fn a_copy_is_a_document_of_its_own() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one")]).await;
    let copied = fixture.run(&[("/d/a", "one"), ("/d/b", "one")]).await;
    assert_eq!(counts(&copied), [1, 0, 1, 0, 0, 0]);
    assert_eq!(fixture.ids().await, map(&[("/d/a", "d/a"), ("/d/b", "d/b")]));
}

#[tokio::test]
async fn of_two_equal_documents_each_goes_to_the_file_with_its_name_and_the_rest_in_order() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "same"), ("/d/b", "same"), ("/d/c", "same")]).await;
    let moved = fixture.run(&[("/d/x/b", "same"), ("/d/x/q", "same"), ("/d/x/r", "same"), ("/d/x/s", "same")]).await;
    assert_eq!(counts(&moved), [1, 0, 0, 3, 0, 0]);
    let expected = map(&[("/d/x/b", "d/b"), ("/d/x/q", "d/a"), ("/d/x/r", "d/c"), ("/d/x/s", "d/x/s")]);
    assert_eq!(fixture.ids().await, expected);
}

#[tokio::test]
async fn a_moved_document_stays_with_those_who_could_see_it() {
    let fixture = Fixture::new();
    fixture.run_with(TENANT, &[("/d/hr/a", "one")], &["hr"]).await;
    let moved = fixture.run(&[("/d/a", "one")]).await;
    assert_eq!((counts(&moved), moved.kept_access), ([0, 0, 0, 1, 0, 0], 1));
    let id = DocumentId::parse("d/hr/a").expect("an id");
    let known = fixture.store.fingerprints(TENANT, &[id]).await.expect("the store answers");
    assert_eq!(known.iter().flat_map(|known| &known.tags).collect::<Vec<_>>(), ["hr"]);
}

#[tokio::test]
async fn a_moved_document_that_has_other_tags_now_has_a_new_version_under_its_id() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one")]).await;
    let moved = fixture.run_with(TENANT, &[("/d/b", "one")], &["hr"]).await;
    assert_eq!(counts(&moved), [0, 1, 0, 0, 0, 0]);
    assert_eq!(fixture.ids().await, map(&[("/d/b", "d/a")]));
}

#[tokio::test]
async fn nothing_is_taken_over_from_another_tenant_or_from_outside_the_roots() {
    let fixture = Fixture::new();
    fixture.run_with("other", &[("/d/a", "one")], &[]).await;
    fixture.run(&[("/e/a", "one")]).await;
    let added = fixture.run(&[("/d/b", "one")]).await;
    assert_eq!(counts(&added), [1, 0, 0, 0, 0, 0]);
    assert_eq!(fixture.ids().await, map(&[("/d/b", "d/b"), ("/e/a", "e/a")]));
    let others = fixture.store.under_source("other", "/d").await.expect("the store answers");
    assert_eq!(others.iter().map(|known| known.source.as_str()).collect::<Vec<_>>(), ["/d/a"]);
}

#[tokio::test]
async fn a_run_that_is_cut_short_removes_nothing() {
    struct Gone;
    impl Progress for Gone {
        fn prepared(&self, _: usize) {}
        fn embedded(&self, _: usize) {}
        fn failed(&self, _: &Failure) {}
        fn is_wanted(&self) -> bool {
            false
        }
    }
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one")]).await;
    let roots = ["/d".to_owned()];
    let run = IngestRun { sees_all: true, tenant: TENANT, roots: &roots, source_exists: &|_| false, progress: &Gone };
    let never = RawDocument {
        source: "/d/b".to_owned(),
        fallback_id: "d/b".to_owned(),
        url: None,
        format: SourceFormat::PlainText,
        bytes: b"two".to_vec(),
        labels: Labels { tenant: TENANT.to_owned(), ..Labels::default() },
    };
    let mut report = fixture.ingest.ingest(std::iter::once(Ok(never)), &run).await.expect("the store answers");
    fixture.ingest.prune(&run, PruneExtent::Many, &mut report).await.expect("the store answers");
    assert!(report.is_cut_short);
    assert_eq!(fixture.ids().await, map(&[("/d/a", "d/a")]));
}

#[tokio::test]
async fn a_new_file_takes_neither_the_name_nor_the_second_name_of_one_that_moved() {
    let fixture = Fixture::new();
    fixture.run(&[("/d/a", "one")]).await;
    fixture.run(&[("/d/b", "one")]).await;
    let next = fixture.run(&[("/d/a", "two"), ("/d/c", "one")]).await;
    assert_eq!(counts(&next), [1, 0, 0, 1, 0, 0], "what moved on is found although another has its first name");
    fixture.run(&[("/d/a2", "two"), ("/d/c", "one")]).await;
    let third = fixture.run(&[("/d/a", "three"), ("/d/a2", "two"), ("/d/c", "one")]).await;
    assert_eq!(counts(&third), [1, 0, 2, 0, 0, 0]);
    let ids = fixture.ids().await;
    assert_eq!(ids.get("/d/c").map(String::as_str), Some("d/a"));
    assert_eq!(ids.values().collect::<BTreeSet<_>>().len(), 3, "{ids:?}");
}
