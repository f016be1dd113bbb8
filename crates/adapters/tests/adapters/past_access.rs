//! Who could see documents that are gone, through what becomes of a store: an upgrade, a compaction, a restored backup.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, path::Path};

use vouch_adapters::embedded::{PointInTime, RestoreConsent, backup, restore, restore_at};
use vouch_domain::{
    DocumentId,
    ports::{Catalogue, Generation, PastAccess},
};
use vouch_testkit::corpus::{TENANT, card, kept};

use crate::support::filled_store::{CATALOGUE, folder, open};

fn id(name: &str) -> DocumentId {
    DocumentId::parse(name).expect("an id")
}

fn hr() -> Option<BTreeSet<String>> {
    Some(["hr".to_owned()].into())
}

/// Who could see the document.
async fn past(folder: &Path) -> PastAccess {
    let store = open(folder).expect("it opens");
    store.catalogue.past_access(TENANT, &id("pay"), "/docs/pay.md", "Pay rises.").await.expect("past access")
}

/// A store whose closed document was removed.
async fn removed() -> tempfile::TempDir {
    let folder = folder();
    let store = open(folder.path()).expect("it opens");
    store.catalogue.upsert(vec![kept(card("pay", &["hr"]), &["Pay rises."])]).await.expect("kept");
    store.catalogue.remove(TENANT, &[id("pay")]).await.expect("removed");
    folder
}

#[tokio::test]
async fn a_store_of_an_earlier_version_remembers_what_was_removed_before() {
    let folder = removed().await;
    let all = PastAccess { by_id: hr(), by_source: hr(), by_text: hr() };
    assert_eq!(past(folder.path()).await, all);
    rusqlite::Connection::open(folder.path().join(CATALOGUE))
        .expect("a database")
        .execute_batch(
            "DROP VIEW checked_past_access; DROP TABLE past_access; DROP VIEW checked_edits; DROP TABLE edits;
             PRAGMA user_version = 13;",
        )
        .expect("turned back");
    assert_eq!(past(folder.path()).await, all);
}

#[tokio::test]
async fn what_is_removed_for_its_age_leaves_who_could_see_it() {
    let folder = removed().await;
    let store = open(folder.path()).expect("it opens");
    store.catalogue.upsert(vec![kept(card("open", &[]), &["Locks."])]).await.expect("kept");
    assert_eq!(store.compact(Some(u64::MAX)).expect("compacted").versions, 1);
    drop(store);
    assert_eq!(past(folder.path()).await.by_id, hr());
}

#[tokio::test]
async fn a_restored_store_remembers_what_was_closed_after_it_was_backed_up() {
    let (folder, place) = (folder(), folder());
    let store = open(folder.path()).expect("it opens");
    store.catalogue.upsert(vec![kept(card("open", &[]), &["Locks."])]).await.expect("kept");
    drop(store);
    let made = place.path().join("backup");
    backup(folder.path(), &made).expect("backed up");
    let store = open(folder.path()).expect("it opens");
    store.catalogue.upsert(vec![kept(card("pay", &["hr"]), &["Pay rises."])]).await.expect("kept");
    drop(store);
    restore(&made, folder.path(), true).expect("restored");
    assert_eq!(past(folder.path()).await, PastAccess { by_id: hr(), by_source: hr(), by_text: hr() });
    let store = open(folder.path()).expect("it opens");
    store.catalogue.upsert(vec![kept(card("open", &["hr"]), &["Locks."])]).await.expect("kept");
    drop(store);
    let refused = restore(&made, folder.path(), true).expect_err("more people would see it");
    assert!(refused.sentence.contains("1 document to more people") && refused.sentence.contains("open"), "{refused}");
    let consent = RestoreConsent { replaces: true, opens: true };
    restore_at(&made, folder.path(), consent, Some(&PointInTime::Generation(Generation(1)))).expect("restored");
}
