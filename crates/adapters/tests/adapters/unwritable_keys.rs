//! Keys that cannot be written: what is told is what happened, and what could not be written is written later.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs, path::Path};

use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::{Role, ports::Authenticator};

const MADE_MS: u64 = 1_800_000_000_000;
const ENDS_MS: u64 = MADE_MS + 1_000;
const MINUTE_MS: u64 = 60_000;

fn new(name: &str, expires_ms: Option<u64>) -> NewKey {
    NewKey {
        name: name.to_owned(),
        tenant: "default".to_owned(),
        role: Role::Reader,
        person: None,
        tags: None,
        per_minute: None,
        made_ms: MADE_MS,
        expires_ms,
    }
}

/// A folder in the place of a file that is about to be written: the writing fails until it is removed.
fn in_the_way(folder: &Path, name: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::create_dir(&path).expect("a folder");
    path
}

#[tokio::test]
async fn a_failure_says_whether_the_keys_were_changed() {
    for (name, told, count) in
        [("keys.new", "no key was changed", 0), ("requires-keys.new", "were changed nevertheless", 1)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
        let obstacle = in_the_way(folder.path(), name);
        let error = keys.make(new("one", None)).await.expect_err("it cannot be written");
        assert!(error.sentence.contains(told), "{name}: {error}");
        fs::remove_dir(obstacle).expect("removed");
        let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
        assert_eq!(keys.cards().await.expect("cards").len(), count, "{name}");
    }
}

#[tokio::test]
async fn the_end_of_a_key_that_could_not_be_written_down_is_written_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    let (_, short) = keys.make(new("short", Some(ENDS_MS))).await.expect("a key");
    let obstacle = in_the_way(folder.path(), "keys.new");
    assert_eq!(keys.authenticate(&short, ENDS_MS).await.expect("an answer"), None);
    fs::remove_dir(obstacle).expect("removed");
    assert_eq!(keys.authenticate(&short, ENDS_MS + MINUTE_MS).await.expect("an answer"), None);
    let restarted = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert_eq!(restarted.authenticate(&short, MADE_MS).await.expect("an answer"), None, "the clock was set back");
}
