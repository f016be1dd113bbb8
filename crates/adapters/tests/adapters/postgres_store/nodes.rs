//! Several nodes on one database: what one changes the others have, row for row; what is lost is said.

use std::{collections::BTreeMap, path::Path, sync::Arc, thread, time::Duration};

use rusqlite::{Connection, OpenFlags, types::Value};
use vouch_adapters::embedded::{EmbeddedStore, EmbedderCheck, Follower};
use vouch_domain::{
    DocumentId, Fault, Reader,
    ports::{Catalogue, DenseIndex, Directory, Embedder, LexicalIndex, Memory},
};
use vouch_testkit::{
    contracts::{self, directory, everyone},
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

use super::{Server, database, name_of, node, server};

pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Every row of a node's copy, without what it says of itself alone and what SQLite makes of other rows.
pub(super) fn rows(folder: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(folder.join("catalogue.sqlite"), flags).expect("the copy");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' ORDER BY name";
    let mut statement = connection.prepare(names).expect("tables");
    let names = statement.query_map([], |row| row.get(0)).expect("tables").collect::<Result<Vec<String>, _>>();
    let mut found = BTreeMap::new();
    for name in names.expect("tables") {
        let mut statement = connection.prepare(&format!("SELECT * FROM {name}")).expect("rows");
        let count = statement.column_count();
        let read = statement.query_map([], |row| (0..count).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>());
        let mut rows = read.expect("rows").collect::<Result<Vec<_>, _>>().expect("rows");
        if name == "meta" {
            let own = ["revision", "followed", "lineage"].map(|key| Value::Text(key.to_owned()));
            rows.retain(|row| row.first().is_none_or(|key| !own.contains(key)));
        }
        rows.sort_by_key(|row| format!("{row:?}"));
        found.insert(name, rows);
    }
    found
}

pub(super) fn follower(store: &EmbeddedStore) -> Follower {
    store.follower().expect("it follows")
}

pub(super) fn id(text: &str) -> DocumentId {
    DocumentId::parse(text).expect("an id")
}

/// Changes of every kind that a node makes, drawn by lot.
fn change(store: &EmbeddedStore, lot: &mut u64) {
    let mut draw = |below: u64| {
        *lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*lot >> 33) % below
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let name = format!("d{}", draw(12));
        match draw(8) {
            0..=3 => {
                let lines: Vec<String> =
                    (0..=draw(3)).map(|line| format!("Line {line} of {name} in form {}.", draw(40))).collect();
                let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                let tags: &[&str] = if draw(3) == 0 { &["hr"] } else { &[] };
                store.catalogue.upsert(vec![kept(card(&name, tags), &lines)]).await.expect("kept");
            }
            4 => {
                store.catalogue.remove(TENANT, &[id(&name)]).await.expect("removed");
            }
            5 => {
                let to = format!("elsewhere/{}", draw(9));
                store.catalogue.rename(TENANT, &[(id(&name), to)]).await.expect("renamed");
            }
            6 => {
                let person = directory::person(&format!("p{}", draw(5)), &["hr"]);
                store.directory.upsert_people(vec![person]).await.expect("kept");
                store.directory.remove_person(TENANT, &format!("p{}", draw(5))).await.expect("removed");
            }
            _ => {
                let concepts = contracts::vocabulary::concepts();
                let some = usize::try_from(draw(concepts.len() as u64 + 1)).expect("few");
                store.vocabulary.replace(TENANT, "terms.ttl", &concepts[..some]).expect("taken in");
                store.memory.remove(TENANT, &["nobody".to_owned()]).await.expect("removed");
            }
        }
        store.lexical.refresh().await.expect("words");
        store.dense.refresh().await.expect("vectors");
    });
}

