//! Damage to a store's files: mended where they are derived, refused with a sentence where they are not, never read as if
//! nothing had happened.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a broken test should stop where it breaks")]

use std::path::{Path, PathBuf};

use vouch_adapters::embedded::{
    EmbeddedStore, EmbeddedTrail, EmbedderCheck, TrailLimits, backup, examine, repair, restore,
};
use vouch_domain::{
    AuditScope, Fault, PassageKey, PortError,
    ports::{AuditTrail, Catalogue, DenseIndex, Embedder, LexicalIndex},
};
use vouch_testkit::{
    contracts::{audit_trail::entry, everyone},
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

use crate::support::filled_store::let_go;

const WORDS: [&str; 6] = ["granary", "windmill", "orchard", "saltworks", "ropewalk", "tannery"];

fn open(folder: &Path) -> Result<EmbeddedStore, PortError> {
    let embedder = FakeEmbedder::named("fake");
    EmbeddedStore::open(folder, embedder.identity(), EmbedderCheck::Enforce)
}

fn refusal(folder: &Path) -> PortError {
    open(folder).err().expect("a damaged store is not opened")
}

async fn fill(store: &EmbeddedStore, words: &[&str], filler: usize) {
    for word in words {
        let text = format!("The {word} stands by the river. {}", "Nothing else is told of it. ".repeat(filler));
        let document = kept(card(&format!("{word}.md"), &[]), &[text.as_str()]);
        store.catalogue.upsert(vec![document]).await.expect("kept");
        store.lexical.refresh().await.expect("refreshed");
        store.dense.refresh().await.expect("refreshed");
    }
}

/// A closed store with a document for every word, each in a commit of its own.
async fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fill(&open(folder.path()).expect("it opens"), &WORDS, 1).await;
    folder
}

