//! A disk that lets no file grow while a store is open: what was there is still there, and nothing is answered from less.
//!
//! A process of our own is kept from writing files beyond a size, as a full disk would; it needs `prlimit`, and says loudly
//! where there is none.
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::process::Command;

use vouch_adapters::embedded::{EmbeddedTrail, EmbedderCheck, TrailLimits, backup, restore};
use vouch_domain::{
    AuditEntry, Fault,
    ports::{AuditTrail, Catalogue, LexicalIndex},
};
use vouch_testkit::{
    contracts::{audit_trail::entry, everyone},
    corpus::{card, kept},
    skip,
};

use crate::support::filled_store::{self, CATALOGUE, MARK, TRAIL, WORDS, fill, filled, folder, found, open, open_with};

const CHILD: &str = "VOUCH_NO_ROOM_CHILD";

/// Sets how large a file of this process may become; none for as large as it likes.
fn limit_files(bytes: Option<u64>) {
    let limit = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let own = std::process::id().to_string();
    let set = Command::new("prlimit").args(["--pid", &own, &format!("--fsize={limit}:unlimited")]).status();
    assert!(set.expect("prlimit").success(), "the limit is set");
}

/// Whether this is the process whose files are limited; where it is not, runs it and looks how it ended.
fn is_child(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    if Command::new("prlimit").arg("--version").output().is_err() {
        skip("a disk without room", "there is no prlimit");
        return false;
    }
    // Without the trap a process is killed where it should be told that there is no room.
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("no_room::{test}"), "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("a process");
    let told = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    // A name that no test has runs nothing, and that is a success to the test runner.
    assert!(child.status.success() && told.contains("1 passed"), "{told}");
    false
}

#[tokio::test]
async fn an_index_of_words_that_cannot_grow_is_kept_and_searched_as_it_is() {
    if !is_child("an_index_of_words_that_cannot_grow_is_kept_and_searched_as_it_is") {
        return;
    }
    let folder = filled().await;
    let store = open(folder.path()).expect("it opens");
    let lines: Vec<String> = (0..2_000).map(|number| format!("Barn{number}x stands by the river.")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    store.catalogue.upsert(vec![kept(card("barns.md", &[]), &lines)]).await.expect("kept");
    limit_files(Some(0));
    let error = store.lexical.refresh().await.expect_err("there is no room");
    assert_eq!(error.fault, Fault::Full, "{error}");
    for word in WORDS {
        assert_eq!(store.lexical.matching(&everyone(), word, 3).await.expect("hits").len(), 1, "{word}");
    }
    assert!(folder.path().join("lexical/seal.json").exists(), "the index is still there");
    limit_files(None);
    store.lexical.refresh().await.expect("there is room again");
    assert_eq!(store.lexical.matching(&everyone(), "barn1234x", 3).await.expect("hits").len(), 1);
}

#[tokio::test]
async fn an_index_of_words_that_was_begun_anew_and_not_filled_is_an_error() {
    let folder = filled().await;
    std::fs::remove_dir_all(folder.path().join("lexical")).expect("removed");
    // Opened so, nothing is brought up to the catalogue yet.
    let store = open_with(folder.path(), EmbedderCheck::Reembedding).expect("it opens");
    let error = store.lexical.matching(&everyone(), "granary", 3).await.expect_err("it finds nothing in nothing");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    store.lexical.refresh().await.expect("filled");
    assert_eq!(store.lexical.matching(&everyone(), "granary", 3).await.expect("hits").len(), 1);
    drop(store);
    let empty = self::folder();
    let store = open_with(empty.path(), EmbedderCheck::Reembedding).expect("it opens");
    assert!(store.lexical.matching(&everyone(), "granary", 3).await.expect("nothing is there").is_empty());
}

#[tokio::test]
async fn a_backup_that_does_not_fit_changes_nothing() {
    if !is_child("a_backup_that_does_not_fit_changes_nothing") {
        return;
    }
    let (source, place, target) = (folder(), folder(), filled().await);
    fill(&open(source.path()).expect("it opens"), &WORDS[..1], 1).await;
    let trail = EmbeddedTrail::open(source.path(), TrailLimits::default()).expect("it opens");
    trail.write(AuditEntry { record: "x".repeat(1 << 20), ..entry("a") }).await.expect("written");
    drop(trail);
    filled_store::let_go(source.path()).await;
    let backed_up = place.path().join("backup");
    backup(source.path(), &backed_up).expect("backed up");
    let length = |name: &str| std::fs::metadata(backed_up.join(name)).expect("a file").len();
    assert!(length(CATALOGUE) < length(TRAIL));
    limit_files(Some(length(CATALOGUE)));
    let error = restore(&backed_up, target.path(), true).expect_err("there is no room for the trail");
    limit_files(None);
    assert_eq!(error.fault, Fault::Full, "{error}");
    assert!(!target.path().join(MARK).exists());
    assert_eq!(found(target.path()).await, WORDS);
    assert!(!filled_store::files(target.path()).iter().any(|path| path.to_string_lossy().contains("restored-")));
}
