//! The embedded store keeps the contracts of its ports, and its own promises.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc};

use vouch_adapters::{
    embedded::{AnnSettings, EmbeddedStore, EmbedderCheck},
    extractive::Extractive,
    parsers::FileParser,
    system_clock::SystemClock,
};
use vouch_domain::{
    Fault,
    ports::{Catalogue, DenseIndex, Directory, Embedder, LexicalIndex, Memory, Vocabulary},
};
use vouch_testkit::{
    contracts::{self, StorePorts, everyone},
    corpus::{card, kept},
    fakes::FakeEmbedder,
};

fn open(folder: &Path, ann: AnnSettings) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open(folder, embedder.identity(), EmbedderCheck::Enforce, ann).expect("the store opens")
}

/// A store in a folder of its own that outlives the ports.
fn fresh(ann: AnnSettings) -> StorePorts {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let store = open(&folder, ann);
    let ports = StorePorts {
        catalogue: store.catalogue.clone(),
        register: store.register.clone(),
        lexical: store.lexical.clone(),
        dense: store.dense.clone(),
    };
    // The lock goes with the store; the files are small and the system clears its temporary folder.
    drop(store);
    ports
}

#[tokio::test]
async fn sqlite_is_a_register() {
    contracts::register::check(|| fresh(AnnSettings::default())).await;
}

#[tokio::test]
async fn sqlite_is_a_vocabulary_and_a_source_replaces_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), AnnSettings::default());
    let reader = contracts::everyone();
    let concepts = contracts::vocabulary::concepts();
    let counts = store.vocabulary.replace(&reader.tenant, "terms.ttl", &concepts).expect("taken in");
    assert_eq!((counts.concepts, counts.defined, counts.replaced), (4, 3, 0));
    contracts::vocabulary::check(store.vocabulary.clone(), &reader).await;
    let busbar = vouch_domain::TermKey::parse("busbar").expect("a term");
    let strangers = vouch_domain::Reader::of_tenant("other");
    assert!(store.vocabulary.look_up(&strangers, &busbar).await.expect("an answer").is_empty());
    let counts = store.vocabulary.replace(&reader.tenant, "terms.ttl", &concepts[1..]).expect("taken in");
    assert_eq!((counts.concepts, counts.replaced), (3, 4));
    assert!(store.vocabulary.look_up(&reader, &busbar).await.expect("an answer").is_empty());
    assert!(store.vocabulary.similar(&reader, &busbar, 3).await.expect("an answer").is_empty());
}

#[tokio::test]
async fn sqlite_is_a_memory_and_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let store = open(folder.path(), AnnSettings::default());
        contracts::memory::check(store.memory.clone()).await;
    }
    let again = open(folder.path(), AnnSettings::default());
    let left = again.memory.entries(&contracts::everyone()).await.expect("entries");
    assert_eq!(left.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["a", "nl", "secret"]);
    let strangers = vouch_domain::Reader::of_tenant("other");
    assert!(again.memory.entries(&strangers).await.expect("entries").is_empty());
}

#[tokio::test]
async fn sqlite_is_a_directory() {
    contracts::directory::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        open(&folder, AnnSettings::default()).directory.clone()
    })
    .await;
}

#[tokio::test]
async fn people_and_topics_are_kept_in_one_step_and_stay() {
    use contracts::directory::{person, topic};
    let folder = tempfile::tempdir().expect("a folder");
    {
        let directory = open(folder.path(), AnnSettings::default()).directory.clone();
        let people = || vec![person("mira", &["hr"]), person("kees", &[])];
        let counts = directory.keep(people(), vec![topic("hr", Some("mira"))]).await.expect("kept");
        assert_eq!((counts.people_added, counts.topics_added), (2, 1));
        let counts = directory.keep(people(), vec![topic("hr", None), topic("it", None)]).await.expect("kept");
        assert_eq!((counts.people_changed, counts.topics_changed, counts.topics_added), (2, 1, 1));
        let refused = directory.keep(vec![person("anna", &[])], vec![topic("hr", Some(""))]).await;
        assert_eq!(refused.expect_err("an owner without a name").fault, Fault::Invalid);
    }
    let again = open(folder.path(), AnnSettings::default());
    let tenant = contracts::everyone().tenant;
    assert_eq!(again.directory.people(&tenant).await.expect("people"), [person("kees", &[]), person("mira", &["hr"])]);
    assert_eq!(again.directory.topic(&tenant, "hr").await.expect("an answer"), Some(topic("hr", None)));
}

