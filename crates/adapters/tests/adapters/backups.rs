//! What may be called a backup, and what a restore makes of the keys in it and of what a killed one has left.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs, path::Path};

use vouch_adapters::embedded::{EmbeddedKeys, PointInTime, RestoreConsent, backup, restore, restore_at};
use vouch_domain::{
    Fault,
    ports::{Authenticator, Generation},
};

use crate::support::filled_store::{self, CATALOGUE, MARK, TRAIL, WORDS, filled, folder, found, made_key, open};

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
    assert!(keys.authenticate(&secret, 2_000).await.expect("an answer").is_some());
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
    assert!(keys.authenticate(&secret, 2_000).await.expect("an answer").is_some());
}

#[tokio::test]
async fn a_store_that_lost_changes_is_not_backed_up_as_if_it_were_whole() {
    let (folder, place) = (folder(), folder());
    filled_store::fill(&open(folder.path()).expect("it opens"), &WORDS[..3], 1).await;
    let old = fs::read(folder.path().join(CATALOGUE)).expect("a file");
    filled_store::fill(&open(folder.path()).expect("it opens"), &WORDS[3..], 1).await;
    let whole = fs::read(folder.path().join(CATALOGUE)).expect("a file");
    let other = filled().await;
    let others = fs::read(other.path().join(CATALOGUE)).expect("a file");
    for (what, bytes, told) in [("an old file", &old, "acknowledged"), ("another's", &others, "not the file")] {
        fs::write(folder.path().join(CATALOGUE), bytes).expect("written");
        let target = place.path().join(what);
        let error = backup(folder.path(), &target).expect_err(what);
        assert!(error.fault == Fault::Corrupt && error.sentence.contains(told), "{what}: {error}");
        restore(&target, other.path(), true).expect_err("what is there is no backup");
    }
    fs::write(folder.path().join(CATALOGUE), whole).expect("written");
    drop(filled_store::written_trail(folder.path(), &["a"]).await);
    filled_store::let_go(folder.path()).await;
    backup(folder.path(), &place.path().join("whole")).expect("backed up");
    fs::remove_file(folder.path().join(TRAIL)).expect("removed");
    let error = backup(folder.path(), &place.path().join("without its trail")).expect_err("the trail is gone");
    assert!(error.sentence.contains("audit.sqlite"), "{error}");
}

#[tokio::test]
async fn a_folder_that_is_half_exchanged_is_not_backed_up() {
    let (folder, place) = (filled().await, folder());
    fs::write(folder.path().join(MARK), "vouch store restore").expect("written");
    let error = backup(folder.path(), &place.path().join("backup")).expect_err("half of it may be another's");
    assert!(error.sentence.contains("vouch store restore"), "{error}");
    fs::remove_file(folder.path().join(MARK)).expect("removed");
    backup(folder.path(), &place.path().join("backup")).expect("nothing is left in the way");
    assert_eq!(found(folder.path()).await, WORDS);
}

/// What a process leaves beside a database's file that is killed while it changes it.
fn left_journal(database: &Path) -> Vec<u8> {
    let connection = rusqlite::Connection::open(database).expect("the file");
    // Changes that do not fit into memory go to the file, once what was there before is in the journal.
    let sql = "PRAGMA foreign_keys = OFF; PRAGMA cache_size = 2; BEGIN; DELETE FROM embeddings WHERE passage > 0;
               DELETE FROM passages WHERE key > 0; DELETE FROM versions WHERE number > 0;";
    connection.execute_batch(sql).expect("changed");
    let journal = fs::read(database.with_file_name(format!("{CATALOGUE}-journal"))).expect("a journal");
    assert!(journal.starts_with(&[0xd9, 0xd5, 0x05, 0xf9]), "it can be played");
    journal
}

#[tokio::test]
async fn a_journal_that_a_killed_restore_left_is_not_played_into_the_next() {
    let (folder, other, place) = (filled().await, self::folder(), self::folder());
    filled_store::fill(&open(other.path()).expect("it opens"), &WORDS[..2], 2_000).await;
    let (own, others) = (place.path().join("own"), place.path().join("others"));
    backup(folder.path(), &own).expect("backed up");
    backup(other.path(), &others).expect("backed up");
    let journal = left_journal(&others.join(CATALOGUE));
    let never = PointInTime::Generation(Generation(99));
    let third = PointInTime::Generation(Generation(3));
    for (number, (point, words)) in
        [(None, Some(6)), (Some(&third), Some(3)), (Some(&never), None)].into_iter().enumerate()
    {
        let to = place.path().join(format!("to-{number}"));
        fs::create_dir(&to).expect("a folder");
        // Half a file, too, as the kill left it.
        fs::write(to.join("restored-catalogue.sqlite"), "half").expect("written");
        fs::write(to.join("restored-catalogue.sqlite-journal"), &journal).expect("written");
        assert_eq!(
            restore_at(&own, &to, RestoreConsent { replaces: false, opens: false }, point).is_ok(),
            words.is_some(),
            "{point:?}"
        );
        let names = filled_store::files(&to).into_iter().map(|path| path.to_string_lossy().into_owned());
        let left: Vec<String> = names.filter(|name| name.contains("restored-")).collect();
        assert!(left.is_empty(), "{point:?}: {left:?}");
        if let Some(words) = words {
            assert_eq!(found(&to).await, WORDS[..words], "{point:?}");
        }
    }
}
