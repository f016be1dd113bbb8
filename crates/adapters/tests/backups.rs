//! What may be called a backup, and what a restore makes of the keys in it.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a broken test should stop where it breaks")]

#[path = "support/filled_store.rs"]
mod filled_store;

use std::fs;

use filled_store::{CATALOGUE, filled, folder, made_key};
use vouch_adapters::embedded::{EmbeddedKeys, backup, restore};
use vouch_domain::ports::Gatekeeper;

#[tokio::test]
async fn a_backup_from_before_the_first_key_leaves_the_keys_that_came_later() {
    let (folder, place) = (filled().await, folder());
    EmbeddedKeys::open(folder.path(), None).expect("no keys yet");
    let target = place.path().join("backup");
    let report = backup(folder.path(), &target).expect("backed up");
    assert_eq!(report.files, [CATALOGUE], "there are no keys to back up");
    let secret = made_key(folder.path()).await;
    restore(&target, folder.path(), true).expect("restored");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert!(keys.caller(&secret, 2_000).await.expect("an answer").is_some());
}

#[tokio::test]
async fn a_file_of_keys_without_its_seal_is_left_in_its_backup() {
    let (folder, place, empty) = (filled().await, folder(), folder());
    let target = place.path().join("backup");
    backup(folder.path(), &target).expect("backed up");
    // As earlier versions backed up a folder that had no key yet.
    EmbeddedKeys::open(empty.path(), None).expect("no keys yet");
    let bytes = fs::read(empty.path().join("keys.sqlite")).expect("keys");
    fs::write(target.join("keys.sqlite"), &bytes).expect("written");
    let manifest = fs::read_to_string(target.join("backup.json")).expect("a manifest");
    let card = format!("{{\"bytes\": {}, \"blake3\": \"{}\"}}", bytes.len(), blake3::hash(&bytes).to_hex());
    let manifest = manifest.replacen("\"files\": {", &format!("\"files\": {{\"keys.sqlite\": {card},"), 1);
    fs::write(target.join("backup.json"), manifest).expect("written");
    let secret = made_key(folder.path()).await;
    let report = restore(&target, folder.path(), true).expect("restored");
    assert_eq!(report.files, [CATALOGUE]);
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert!(keys.caller(&secret, 2_000).await.expect("an answer").is_some());
}