#[test]
fn nodes_that_change_one_database_at_once_have_the_same_rows_in_the_end() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let nodes: Vec<EmbeddedStore> = folders.iter().map(|folder| node(&settings, folder.path())).collect();
    thread::scope(|scope| {
        for (number, store) in (1..).zip(&nodes) {
            scope.spawn(move || {
                let mut lot = number * 7_919;
                for _ in 0..40 {
                    change(store, &mut lot);
                }
            });
        }
    });
    for store in &nodes {
        follower(store).follow().expect("up to date");
        assert!(store.health().expect("health").is_sound());
        assert!(!follower(store).follow().expect("up to date"), "nothing is left to follow");
    }
    let late = tempfile::tempdir().expect("a folder");
    drop(node(&settings, late.path()));
    let newcomer = node(&settings, late.path());
    assert!(newcomer.health().expect("health").is_sound());
    let changes: Vec<u64> = nodes.iter().map(|store| follower(store).state().change).collect();
    assert_eq!(changes, vec![changes[0]; 3]);
    let first = rows(folders[0].path());
    assert!(first["passages"].len() > 20 && first["claims"].is_empty());
    for folder in folders[1..].iter().map(tempfile::TempDir::path).chain([late.path()]) {
        let other = rows(folder);
        for (table, rows) in &first {
            assert_eq!(rows, &other[table], "{table}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_node_takes_in_another_finds_once_it_has_followed() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| node(&settings, folder.path()));
    let listener = database(&settings).listen();
    assert!(listener.wait(PATIENCE).await, "it listens");
    assert!(!listener.wait(Duration::from_millis(300)).await, "nothing was changed since");
    one.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall.", "Rain falls."])]).await.expect("kept");
    assert!(listener.wait(PATIENCE).await, "word of the change");
    assert!(follower(&other).follow().expect("followed"));
    let words = other.lexical.matching(&everyone(), "mast", 5).await.expect("an answer");
    let near = other.dense.nearest(&everyone(), &FakeEmbedder::vector("tall mast"), 5).await.expect("an answer");
    assert_eq!((words.len(), near.len()), (1, 2));
    let own = one.catalogue.passages(&everyone(), &[words[0].key]).await.expect("passages");
    let theirs = other.catalogue.passages(&everyone(), &[words[0].key]).await.expect("passages");
    assert_eq!(own, theirs);
    assert_eq!(
        one.catalogue.state().await.expect("a state"),
        other.catalogue.state().await.expect("a state"),
        "one store, one generation"
    );
    assert!(other.lexical.matching(&Reader::of_tenant("other"), "mast", 5).await.expect("an answer").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_one_node_makes_anew_reach_the_others_and_other_embedders_are_refused() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| node(&settings, folder.path()));
    one.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    follower(&other).follow().expect("followed");
    let same: Arc<dyn Embedder> = Arc::new(FakeEmbedder::named("fake"));
    one.reembed(&same, |_, _| "harbour".to_owned(), |_| ()).await.expect("made anew");
    follower(&other).follow().expect("followed");
    let near = other.dense.nearest(&everyone(), &FakeEmbedder::vector("harbour"), 1).await.expect("an answer");
    assert!(near[0].lane_score > 0.99, "{near:?}");
    let third = tempfile::tempdir().expect("a folder");
    let stranger = FakeEmbedder::named("another");
    let refused = database(&settings).open_store(third.path(), stranger.identity(), EmbedderCheck::Enforce);
    assert_eq!(refused.err().expect("another embedder").fault, Fault::OtherEmbedder);
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_of_two_embedders_never_mix_though_both_nodes_began_on_an_empty_store() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let one = node(&settings, folders[0].path());
    let another = FakeEmbedder::named("another");
    let other = database(&settings).open_store(folders[1].path(), another.identity(), EmbedderCheck::Enforce);
    let other = other.expect("nothing is stored yet");
    one.catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    let error = other.catalogue.upsert(vec![kept(card("b", &[]), &["Two."])]).await.expect_err("another embedder");
    assert_eq!(error.fault, Fault::OtherEmbedder, "{error}");
    assert_eq!(one.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
}

pub(super) fn cut_off(server: &Server, name: &str) {
    // One after the other: what is told together comes about together, and a node could come back in between.
    server.execute("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
    let ended = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    server.execute("postgres", &ended);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_away_nodes_answer_and_change_nothing() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let name = name_of(&settings);
    let folder = tempfile::tempdir().expect("a folder");
    let store = node(&settings, folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    store.lexical.refresh().await.expect("words");
    assert!(follower(&store).state().is_reached);
    cut_off(server, &name);
    let error = store.catalogue.upsert(vec![kept(card("b", &[]), &["Rain."])]).await.expect_err("no database");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    assert!(follower(&store).follow().is_err());
    assert!(!follower(&store).state().is_reached);
    assert_eq!(store.lexical.matching(&everyone(), "mast", 5).await.expect("an answer").len(), 1);
    assert_eq!(store.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    drop(store);
    let away = vouch_adapters::postgres::PostgresDatabase::open_for_node(&settings).expect("it may be away");
    let embedder = FakeEmbedder::named("fake");
    let again = away.open_store(folder.path(), embedder.identity(), EmbedderCheck::Enforce).expect("the copy is there");
    assert_eq!(again.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
    let fresh = tempfile::tempdir().expect("a folder");
    let nothing = away.open_store(fresh.path(), embedder.identity(), EmbedderCheck::Enforce);
    assert_eq!(nothing.err().expect("no copy").fault, Fault::Unavailable);
    server.execute("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    again.catalogue.upsert(vec![kept(card("b", &[]), &["Rain."])]).await.expect("kept again, without a restart");
    assert!(follower(&again).state().is_reached);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_follows_the_database_it_began_with_and_no_other() {
    let Some(server) = server() else { return };
    let (settings, strangers) = (server.database(), server.database());
    let (folder, own) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let embedder = FakeEmbedder::named("fake");
    let open =
        |settings, folder: &Path| database(settings).open_store(folder, embedder.identity(), EmbedderCheck::Enforce);
    node(&settings, folder.path()).catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    node(&strangers, tempfile::tempdir().expect("a folder").path());
    let error = open(&strangers, folder.path()).err().expect("another database");
    assert_eq!((error.fault, error.sentence.contains("another database")), (Fault::Invalid, true), "{error}");
    {
        let store = EmbeddedStore::open(own.path(), embedder.identity(), EmbedderCheck::Enforce).expect("it opens");
        store.catalogue.upsert(vec![kept(card("b", &[]), &["Two."])]).await.expect("kept");
    }
    let error = open(&settings, own.path()).err().expect("a store of its own");
    assert!(error.sentence.contains("vouch store copy"), "{error}");
    let alone = EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce);
    assert!(alone.err().expect("a copy").sentence.contains("copy of a database"));
    // A database that was put back to what it was before.
    server.execute(&name_of(&settings), "UPDATE vouch.head SET changed_at = changed_at - 1");
    let error = open(&settings, folder.path()).err().expect("changes are missing");
    assert_eq!(error.fault, Fault::Corrupt, "{error}");
    let kept = ["`audit.sqlite`", "`audit.sqlite-wal`", "`audit.watermark`"];
    assert!(kept.iter().all(|file| error.sentence.contains(file)), "the trail may not have been sent: {error}");
    // A row that was changed by hand.
    server.execute(&name_of(&settings), "UPDATE vouch.head SET changed_at = changed_at + 1");
    server.execute(&name_of(&settings), "UPDATE vouch.passages SET text = 'Three.'");
    let error = open(&settings, tempfile::tempdir().expect("a folder").path()).err().expect("a changed row");
    assert!(error.sentence.contains("passages differs from what was written"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_was_exchanged_under_a_node_is_not_followed() {
    let Some(server) = server() else { return };
    let (settings, strangers) = (server.database(), server.database());
    let folder = tempfile::tempdir().expect("a folder");
    let store = node(&settings, folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    let other = node(&strangers, tempfile::tempdir().expect("a folder").path());
    for text in ["Two.", "Three.", "Four."] {
        other.catalogue.upsert(vec![kept(card("b", &[]), &[text])]).await.expect("kept");
    }
    let (own, theirs) = (name_of(&settings), name_of(&strangers));
    cut_off(server, &own);
    cut_off(server, &theirs);
    server.execute("postgres", &format!("ALTER DATABASE {own} RENAME TO {own}_before"));
    server.execute("postgres", &format!("ALTER DATABASE {theirs} RENAME TO {own}"));
    server.execute("postgres", &format!("ALTER DATABASE {own} ALLOW_CONNECTIONS true"));
    let error = follower(&store).follow().expect_err("another store");
    assert!(error.sentence.contains("another database"), "{error}");
    let error = store.catalogue.upsert(vec![kept(card("c", &[]), &["Five."])]).await.expect_err("another store");
    assert!(error.sentence.contains("another database"), "{error}");
    assert_eq!(store.catalogue.text(&everyone(), &id("a")).await.expect("an answer").as_deref(), Some("One."));
    assert_eq!(store.catalogue.counts(&everyone()).await.expect("counts").documents, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_postgresql_cannot_keep_is_said_and_nothing_is_half_there() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let store = node(&settings, folder.path());
    let documents = vec![kept(card("a", &[]), &["One."]), kept(card("b", &[]), &["A \u{0} here."])];
    let error = store.catalogue.upsert(documents).await.expect_err("no such text");
    assert!(error.fault == Fault::Invalid && error.sentence.contains("U+0000"), "{error}");
    assert_eq!(store.catalogue.counts(&everyone()).await.expect("counts").documents, 0);
    store.catalogue.upsert(vec![kept(card("a", &[]), &["One."])]).await.expect("kept");
    follower(&store).follow().expect("up to date");
    assert!(store.health().expect("health").is_sound());
}
