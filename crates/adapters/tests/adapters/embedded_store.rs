//! The embedded store keeps the contracts of its ports, and its own promises.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc};

use vouch_adapters::{
    embedded::{EmbeddedStore, EmbeddedVersions, EmbedderCheck},
    extractive::Extractive,
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

pub(super) fn open(folder: &Path) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open(folder, embedder.identity(), EmbedderCheck::Enforce).expect("the store opens")
}

/// A store in a folder of its own that outlives the ports.
fn fresh() -> StorePorts {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let store = open(&folder);
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
    contracts::register::check(fresh).await;
}

#[tokio::test]
async fn sqlite_is_a_vocabulary_and_a_source_replaces_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
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
    let alike = store.vocabulary.similar(&reader, &busbar, 3).await.expect("an answer");
    assert!(!alike.iter().any(|name| name.eq_ignore_ascii_case("busbar")), "{alike:?}");
}

#[tokio::test]
async fn sqlite_is_a_memory_and_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let store = open(folder.path());
        contracts::memory::check(store.memory.clone()).await;
    }
    let again = open(folder.path());
    let left = again.memory.entries(&contracts::everyone()).await.expect("entries");
    assert_eq!(left.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["a", "nl", "secret"]);
    let strangers = vouch_domain::Reader::of_tenant("other");
    assert!(again.memory.entries(&strangers).await.expect("entries").is_empty());
}

#[tokio::test]
async fn sqlite_keeps_questions_that_wait_for_an_answer() {
    contracts::sent_questions::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        open(&folder).questions.clone()
    })
    .await;
}

#[tokio::test]
async fn sqlite_keeps_versions_and_shows_them_to_whoever_holds_the_folder_and_to_others() {
    contracts::versions::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let store = open(&folder);
        (store.catalogue.clone(), store.versions.clone())
    })
    .await;
    contracts::versions::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let store = open(&folder);
        (store.catalogue.clone(), Arc::new(EmbeddedVersions::open_to_read(&folder).expect("it can be read")))
    })
    .await;
    let nowhere = tempfile::tempdir().expect("a folder");
    assert!(EmbeddedVersions::open_to_read(nowhere.path()).is_err());
}

#[tokio::test]
async fn sqlite_keeps_findings() {
    contracts::findings::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let store = open(&folder);
        (store.catalogue.clone(), store.findings.clone())
    })
    .await;
}

#[tokio::test]
async fn sqlite_is_a_directory() {
    contracts::directory::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        open(&folder).directory.clone()
    })
    .await;
}

#[tokio::test]
async fn people_and_topics_are_kept_in_one_step_and_stay() {
    use contracts::directory::{person, topic};
    let folder = tempfile::tempdir().expect("a folder");
    {
        let directory = open(folder.path()).directory.clone();
        let people = || vec![person("mira", &["hr"]), person("kees", &[])];
        let counts = directory.upsert(people(), vec![topic("hr", Some("mira"))]).await.expect("kept");
        assert_eq!((counts.people_added, counts.topics_added), (2, 1));
        let counts = directory.upsert(people(), vec![topic("hr", None), topic("it", None)]).await.expect("kept");
        assert_eq!((counts.people_changed, counts.topics_changed, counts.topics_added), (2, 1, 1));
        let refused = directory.upsert(vec![person("anna", &[])], vec![topic("hr", Some(""))]).await;
        assert_eq!(refused.expect_err("an owner without a name").fault, Fault::Invalid);
    }
    let again = open(folder.path());
    let tenant = contracts::everyone().tenant;
    assert_eq!(again.directory.people(&tenant).await.expect("people"), [person("kees", &[]), person("mira", &["hr"])]);
    assert_eq!(again.directory.topic(&tenant, "hr").await.expect("an answer"), Some(topic("hr", None)));
}

#[tokio::test]
async fn sqlite_is_a_catalogue() {
    contracts::catalogue::check(fresh).await;
}

#[tokio::test]
async fn tantivy_is_a_lexical_index() {
    contracts::lexical_index::check(fresh).await;
}

#[tokio::test]
async fn the_exact_scan_is_a_dense_index() {
    contracts::dense_index::check(fresh).await;
}

#[tokio::test]
async fn the_extractive_writer_is_verbatim() {
    contracts::generator::check_verbatim(&Extractive).await;
}

#[test]
fn the_system_clock_is_a_clock() {
    contracts::clock::check(&SystemClock::start());
}

