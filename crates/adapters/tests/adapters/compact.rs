//! Old versions go and nothing else does: what is searched stays, the store is sound, and a kill on the way loses nothing.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use vouch_adapters::embedded::{EmbeddedStore, EmbedderCheck, examine, rewind};
use vouch_domain::{
    DocumentId, Fault,
    ports::{Catalogue, DenseIndex, Embedder, Generation, KeptDocument, LexicalIndex, Versions},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

use crate::support::filled_store::{copied, copy, folder};

const DAY_MS: u64 = 86_400_000;
/// In the environment of a process that compacts this folder until it is killed.
const COMPACTS: &str = "VOUCH_TEST_COMPACTS";

fn open(folder: &Path) -> EmbeddedStore {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open(folder, embedder.identity(), EmbedderCheck::Enforce).expect("it opens")
}

fn id(text: &str) -> DocumentId {
    DocumentId::parse(text).expect("an id")
}

/// A document as it was taken in on a day.
fn on_day(day: u64, name: &str, lines: &[&str]) -> KeptDocument {
    KeptDocument { taken_in_ms: day * DAY_MS, ..kept(card(name, &[]), lines) }
}

/// Days 1 to 4: `a` in three forms, `b` removed on the third, `c` as it ever was.
async fn history(folder: &Path) {
    let store = open(folder);
    let first = vec![on_day(1, "a", &["The mast is 3 m tall.", "It is red."]), on_day(1, "c", &["The heater is off."])];
    store.catalogue.upsert(first).await.expect("keep");
    store
        .catalogue
        .upsert(vec![on_day(2, "a", &["The mast is 4 m tall."]), on_day(2, "b", &["The keel."])])
        .await
        .expect("keep");
    store.catalogue.remove(TENANT, &[id("b")]).await.expect("remove");
    store.catalogue.upsert(vec![on_day(4, "a", &["The mast is 5 m tall."])]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    store.dense.refresh().await.expect("refresh");
}

/// What can be found, in words.
async fn seen(store: &EmbeddedStore) -> Vec<String> {
    let mut seen = vec![format!("{:?}", store.catalogue.state().await.expect("a state"))];
    for name in ["a", "b", "c"] {
        seen.push(format!("{:?}", store.catalogue.text(&everyone(), &id(name)).await.expect("a text")));
    }
    for word in ["mast", "heater", "keel", "red"] {
        let matching = store.lexical.matching(&everyone(), word, 10).await.expect("matching");
        let near = store.dense.nearest(&everyone(), &FakeEmbedder::vector(word), 10).await.expect("nearest");
        seen.push(format!("{word}: {matching:?} {near:?}"));
    }
    seen
}

async fn numbers(store: &EmbeddedStore, name: &str) -> Vec<u32> {
    let found = store.versions.versions(&everyone(), &id(name), 100).await.expect("versions");
    found.iter().map(|one| one.number).collect()
}

/// Nothing is damaged and every part says the same.
fn is_sound(folder: &Path) {
    assert!(open(folder).health().expect("health").is_sound());
    let found = examine(folder, FakeEmbedder::named("fake").identity()).expect("examined");
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn only_what_ended_before_the_moment_goes_and_what_is_searched_stays() {
    // The first form of `a` ended on day 2, its second and `b` by day 4.
    for (moment, versions, passages, kept_from, left) in
        [(2, 0, 0, 0, vec![3, 2, 1]), (3, 1, 2, 2, vec![3, 2]), (4, 1, 2, 2, vec![3, 2]), (5, 3, 4, 4, vec![3])]
    {
        let folder = folder();
        history(folder.path()).await;
        let before = seen(&open(folder.path())).await;
        {
            let store = open(folder.path());
            let would = store.compactable(moment * DAY_MS).expect("looked at");
            assert_eq!((would.versions, would.passages, would.kept_from), (versions, passages, Generation(kept_from)));
            assert_eq!(numbers(&store, "a").await, [3, 2, 1], "nothing is removed by looking");
            let did = store.compact(Some(moment * DAY_MS)).expect("compacted");
            assert_eq!((did.versions, did.passages, did.kept_from), (versions, passages, Generation(kept_from)));
            assert_eq!(did.unreclaimed, None);
            assert_eq!(numbers(&store, "a").await, left);
            assert_eq!(seen(&store).await, before);
            assert_eq!(store.compact(Some(moment * DAY_MS)).expect("again").versions, 0);
        }
        is_sound(folder.path());
        assert_eq!(seen(&open(folder.path())).await, before);
        let copy = tempfile::tempdir().expect("a folder");
        let oldest = rewind(folder.path(), copy.path(), Generation(1));
        match kept_from {
            0 => assert!(oldest.is_ok()),
            _ => {
                let error = oldest.expect_err("it is no longer kept");
                assert_eq!(error.fault, Fault::Invalid);
                assert!(error.sentence.contains("generation 1 are no longer kept"), "{}", error.sentence);
            }
        }
        let copy = tempfile::tempdir().expect("a folder");
        rewind(folder.path(), copy.path(), Generation(kept_from)).expect("the first that is kept");
    }
}

#[tokio::test]
async fn what_was_removed_last_stays_since_nothing_says_how_long_ago_that_was() {
    let folder = folder();
    history(folder.path()).await;
    let store = open(folder.path());
    store.catalogue.remove(TENANT, &[id("c")]).await.expect("remove");
    assert_eq!(store.compact(Some(1_000 * DAY_MS)).expect("compacted").versions, 3);
    store.catalogue.upsert(vec![on_day(6, "c", &["The heater is on."])]).await.expect("keep");
    assert_eq!(numbers(&store, "c").await, [2, 1], "its number goes on");
    assert_eq!(store.compact(Some(7 * DAY_MS)).expect("compacted").versions, 1);
    assert_eq!(numbers(&store, "c").await, [2]);
    store.catalogue.upsert(vec![on_day(7, "b", &["The keel is back."])]).await.expect("keep");
    assert_eq!(numbers(&store, "b").await, [1], "of what is gone whole nothing is left to count from");
    drop(store);
    is_sound(folder.path());
}

#[tokio::test]
async fn without_a_moment_nothing_goes_and_room_is_given_back() {
    let folder = folder();
    history(folder.path()).await;
    let long = "Nothing is told of it. ".repeat(200_000);
    {
        let store = open(folder.path());
        store.catalogue.upsert(vec![on_day(5, "d", &[long.as_str()])]).await.expect("keep");
        store.catalogue.upsert(vec![on_day(6, "d", &["Short."])]).await.expect("keep");
        assert_eq!(store.compact(None).expect("compacted").versions, 0);
        assert_eq!(numbers(&store, "d").await, [2, 1]);
        let did = store.compact(Some(7 * DAY_MS)).expect("compacted");
        assert!(did.bytes_after + 4_000_000 < did.bytes_before, "{did:?}");
    }
    is_sound(folder.path());
}

#[tokio::test]
async fn an_index_that_had_not_seen_the_dead_is_rebuilt() {
    let (folder, early) = (folder(), folder());
    {
        let store = open(early.path());
        store.catalogue.upsert(vec![on_day(1, "a", &["The mast is 3 m tall.", "It is red."])]).await.expect("keep");
        store.lexical.refresh().await.expect("refresh");
        store.dense.refresh().await.expect("refresh");
    }
    copy(early.path(), folder.path());
    {
        let store = open(folder.path());
        store.catalogue.upsert(vec![on_day(2, "a", &["The mast is 4 m tall."])]).await.expect("keep");
        assert_eq!(store.compact(Some(3 * DAY_MS)).expect("compacted").versions, 1);
    }
    for index in ["lexical", "dense"] {
        std::fs::remove_dir_all(folder.path().join(index)).expect("an index");
        copy(&early.path().join(index), &folder.path().join(index));
    }
    let store = open(folder.path());
    assert!(store.health().expect("health").is_sound());
    assert_eq!(store.lexical.matching(&everyone(), "red", 10).await.expect("matching"), []);
}

/// Compacts a folder where the environment names one: the process that is killed.
#[tokio::test]
async fn a_process_that_compacts() {
    let Some(folder) = std::env::var_os(COMPACTS) else { return };
    open(Path::new(&folder)).compact(Some(1_000 * DAY_MS)).expect("compacted");
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_all_or_nothing_and_the_next_run_ends_it() {
    let filled = folder();
    history(filled.path()).await;
    {
        let store = open(filled.path());
        for day in 5..25 {
            let lines: Vec<String> =
                (0..20).map(|at| format!("Line {at} of day {day} tells of the ropewalk.")).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            store.catalogue.upsert(vec![on_day(day, "d", &lines)]).await.expect("keep");
        }
    }
    let before = seen(&open(filled.path())).await;
    let program = std::env::current_exe().expect("this program");
    let mut outcomes = std::collections::BTreeSet::new();
    for wait_ms in (0..=240).step_by(8) {
        let folder = copied(filled.path());
        let mut child = Command::new(&program)
            .args(["compact::a_process_that_compacts", "--exact"])
            .env(COMPACTS, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(wait_ms));
        child.kill().expect("our own child");
        child.wait().expect("an end");
        is_sound(folder.path());
        let store = open(folder.path());
        let left = numbers(&store, "d").await.len();
        assert!(left == 1 || left == 20, "all or nothing, not {left} after {wait_ms} ms");
        outcomes.insert(left);
        assert_eq!(seen(&store).await, before, "after {wait_ms} ms");
        store.compact(Some(1_000 * DAY_MS)).expect("compacted");
        assert_eq!(numbers(&store, "d").await, [20]);
        drop(store);
        is_sound(folder.path());
    }
    assert!(outcomes.contains(&20), "some were killed before anything was removed: {outcomes:?}");
}
