//! Readers of some collections on a store that an earlier version wrote, that is repaired, or that is turned back.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::path::Path;

use rusqlite::Connection;
use vouch_adapters::embedded::{EmbeddedStore, repair, rewind};
use vouch_domain::{
    Reader,
    ports::{Catalogue, DenseIndex, Generation, LexicalIndex, Register},
};
use vouch_testkit::{
    contracts::{everyone, of_collections, tagged},
    corpus::{card_of, kept},
    fakes::FakeEmbedder,
};

use crate::support::filled_store::{CATALOGUE, folder, open};

const ASKED: &str = "river boat floods";

/// Guides and minutes, some of each for the board alone, and a guide that was among the minutes before.
async fn filled(folder: &Path) {
    let store = open(folder).expect("it opens");
    let first = vec![
        kept(card_of("guides", "river", &[]), &["The river floods in spring.", "A boat on the river."]),
        kept(card_of("minutes", "talk", &[]), &["Floods were talked about.", "A boat was bought."]),
        kept(card_of("minutes", "moved", &[]), &["A boat for floods."]),
        kept(card_of("guides", "board", &["board"]), &["Floods cost the board a boat."]),
    ];
    store.catalogue.upsert(first).await.expect("kept");
    let then = kept(card_of("guides", "moved", &[]), &["A boat for floods of the river."]);
    store.catalogue.upsert(vec![then]).await.expect("kept");
    refreshed(&store).await;
}

async fn refreshed(store: &EmbeddedStore) {
    store.lexical.refresh().await.expect("refreshed");
    store.dense.refresh().await.expect("refreshed");
}

/// What a reader finds, by both indexes, with the scores, and how many documents the register tells them of.
async fn found(store: &EmbeddedStore, reader: &Reader) -> (Vec<String>, Vec<String>, u64) {
    let words = store.lexical.matching(reader, ASKED, 20).await.expect("hits");
    let vectors = store.dense.nearest(reader, &FakeEmbedder::vector(ASKED), 20).await.expect("hits");
    let mut told = Vec::new();
    for hits in [words, vectors] {
        let keys: Vec<_> = hits.iter().map(|hit| hit.key).collect();
        let passages = store.catalogue.passages(reader, &keys).await.expect("passages");
        assert_eq!(passages.len(), hits.len(), "an index finds nothing that the catalogue hides");
        let lines = passages.iter().zip(&hits);
        told.push(lines.map(|(one, hit)| format!("{} {:.4}", one.source_id(), hit.lane_score)).collect::<Vec<_>>());
    }
    let documents = store.register.kinds(reader).await.expect("kinds").iter().map(|kind| kind.documents).sum();
    let vectors = told.pop().expect("two");
    (told.pop().expect("two"), vectors, documents)
}

fn readers() -> [Reader; 5] {
    let guides = ["guides".to_owned()].into();
    [
        everyone(),
        of_collections(&["guides"]),
        of_collections(&["minutes"]),
        tagged(&[]).within(&guides),
        of_collections(&[]),
    ]
}

async fn all_found(folder: &Path) -> Vec<(Vec<String>, Vec<String>, u64)> {
    let store = open(folder).expect("it opens");
    let health = store.health().expect("health");
    assert!(health.is_sound(), "{health:?}");
    let mut all = Vec::new();
    for reader in readers() {
        all.push(found(&store, &reader).await);
    }
    all
}

fn connection(folder: &Path) -> Connection {
    Connection::open(folder.join(CATALOGUE)).expect("a database")
}

#[tokio::test]
async fn a_store_of_an_earlier_version_is_read_by_collection() {
    let folder = folder();
    filled(folder.path()).await;
    let before = all_found(folder.path()).await;
    let counts: Vec<(usize, usize, u64)> =
        before.iter().map(|(words, vectors, documents)| (words.len(), vectors.len(), *documents)).collect();
    assert_eq!(counts, [(6, 6, 4), (4, 4, 3), (2, 2, 1), (3, 3, 2), (0, 0, 0)]);
    // As an earlier version had it: no table of shelves nor any that came later, and no index that knows of them.
    connection(folder.path())
        .execute_batch(
            "DROP VIEW checked_shelves; DROP TABLE shelves; DROP VIEW checked_sent_questions; DROP TABLE sent_questions;
             DROP VIEW checked_sketches; DROP TABLE sketches; DROP VIEW checked_claims; DROP TABLE claims;
             DROP VIEW checked_findings; DROP TABLE findings; DROP TABLE sketch_bands; DROP TABLE claim_terms;
             DROP INDEX versions_by_text; DROP INDEX versions_by_shelf; DROP VIEW checked_readings; DROP TABLE readings;
             DROP VIEW checked_past_access; DROP TABLE past_access; DROP VIEW checked_edits; DROP TABLE edits; PRAGMA user_version = 8;",
        )
        .expect("turned back");
    for index in ["lexical", "dense"] {
        std::fs::remove_dir_all(folder.path().join(index)).expect("removed");
    }
    assert_eq!(all_found(folder.path()).await, before);
    assert_eq!(all_found(folder.path()).await, before, "and so the next time");
}

#[tokio::test]
async fn a_damaged_shelf_is_noticed_and_a_repair_loses_nothing_by_it() {
    let folder = folder();
    filled(folder.path()).await;
    let before = all_found(folder.path()).await;
    connection(folder.path()).execute_batch("UPDATE shelves SET sum = x'00' WHERE id = 2").expect("damaged");
    assert!(open(folder.path()).is_err(), "a damaged row is not read over");
    let report = repair(folder.path()).expect("repaired");
    assert_eq!((report.damaged.len(), report.lost.len()), (1, 0), "{report:?}");
    assert_eq!(all_found(folder.path()).await, before);
}

#[tokio::test]
async fn a_store_that_is_turned_back_has_documents_in_the_collections_they_had() {
    let (now, then) = (folder(), folder());
    filled(now.path()).await;
    rewind(now.path(), then.path(), Generation(1)).expect("turned back");
    let store = open(then.path()).expect("it opens");
    let (_, _, guides) = found(&store, &of_collections(&["guides"])).await;
    let (_, _, minutes) = found(&store, &of_collections(&["minutes"])).await;
    assert_eq!((guides, minutes), (2, 2));
}