/// The passages each word is found in, by words and by meaning.
async fn answers(store: &EmbeddedStore) -> Vec<(Vec<PassageKey>, Vec<PassageKey>)> {
    let mut found = Vec::new();
    for word in WORDS {
        let by_words = store.lexical.matching(&everyone(), word, 10).await.expect("hits");
        let text = format!("The {word} stands by the river.");
        let vector = FakeEmbedder::named("fake").embed(vec![text]).await.expect("a vector").pop().expect("one");
        let by_meaning = store.dense.nearest(&everyone(), &vector, 3).await.expect("hits");
        let keys = |hits: Vec<vouch_domain::ports::LaneHit>| hits.into_iter().map(|hit| hit.key).collect();
        found.push((keys(by_words), keys(by_meaning)));
    }
    found
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn overwrite(path: &Path, find: &str, put: &str) -> usize {
    let mut bytes = std::fs::read(path).expect("a file");
    let places: Vec<usize> =
        bytes.windows(find.len()).enumerate().filter(|(_, part)| *part == find.as_bytes()).map(|(at, _)| at).collect();
    for at in &places {
        bytes[*at..at + put.len()].copy_from_slice(put.as_bytes());
    }
    std::fs::write(path, bytes).expect("written");
    places.len()
}

#[tokio::test]
async fn whatever_happens_to_a_file_of_an_index_the_answers_are_the_same() {
    let folder = filled().await;
    let before = answers(&open(folder.path()).expect("it opens")).await;
    let mut damages = 0;
    for index in ["lexical", "dense"] {
        for (number, file) in files(&folder.path().join(index)).into_iter().enumerate() {
            let whole = std::fs::read(&file).expect("a file");
            let mut flipped = whole.clone();
            if let Some(byte) = flipped.get_mut(whole.len() / 2) {
                *byte ^= 16;
            }
            let all = [None, Some(&whole[..whole.len() / 2]), Some(&flipped[..]), Some(&b""[..])];
            // Two kinds of damage for each file, and each kind for a file of every sort.
            for damaged in [all[number % 4], all[(number + 1) % 4]] {
                let trial = tempfile::tempdir().expect("a folder");
                copy(folder.path(), trial.path());
                let target = trial.path().join(index).join(file.file_name().expect("a name"));
                match damaged {
                    None => std::fs::remove_file(&target).expect("removed"),
                    Some(bytes) => std::fs::write(&target, bytes).expect("written"),
                }
                let store = open(trial.path()).expect("what is derived is made anew");
                assert_eq!(answers(&store).await, before, "{}", target.display());
                assert!(store.health().expect("health").is_sound(), "{}", target.display());
                damages += 1;
            }
        }
    }
    assert!(damages > 40, "{damages}");
}

#[tokio::test]
async fn files_a_broken_off_write_left_in_an_index_are_in_nobodys_way() {
    let folder = filled().await;
    let lexical = folder.path().join("lexical");
    let segment = files(&lexical).into_iter().find(|path| path.extension().is_some_and(|end| end == "idx"));
    let segment = segment.expect("a segment").file_stem().expect("a name").to_string_lossy().into_owned();
    for opstamp in 0..200 {
        std::fs::write(lexical.join(format!("{segment}.{opstamp}.del")), b"half").expect("written");
    }
    std::fs::write(lexical.join(".tmpAbC123"), b"half").expect("written");
    let store = open(folder.path()).expect("it opens");
    store.catalogue.remove(TENANT, &[card("granary.md", &[]).id]).await.expect("removed");
    store.lexical.refresh().await.expect("the next commit meets no file of its own name");
    assert!(store.lexical.matching(&everyone(), "granary", 3).await.expect("hits").is_empty());
    assert!(!lexical.join(".tmpAbC123").exists() && !lexical.join(format!("{segment}.0.del")).exists());
}

#[tokio::test]
async fn a_changed_word_in_a_large_catalogue_is_found_when_the_passage_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        // More than is checked whole when a store is opened, and more rows than are sampled.
        let store = open(folder.path()).expect("it opens");
        let words: Vec<String> = (0..300).map(|number| format!("barn{number}x")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for batch in words.chunks(50) {
            let mut documents = Vec::new();
            for word in batch {
                let text = format!("The {word} stands by the river. {}", "Nothing else is told. ".repeat(400));
                documents.push(kept(card(&format!("{word}.md"), &[]), &[text.as_str()]));
            }
            store.catalogue.upsert(documents).await.expect("kept");
        }
        store.lexical.refresh().await.expect("refreshed");
        store.dense.refresh().await.expect("refreshed");
    }
    let catalogue = folder.path().join("catalogue.sqlite");
    assert!(std::fs::metadata(&catalogue).expect("a file").len() > (4 << 20));
    assert!(overwrite(&catalogue, "barn157x stands", "barn157x topple") > 0);
    match open(folder.path()) {
        Err(error) => assert_eq!(error.fault, Fault::Corrupt),
        Ok(store) => {
            let hits = store.lexical.matching(&everyone(), "barn157x", 3).await.expect("hits");
            let keys: Vec<PassageKey> = hits.iter().map(|hit| hit.key).collect();
            assert_eq!(keys.len(), 1);
            let error = store.catalogue.passages(&everyone(), &keys).await.expect_err("a damaged passage");
            assert_eq!(error.fault, Fault::Corrupt, "{error}");
            let text = store.catalogue.text(&everyone(), &card("barn157x.md", &[]).id).await;
            assert_eq!(text.expect_err("a damaged text").fault, Fault::Corrupt);
            let sound = store.lexical.matching(&everyone(), "barn158x", 3).await.expect("hits");
            let keys: Vec<PassageKey> = sound.iter().map(|hit| hit.key).collect();
            assert_eq!(store.catalogue.passages(&everyone(), &keys).await.expect("a sound passage").len(), 1);
        }
    }
    let findings = examine(folder.path(), FakeEmbedder::named("fake").identity()).expect("looked through");
    assert!(findings.iter().any(|finding| finding.part == "catalogue.sqlite"), "{findings:?}");
}