#[tokio::test]
async fn a_second_store_on_one_folder_is_told_who_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = open(folder.path());
    let embedder = FakeEmbedder::named("fake");
    let second = EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce);
    let error = second.err().expect("the folder is held");
    assert_eq!(error.fault, Fault::Held);
    assert!(error.sentence.contains(&std::process::id().to_string()), "{}", error.sentence);
    drop(first);
    open(folder.path());
}

#[tokio::test]
async fn vectors_of_two_embedders_never_mix_and_reembedding_mends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall.", "Rain."])]).await.expect("keep");
    drop(store);
    let other: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("another"));
    let refused = EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Enforce);
    let error = refused.err().expect("another embedder");
    assert_eq!(error.fault, Fault::OtherEmbedder);
    assert!(error.sentence.contains("vouch reembed"), "{}", error.sentence);
    let store =
        EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Reembedding).expect("opens to re-embed");
    let made = store.reembed(&other, |_, passage| passage.text.clone(), |_| ()).await.expect("reembed");
    assert_eq!(made, 2);
    drop(store);
    let store = EmbeddedStore::open(folder.path(), other.identity(), EmbedderCheck::Enforce)
        .expect("opens with the new embedder");
    assert!(store.health().expect("health").is_sound());
    let hits = store.dense.nearest(&everyone(), &FakeEmbedder::vector("tall mast"), 5).await.expect("nearest");
    assert_eq!(hits.len(), 2);
}

#[tokio::test]
async fn vectors_made_anew_by_the_same_embedder_reach_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let same: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("fake"));
    let store = open(folder.path());
    let lines: Vec<String> = (0..300).map(|n| format!("old{n}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    store.catalogue.upsert(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
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
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall.", "Rain falls."])]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
    drop(store);
    let damages: [&dyn Fn(); 4] = [
        &|| std::fs::remove_dir_all(folder.path().join("lexical")).expect("removed"),
        &|| std::fs::remove_dir_all(folder.path().join("dense")).expect("removed"),
        &|| std::fs::write(folder.path().join("lexical/meta.json"), "{").expect("damaged"),
        &|| std::fs::write(folder.path().join("dense/head.json"), "nonsense").expect("damaged"),
    ];
    for damage in damages {
        damage();
        let store = open(folder.path());
        assert!(store.health().expect("health").is_sound());
        assert_eq!(store.lexical.matching(&everyone(), "mast", 5).await.expect("matching").len(), 1);
        let near = store.dense.nearest(&everyone(), &FakeEmbedder::vector("mast"), 5).await.expect("nearest");
        assert_eq!(near.len(), 2);
    }
}

#[tokio::test]
async fn a_graph_an_earlier_version_left_is_removed_and_nothing_else_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<String> = (0..800).map(|n| format!("w{} w{} w{} w{n}", n % 7, n % 31, n % 53)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let query = FakeEmbedder::vector("w3 w14 w45");
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let before = store.dense.nearest(&everyone(), &query, 10).await.expect("nearest");
    drop(store);
    let (head, graph) = (folder.path().join("dense/head.json"), folder.path().join("dense/graph.bin"));
    let head_before = std::fs::read(&head).expect("a head");
    std::fs::write(&graph, b"a seal and VHNSW").expect("a graph");
    let store = open(folder.path());
    assert!(!graph.exists());
    assert!(store.health().expect("health").is_sound());
    assert_eq!(std::fs::read(&head).expect("a head"), head_before, "the rows are not made anew");
    assert_eq!(store.dense.nearest(&everyone(), &query, 10).await.expect("nearest"), before);
}

#[tokio::test]
async fn a_graph_that_cannot_be_removed_is_not_in_the_way() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("dense/graph.bin/within")).expect("a folder in its place");
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall.", "Rain falls."])]).await.expect("keep");
    store.dense.refresh().await.expect("refresh");
    let near = store.dense.nearest(&everyone(), &FakeEmbedder::vector("mast"), 5).await.expect("nearest");
    assert_eq!(near.len(), 2);
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("keep");
    let size = std::fs::metadata(folder.path().join("catalogue.sqlite")).expect("the file").len();
    store.limit_catalogue_bytes(size + 8_192).expect("limit");
    let large = "A long line about rain. ".repeat(20_000);
    let error = store.catalogue.upsert(vec![kept(card("b", &[]), &[&large])]).await.expect_err("no room");
    assert_eq!(error.fault, Fault::Full);
    store.limit_catalogue_bytes(1 << 40).expect("limit");
    assert_eq!(store.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    store.catalogue.upsert(vec![kept(card("b", &[]), &[&large])]).await.expect("room again");
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
    assert!(store.health().expect("health").is_sound());
}