#[tokio::test]
async fn sqlite_is_a_catalogue() {
    contracts::catalogue::check(|| fresh(AnnSettings::default())).await;
}

#[tokio::test]
async fn tantivy_is_a_lexical_index() {
    contracts::lexical_index::check(|| fresh(AnnSettings::default())).await;
}

#[tokio::test]
async fn the_exact_scan_is_a_dense_index() {
    contracts::dense_index::check(|| fresh(AnnSettings::default())).await;
}

#[tokio::test]
async fn the_graph_is_a_dense_index() {
    contracts::dense_index::check(|| fresh(AnnSettings { exact_up_to: 0, search_breadth: 64 })).await;
}

#[tokio::test]
async fn the_extractive_writer_is_verbatim() {
    contracts::generator::check_verbatim(&Extractive).await;
}

#[test]
fn the_file_parser_is_a_parser() {
    contracts::parser::check(&FileParser);
}

#[test]
fn the_system_clock_is_a_clock() {
    contracts::clock::check(&SystemClock::start());
}

#[tokio::test]
async fn a_second_store_on_one_folder_is_told_who_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = open(folder.path(), AnnSettings::default());
    let embedder = FakeEmbedder::named("fake");
    let second =
        EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce, AnnSettings::default());
    let error = second.err().expect("the folder is held");
    assert_eq!(error.fault, Fault::Held);
    assert!(error.sentence.contains(&std::process::id().to_string()), "{}", error.sentence);
    drop(first);
    open(folder.path(), AnnSettings::default());
}

#[tokio::test]
async fn vectors_of_two_embedders_never_mix_and_reembedding_mends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), AnnSettings::default());
    store.catalogue.keep(vec![kept(card("a", &[]), &["The mast is tall.", "Rain."])]).await.expect("keep");
    drop(store);
    let other: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("another"));
    let refused = EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Enforce, AnnSettings::default());
    let error = refused.err().expect("another embedder");
    assert_eq!(error.fault, Fault::OtherEmbedder);
    assert!(error.sentence.contains("vouch reembed"), "{}", error.sentence);
    let store =
        EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Reembedding, AnnSettings::default())
            .expect("opens to re-embed");
    let made = store.reembed(&other, |_, passage| passage.text.clone(), |_| ()).await.expect("reembed");
    assert_eq!(made, 2);
    drop(store);
    let store = EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Enforce, AnnSettings::default())
        .expect("opens with the new embedder");
    assert!(store.health().expect("health").is_sound());
    let hits = store.dense.nearest(&everyone(), &FakeEmbedder::vector("tall mast"), 5).await.expect("nearest");
    assert_eq!(hits.len(), 2);
}