#[tokio::test]
async fn a_small_catalogue_is_checked_whole_when_it_is_opened() {
    let folder = filled().await;
    assert!(overwrite(&folder.path().join("catalogue.sqlite"), "windmill stands", "windmill topple") > 0);
    let error = refusal(folder.path());
    assert_eq!(error.fault, Fault::Corrupt);
    assert!(error.sentence.contains("vouch store repair"), "{error}");
}

#[tokio::test]
async fn a_flipped_bit_in_the_write_ahead_log_is_not_taken_for_its_end() {
    let (folder, killed) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = open(folder.path()).expect("it opens");
    fill(&store, &WORDS, 1).await;
    let whole = answers(&store).await;
    // As a kill leaves it: the newest changes are in the log.
    copy(folder.path(), killed.path());
    drop(store);
    let log = std::fs::read(killed.path().join("catalogue.sqlite-wal")).expect("the log");
    let mut refused = 0;
    for part in 0..16 {
        let trial = tempfile::tempdir().expect("a folder");
        copy(killed.path(), trial.path());
        let mut damaged = log.clone();
        damaged[log.len() * part / 16 + 40] ^= 1;
        std::fs::write(trial.path().join("catalogue.sqlite-wal"), damaged).expect("written");
        match open(trial.path()) {
            // What lies there is already in the file.
            Ok(store) => assert_eq!(answers(&store).await, whole),
            Err(error) => {
                // Where the log breaks off before the store's first commit, not even its identity is left; where it breaks off
                // between two that reached the file, the file's own pages do not fit.
                let is_told = ["acknowledged", "lost data", "damaged"].iter().any(|told| error.sentence.contains(told));
                assert!(error.fault == Fault::Corrupt && is_told, "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_clean_end_leaves_everything_in_the_file_and_nothing_in_its_log() {
    let folder = filled().await;
    let length = |name: &str| std::fs::metadata(folder.path().join(name)).map_or(0, |file| file.len());
    assert_eq!(length("catalogue.sqlite-wal"), 0);
    assert!(length("catalogue.sqlite") > 50_000);
}

#[tokio::test]
async fn an_index_that_knows_more_than_the_catalogue_is_an_error_and_not_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(&open(folder.path()).expect("it opens"), &WORDS[..3], 1).await;
    let old = std::fs::read(folder.path().join("catalogue.sqlite")).expect("a file");
    fill(&open(folder.path()).expect("it opens"), &WORDS[3..], 1).await;
    std::fs::write(folder.path().join("catalogue.sqlite"), old).expect("written");
    assert!(refusal(folder.path()).sentence.contains("acknowledged"));
    std::fs::remove_file(folder.path().join("catalogue.watermark")).expect("removed");
    let error = refusal(folder.path());
    assert!(error.fault == Fault::Corrupt && error.sentence.contains("generation"), "{error}");
}

#[tokio::test]
async fn a_catalogue_that_is_gone_is_not_replaced_by_an_empty_one() {
    let folder = filled().await;
    std::fs::remove_file(folder.path().join("catalogue.sqlite")).expect("removed");
    let error = refusal(folder.path());
    assert!(error.sentence.contains("missing"), "{error}");
    assert!(!folder.path().join("catalogue.sqlite").exists());
}

#[tokio::test]
async fn a_repair_keeps_what_is_sound_and_names_what_is_not() {
    let folder = filled().await;
    assert!(overwrite(&folder.path().join("catalogue.sqlite"), "windmill stands", "windmill topple") > 0);
    let report = repair(folder.path()).expect("repaired");
    assert!(report.lost.iter().any(|lost| lost.contains("windmill.md")), "{report:?}");
    assert!(report.moved_to.as_ref().is_some_and(|aside| aside.join("catalogue.sqlite").exists()), "{report:?}");
    let store = open(folder.path()).expect("it opens");
    assert!(store.health().expect("health").is_sound());
    for word in WORDS {
        let hits = store.lexical.matching(&everyone(), word, 3).await.expect("hits").len();
        assert_eq!(hits, usize::from(word != "windmill"), "{word}");
    }
    fill(&store, &["windmill"], 1).await;
    assert_eq!(store.lexical.matching(&everyone(), "windmill", 3).await.expect("hits").len(), 1);
}

#[tokio::test]
async fn a_backup_brings_everything_back_and_a_damaged_one_nothing() {
    let folder = filled().await;
    let (place, empty) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let target = place.path().join("backup");
    let store = open(folder.path()).expect("it opens");
    let before = answers(&store).await;
    // Whoever holds the folder goes on.
    let report = backup(folder.path(), &target).expect("backed up");
    assert_eq!(report.files, ["catalogue.sqlite"]);
    assert!(backup(folder.path(), &target).is_err(), "a backup is not written over another");
    drop(store);
    assert_eq!(restore(&target, folder.path(), false).expect_err("it holds a store").fault, Fault::Invalid);
    restore(&target, empty.path(), false).expect("restored");
    assert_eq!(answers(&open(empty.path()).expect("it opens")).await, before);
    assert!(overwrite(&target.join("catalogue.sqlite"), "windmill stands", "windmill topple") > 0);
    assert_eq!(restore(&target, folder.path(), true).expect_err("it is damaged").fault, Fault::Corrupt);
    assert_eq!(answers(&open(folder.path()).expect("it is as it was")).await, before);
}

/// A closed trail with these entries.
async fn trail(ids: [&str; 3]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("it opens");
    for id in ids {
        trail.write(entry(id)).await.expect("written");
    }
    drop(trail);
    let_go(folder.path()).await;
    folder
}

#[tokio::test]
async fn an_entry_of_the_trail_that_was_edited_shows() {
    let (folder, other) = (trail(["a", "b", "c"]).await, trail(["a", "x", "c"]).await);
    let path = |folder: &tempfile::TempDir| folder.path().join("audit.sqlite");
    let file = rusqlite::Connection::open(path(&folder)).expect("the file");
    file.execute("UPDATE entries SET outcome = 'refused' WHERE id = 'b'", []).expect_err("not without its checksum");
    // An entry with a checksum that fits it, from another trail: only its link in the chain tells.
    file.execute("ATTACH ?1 AS other", [path(&other).to_string_lossy()]).expect("attached");
    file.execute_batch(
        "DROP TRIGGER entries_sum_before; DROP TRIGGER entries_sum_update; DROP TRIGGER entries_sum_insert;
         PRAGMA foreign_keys = OFF;
         DELETE FROM entries WHERE place = 2;
         INSERT INTO entries SELECT * FROM other.entries WHERE place = 2;",
    )
    .expect("edited");
    drop(file);
    let findings = examine(folder.path(), FakeEmbedder::named("fake").identity()).expect("looked through");
    let wanted = "entry x of the audit trail was changed after it was written";
    assert!(findings.iter().any(|finding| finding.what == wanted), "{findings:?}");
    let reader = EmbeddedTrail::open_to_read(folder.path()).expect("it opens").expect("it is there");
    let shown = reader.entry(&AuditScope::for_tenant(TENANT), "x").await;
    assert_eq!(shown.expect_err("it is not as it was written").fault, Fault::Corrupt);
    assert!(reader.entry(&AuditScope::for_tenant(TENANT), "a").await.expect("an answer").is_some());
}

#[tokio::test]
async fn an_entry_taken_out_of_the_trail_by_hand_shows() {
    let folder = trail(["a", "b", "c"]).await;
    let embedder = FakeEmbedder::named("fake");
    assert_eq!(examine(folder.path(), embedder.identity()).expect("looked through"), []);
    for sql in ["DELETE FROM entries WHERE id = 'b'", "DELETE FROM links WHERE place = 2"] {
        let file = rusqlite::Connection::open(folder.path().join("audit.sqlite")).expect("the file");
        file.execute(sql, []).expect("taken out");
        drop(file);
        let findings = examine(folder.path(), embedder.identity()).expect("looked through");
        assert!(findings.iter().any(|finding| finding.part == "audit.sqlite"), "{sql}: {findings:?}");
    }
}
