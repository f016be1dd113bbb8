//! A data folder whose files are being exchanged, broken off on the way: it is not opened, no door stands open, and the
//! command that was broken off goes on where it was.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs, path::Path};

use vouch_adapters::embedded::{EmbeddedKeys, EmbeddedTrail, TrailLimits, backup, repair, restore};
use vouch_domain::{Fault, ports::Authenticator};

use crate::support::filled_store::{
    self, CATALOGUE, MARK, WORDS, copied, damage_rows, fill, filled, folder, found, let_go, made_key, open,
    written_trail,
};

const RESTORE: &str = "vouch store restore";

/// A store with a trail and a key, a backup of it, and the key's secret.
async fn backed_up() -> (tempfile::TempDir, tempfile::TempDir, String) {
    let (folder, place) = (filled().await, folder());
    drop(written_trail(folder.path(), &["a", "b"]).await);
    let_go(folder.path()).await;
    let secret = made_key(folder.path()).await;
    backup(folder.path(), &place.path().join("backup")).expect("backed up");
    (folder, place, secret)
}

fn is_closed(folder: &Path) {
    for (what, error) in [
        ("the store", open(folder).err()),
        ("the keys", EmbeddedKeys::open(folder, None).err()),
        ("the trail", EmbeddedTrail::open(folder, TrailLimits::default()).err()),
    ] {
        let error = error.expect("what is half exchanged is not opened");
        assert!(error.sentence.contains(RESTORE), "{what}: {error}");
    }
}

#[tokio::test]
async fn a_repair_does_not_take_a_broken_off_restore_for_a_finished_one() {
    let (folder, place, secret) = backed_up().await;
    // As a kill leaves it that comes when everything was moved aside and nothing was put in its place.
    let killed = copied(folder.path());
    fs::write(killed.path().join(MARK), RESTORE).expect("written");
    for path in filled_store::files(killed.path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_file() && name != MARK && name != "requires-keys" {
            fs::remove_file(path).expect("removed");
        }
    }
    is_closed(killed.path());
    let error = repair(killed.path()).expect_err("there is nothing to repair before it is restored");
    assert!(error.sentence.contains(RESTORE), "{error}");
    is_closed(killed.path());
    restore(&place.path().join("backup"), killed.path(), false).expect("restored");
    assert_eq!(found(killed.path()).await, WORDS);
    let keys = EmbeddedKeys::open(killed.path(), None).expect("keys");
    assert!(keys.authenticate(&secret, 2_000).await.expect("an answer").is_some());
}

#[tokio::test]
async fn the_note_that_keys_are_required_never_leaves_its_folder() {
    let (folder, place, _) = backed_up().await;
    let report = restore(&place.path().join("backup"), folder.path(), true).expect("restored");
    let aside = report.moved_to.expect("a folder with what was there");
    assert!(aside.join("keys.sqlite").exists() && aside.join("keys.seal").exists());
    assert!(!aside.join("requires-keys").exists() && folder.path().join("requires-keys").exists());
}

#[tokio::test]
async fn a_journal_of_the_keys_that_were_there_is_not_played_into_those_of_a_backup() {
    let (folder, place, secret) = backed_up().await;
    let journal = folder.path().join("keys.sqlite-journal");
    fs::write(&journal, "what a killed change of the keys left").expect("written");
    restore(&place.path().join("backup"), folder.path(), true).expect("restored");
    assert!(!journal.exists());
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert!(keys.authenticate(&secret, 2_000).await.expect("an answer").is_some());
}

#[tokio::test]
async fn keys_that_somebody_is_changing_are_not_replaced() {
    let (folder, place, _) = backed_up().await;
    let lock = fs::OpenOptions::new().write(true).open(folder.path().join("keys.lock")).expect("the lock");
    lock.lock().expect("taken");
    let error = restore(&place.path().join("backup"), folder.path(), true).expect_err("the keys are held");
    assert_eq!(error.fault, Fault::Held, "{error}");
    drop(lock);
    assert!(folder.path().join(CATALOGUE).exists() && !folder.path().join(MARK).exists(), "nothing was changed");
    assert_eq!(found(folder.path()).await, WORDS);
}

/// A damaged store, what its repair makes of it, and a log that a kill left beside it.
async fn damaged_and_repaired() -> (tempfile::TempDir, tempfile::TempDir, Vec<u8>) {
    let (damaged, killed) = (folder(), folder());
    let store = open(damaged.path()).expect("it opens");
    fill(&store, &WORDS, 1).await;
    filled_store::copy(damaged.path(), killed.path());
    drop(store);
    damage_rows(&damaged.path().join(CATALOGUE), "passages", "text LIKE '%windmill%'");
    let repaired = copied(damaged.path());
    repair(repaired.path()).expect("repaired");
    let log = fs::read(killed.path().join("catalogue.sqlite-wal")).expect("a log");
    assert!(!log.is_empty());
    (damaged, repaired, log)
}

#[tokio::test]
async fn a_repair_that_is_killed_after_any_step_of_its_exchange_is_finished_by_the_next() {
    let (damaged, repaired, log) = damaged_and_repaired().await;
    let steps = [
        (CATALOGUE, "damaged-1/catalogue.sqlite"),
        ("catalogue.sqlite-wal", "damaged-1/catalogue.sqlite-wal"),
        ("repaired-catalogue.sqlite", CATALOGUE),
        ("repaired-catalogue.watermark", "catalogue.watermark"),
    ];
    for done in 0..=steps.len() {
        let killed = copied(damaged.path());
        let at = |name: &str| killed.path().join(name);
        fs::write(at(MARK), "vouch store repair").expect("written");
        fs::write(at("catalogue.sqlite-wal"), &log).expect("written");
        fs::create_dir(at("damaged-1")).expect("a folder");
        fs::write(at("damaged-1/lost.txt"), "document windmill.md; ingest it again").expect("written");
        for name in [CATALOGUE, "catalogue.watermark"] {
            fs::copy(repaired.path().join(name), at(&format!("repaired-{name}"))).expect("copied");
        }
        for (from, to) in &steps[..done] {
            fs::rename(at(from), at(to)).expect("moved");
        }
        let report = repair(killed.path()).unwrap_or_else(|error| panic!("after {done} steps: {error}"));
        assert!(report.lost.iter().any(|lost| lost.contains("windmill.md")), "after {done} steps: {report:?}");
        assert!(at("damaged-1/catalogue.sqlite").exists() && !at("damaged-2").exists(), "after {done} steps");
        assert!(!at(MARK).exists() && !at("repaired-catalogue.sqlite").exists(), "after {done} steps");
        let left: Vec<&str> = WORDS.into_iter().filter(|word| *word != "windmill").collect();
        assert_eq!(found(killed.path()).await, left, "after {done} steps");
    }
}

#[tokio::test]
async fn what_a_repair_left_that_was_killed_before_its_exchange_is_not_taken_for_a_repaired_file() {
    let (damaged, _, _) = damaged_and_repaired().await;
    for name in ["repaired-catalogue.sqlite", "repaired-catalogue.watermark", "repaired-catalogue.sqlite-wal"] {
        fs::write(damaged.path().join(name), "half").expect("written");
    }
    repair(damaged.path()).expect("repaired");
    assert_eq!(found(damaged.path()).await.len(), WORDS.len() - 1);
}