#[tokio::test]
async fn vectors_made_anew_by_the_same_embedder_reach_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let same: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("fake"));
    let store = open(folder.path(), AnnSettings::default());
    let lines: Vec<String> = (0..300).map(|n| format!("old{n}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    store.catalogue.keep(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    store.reembed(&same, |_, passage| format!("new{}", passage.ordinal), |_| ()).await.expect("reembed");
    for n in (0..300).step_by(30) {
        let query = FakeEmbedder::vector(&format!("new{n}"));
        let hits = store.dense.nearest(&everyone(), &query, 1).await.expect("nearest");
        assert!(hits.first().is_some_and(|hit| hit.lane_score > 0.99), "new{n}: {hits:?}");
    }
}

#[tokio::test]
async fn indexes_that_were_deleted_or_damaged_are_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), AnnSettings { exact_up_to: 1, search_breadth: 64 });
    store.catalogue.keep(vec![kept(card("a", &[]), &["The mast is tall.", "Rain falls."])]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
    drop(store);
    let damages: [&dyn Fn(); 4] = [
        &|| std::fs::remove_dir_all(folder.path().join("lexical")).expect("removed"),
        &|| std::fs::remove_dir_all(folder.path().join("dense")).expect("removed"),
        &|| std::fs::write(folder.path().join("lexical/meta.json"), "{").expect("damaged"),
        &|| {
            std::fs::write(folder.path().join("dense/head.json"), "nonsense").expect("damaged");
            std::fs::write(folder.path().join("dense/graph.bin"), [7; 100]).expect("damaged");
        },
    ];
    for damage in damages {
        damage();
        let store = open(folder.path(), AnnSettings { exact_up_to: 1, search_breadth: 64 });
        assert!(store.health().expect("health").is_sound());
        assert_eq!(store.lexical.matching(&everyone(), "mast", 5).await.expect("matching").len(), 1);
        let near = store.dense.nearest(&everyone(), &FakeEmbedder::vector("mast"), 5).await.expect("nearest");
        assert_eq!(near.len(), 2);
    }
}

#[tokio::test]
async fn the_graph_finds_what_the_scan_finds_also_after_a_restart() {
    let words = |n: usize| format!("w{} w{} w{} w{}", n % 7, n % 31, n % 53, n);
    let lines: Vec<String> = (0..800).map(words).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let exact_folder = tempfile::tempdir().expect("a folder");
    let graph_folder = tempfile::tempdir().expect("a folder");
    let ann = AnnSettings { exact_up_to: 100, search_breadth: 256 };
    for (folder, ann) in [(&exact_folder, AnnSettings::default()), (&graph_folder, ann)] {
        let store = open(folder.path(), ann);
        store.catalogue.keep(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
        store.dense.refresh().await.expect("refresh");
    }
    assert!(
        graph_folder.path().join("dense/graph.bin").exists() && !exact_folder.path().join("dense/graph.bin").exists()
    );
    let (exact, walked) = (open(exact_folder.path(), AnnSettings::default()), open(graph_folder.path(), ann));
    let (mut shared, mut wanted) = (0, 0);
    for n in (0..800).step_by(40) {
        let query = FakeEmbedder::vector(&words(n));
        let scores =
            |hits: Vec<vouch_domain::ports::LaneHit>| hits.iter().map(|hit| hit.lane_score).collect::<Vec<_>>();
        let best = scores(exact.dense.nearest(&everyone(), &query, 10).await.expect("nearest"));
        let found = scores(walked.dense.nearest(&everyone(), &query, 10).await.expect("nearest"));
        wanted += best.len();
        shared += best.iter().zip(&found).filter(|(best, found)| best == found).count();
    }
    assert!(shared * 100 >= wanted * 95, "{shared} of {wanted}");
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), AnnSettings::default());
    store.catalogue.keep(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("keep");
    let size = std::fs::metadata(folder.path().join("catalogue.sqlite")).expect("the file").len();
    store.limit_catalogue_bytes(size + 8_192).expect("limit");
    let large = "A long line about rain. ".repeat(20_000);
    let error = store.catalogue.keep(vec![kept(card("b", &[]), &[&large])]).await.expect_err("no room");
    assert_eq!(error.fault, Fault::Full);
    store.limit_catalogue_bytes(1 << 40).expect("limit");
    assert_eq!(store.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    store.catalogue.keep(vec![kept(card("b", &[]), &[&large])]).await.expect("room again");
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
    assert!(store.health().expect("health").is_sound());
}
