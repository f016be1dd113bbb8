//! A key store that is lost or damaged in every way there is: nobody is let in, no key opens more than it did, and none that
//! has ended opens anything.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::{Fault, PortError, Role, ports::Authenticator};

const MADE_MS: u64 = 1_800_000_000_000;
const ENDS_MS: u64 = MADE_MS + 1_000;
const NOW_MS: u64 = MADE_MS + 2_000;

const FILE: &str = "keys.sqlite";
const SEAL: &str = "keys.seal";
const NOTE: &str = "requires-keys";

/// The secrets of a store with one key of every fate.
struct Secrets {
    valid: String,
    revoked: String,
    expired: String,
}

fn new(name: &str, expires_ms: Option<u64>) -> NewKey {
    NewKey {
        name: name.to_owned(),
        tenant: "default".to_owned(),
        role: Role::Reader,
        person: None,
        tags: Some(BTreeSet::from(["hr".to_owned()])),
        per_minute: Some(60),
        made_ms: MADE_MS,
        expires_ms,
    }
}

async fn filled(folder: &Path) -> Secrets {
    let keys = EmbeddedKeys::open(folder, None).expect("keys");
    let (_, valid) = keys.make(new("valid", None)).await.expect("a key");
    let (id, revoked) = keys.make(new("revoked", None)).await.expect("a key");
    let (_, expired) = keys.make(new("expired", Some(ENDS_MS))).await.expect("a key");
    assert!(keys.revoke(&id, MADE_MS + 5).await.expect("revoked"));
    assert_eq!(keys.authenticate(&expired, NOW_MS).await.expect("an answer"), None);
    Secrets { valid, revoked, expired }
}

/// What a server would find after a restart: an error, or a store that is exactly what it was.
async fn after_restart(folder: &Path, secrets: &Secrets, what: &str) -> Result<(), PortError> {
    let keys = EmbeddedKeys::open(folder, None)?;
    assert!(keys.is_required().await?, "{what}: everybody is let in");
    for ended in [&secrets.revoked, &secrets.expired] {
        // Also by a clock that was set back.
        for at_ms in [NOW_MS, MADE_MS] {
            assert_eq!(keys.authenticate(ended, at_ms).await?, None, "{what}: a key that had ended opens something");
        }
    }
    let caller = keys.authenticate(&secrets.valid, NOW_MS).await?.expect("the valid key");
    let is_same = caller.role == Role::Reader && caller.reader.tenant == "default";
    assert!(is_same && caller.requests_per_minute == Some(60), "{what}: {caller:?}");
    assert_eq!(caller.reader.scope, vouch_domain::Scope::Tags(BTreeSet::from(["hr".to_owned()])), "{what}");
    Ok(())
}

/// A store that lets nobody in and says what to do.
async fn is_closed(folder: &Path, secrets: &Secrets, what: &str) {
    let error = after_restart(folder, secrets, what).await.expect_err(what);
    assert_eq!(error.fault, Fault::Corrupt, "{what}: {error}");
    assert!(error.sentence.contains("vouch key reset"), "{what}: {error}");
    assert!(!error.sentence.contains(&folder.display().to_string()), "{what}: {error}");
}

fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    to
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn files_that_are_deleted_let_nobody_in() {
    let whole = tempfile::tempdir().expect("a folder");
    let secrets = filled(whole.path()).await;
    let names: Vec<String> = files(whole.path())
        .iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["keys.lock", SEAL, FILE, NOTE], "no log beside the file, nothing left over");
    for gone in [&[FILE][..], &[SEAL], &[FILE, SEAL], &[FILE, NOTE], &[SEAL, NOTE], &["keys.lock", FILE, SEAL]] {
        let damaged = copied(whole.path());
        for name in gone {
            fs::remove_file(damaged.path().join(name)).expect("deleted");
        }
        for _ in 0..2 {
            is_closed(damaged.path(), &secrets, &format!("without {gone:?}")).await;
        }
    }
    for harmless in [&[NOTE][..], &["keys.lock"]] {
        let damaged = copied(whole.path());
        for name in harmless {
            fs::remove_file(damaged.path().join(name)).expect("deleted");
        }
        after_restart(damaged.path(), &secrets, "without the note").await.expect("as it was");
        assert!(damaged.path().join(NOTE).exists(), "the note is written again");
    }
}

#[tokio::test]
async fn files_that_are_cut_short_or_replaced_let_nobody_in() {
    let whole = tempfile::tempdir().expect("a folder");
    let secrets = filled(whole.path()).await;
    let bytes = fs::read(whole.path().join(FILE)).expect("keys");
    let other = tempfile::tempdir().expect("a folder");
    filled(other.path()).await;
    let empty = tempfile::tempdir().expect("a folder");
    EmbeddedKeys::open(empty.path(), None).expect("no keys");
    let replacements = [
        ("nothing", Vec::new()),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("a page", bytes[..4_096].to_vec()),
        ("the header", bytes[..100].to_vec()),
        ("zeros", vec![0; bytes.len()]),
        ("text", b"no keys".to_vec()),
        ("other keys", fs::read(other.path().join(FILE)).expect("keys")),
        ("no keys", fs::read(empty.path().join(FILE)).expect("keys")),
    ];
    for (what, bytes) in replacements {
        let damaged = copied(whole.path());
        fs::write(damaged.path().join(FILE), bytes).expect("written");
        is_closed(damaged.path(), &secrets, what).await;
    }
    let seal = fs::read(whole.path().join(SEAL)).expect("a seal");
    for (what, bytes) in [("no seal", &seal[..0]), ("half a seal", &seal[..40]), ("another's", b"vouch key store 1\n")]
    {
        let damaged = copied(whole.path());
        fs::write(damaged.path().join(SEAL), bytes).expect("written");
        is_closed(damaged.path(), &secrets, what).await;
    }
    let damaged = copied(whole.path());
    fs::remove_file(damaged.path().join(SEAL)).expect("deleted");
    fs::create_dir(damaged.path().join(SEAL)).expect("a folder in its place");
    is_closed(damaged.path(), &secrets, "a folder for a seal").await;
}

#[tokio::test]
async fn no_flipped_bit_opens_anything() {
    let whole = tempfile::tempdir().expect("a folder");
    let secrets = filled(whole.path()).await;
    let mut closed = 0;
    for name in [FILE, SEAL] {
        let bytes = fs::read(whole.path().join(name)).expect("keys");
        let damaged = copied(whole.path());
        // Pages are mostly empty: what lies between the last cell and the first is the same everywhere.
        let is_tried = |at: usize| bytes[at] != 0 || at.is_multiple_of(16);
        for at in (0..bytes.len()).filter(|at| is_tried(*at)) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(damaged.path().join(name), &flipped).expect("written");
            let what = format!("{name}, byte {at}");
            if after_restart(damaged.path(), &secrets, &what).await.is_err() {
                closed += 1;
                // Nothing may have been written over what a backup or a person could still put right.
                assert_eq!(fs::read(damaged.path().join(name)).expect("keys"), flipped, "{what}");
            }
            for entry in files(damaged.path()) {
                fs::remove_file(entry).expect("deleted");
            }
            for entry in files(whole.path()) {
                fs::copy(&entry, damaged.path().join(entry.file_name().expect("a name"))).expect("copied");
            }
        }
    }
    assert!(closed > 500, "bits that matter were flipped: {closed}");
}

#[tokio::test]
async fn rows_that_were_changed_behind_our_back_let_nobody_in() {
    let whole = tempfile::tempdir().expect("a folder");
    let secrets = filled(whole.path()).await;
    for sql in [
        "UPDATE keys SET role = 'admin'",
        "UPDATE keys SET revoked_ms = NULL",
        "UPDATE keys SET expires_ms = NULL",
        "UPDATE keys SET tags = NULL",
        "UPDATE keys SET tags = '[\"hr\",\"it\"]'",
        "UPDATE keys SET tenant = 'other' WHERE name = 'valid'",
        "UPDATE keys SET per_minute = 61",
        "UPDATE keys SET hash = (SELECT hash FROM keys WHERE name = 'valid')",
        "DELETE FROM keys",
        "DELETE FROM keys WHERE name = 'revoked'",
        "DROP TABLE keys",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 9",
    ] {
        let damaged = copied(whole.path());
        let database = Connection::open(damaged.path().join(FILE)).expect("keys");
        database.execute_batch(sql).expect(sql);
        drop(database);
        let error = after_restart(damaged.path(), &secrets, sql).await.expect_err(sql);
        assert_eq!(error.fault, Fault::Corrupt, "{sql}: {error}");
    }
}

#[tokio::test]
async fn an_earlier_state_of_the_keys_is_not_taken_for_the_present_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    let (id, _) = keys.make(new("one", None)).await.expect("a key");
    let before = copied(folder.path());
    assert!(keys.revoke(&id, NOW_MS).await.expect("revoked"));
    fs::copy(before.path().join(FILE), folder.path().join(FILE)).expect("copied");
    let error = EmbeddedKeys::open(folder.path(), None).map(drop).expect_err("a revocation was lost");
    assert!(error.sentence.contains("does not match keys.seal"), "{error}");
    fs::copy(before.path().join(SEAL), folder.path().join(SEAL)).expect("copied");
    EmbeddedKeys::open(folder.path(), None).expect("a backup of both is a state on purpose");
}

#[tokio::test]
async fn a_store_that_breaks_under_a_server_lets_nobody_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = filled(folder.path()).await;
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    let whole = fs::read(folder.path().join(SEAL)).expect("a seal");
    assert!(keys.authenticate(&secrets.valid, NOW_MS).await.expect("an answer").is_some());
    fs::remove_file(folder.path().join(SEAL)).expect("deleted");
    keys.authenticate(&secrets.valid, NOW_MS).await.expect_err("the seal is gone");
    keys.is_required().await.expect_err("the seal is gone");
    fs::write(folder.path().join(SEAL), "nonsense").expect("written");
    keys.is_required().await.expect_err("the seal is nonsense");
    fs::write(folder.path().join(SEAL), whole).expect("written");
    assert!(keys.authenticate(&secrets.valid, NOW_MS).await.expect("an answer").is_some(), "it is back");
}

#[tokio::test]
async fn a_kill_at_any_step_of_a_change_leaves_the_keys_before_it_or_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    let (one, _) = keys.make(new("one", None)).await.expect("a key");
    let before = copied(folder.path());
    assert!(keys.revoke(&one, NOW_MS).await.expect("revoked"));
    let digests = |from: &Path| fs::read_to_string(from.join(SEAL)).expect("a seal").lines().nth(1).map(str::to_owned);
    let (old, new) = (digests(before.path()).expect("a digest"), digests(folder.path()).expect("a digest"));
    let under_way = format!("vouch key store 1\n{old}\n{new}\n");
    for (from, is_revoked) in [(before.path(), false), (folder.path(), true)] {
        let killed = copied(from);
        fs::write(killed.path().join(SEAL), &under_way).expect("written");
        fs::write(killed.path().join("keys.seal.new"), "half a se").expect("written");
        for _ in 0..2 {
            let keys = EmbeddedKeys::open(killed.path(), None).expect("either state is valid");
            let cards = keys.cards().await.expect("cards");
            assert_eq!(cards.first().expect("a key").revoked_ms.is_some(), is_revoked);
            let own = if is_revoked { &new } else { &old };
            assert_eq!(digests(killed.path()).as_ref(), Some(own), "it is settled which one it is");
        }
    }
}

#[tokio::test]
async fn keys_of_an_earlier_version_are_taken_over_and_sealed() {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = filled(folder.path()).await;
    for name in [SEAL, NOTE] {
        fs::remove_file(folder.path().join(name)).expect("deleted");
    }
    let database = Connection::open(folder.path().join(FILE)).expect("keys");
    let mode: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal", "as earlier versions kept them");
    database.execute("DELETE FROM meta WHERE key = 'sealed'", []).expect("unsealed");
    drop(database);
    after_restart(folder.path(), &secrets, "taken over").await.expect("as it was");
    assert!(folder.path().join(SEAL).exists() && folder.path().join(NOTE).exists());
    assert!(!folder.path().join("keys.sqlite-wal").exists());
    fs::remove_file(folder.path().join(FILE)).expect("deleted");
    is_closed(folder.path(), &secrets, "taken over, then lost").await;
}

#[tokio::test]
async fn beginning_anew_is_on_purpose_and_lets_nobody_in_until_a_key_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = filled(folder.path()).await;
    fs::write(folder.path().join(FILE), "damaged").expect("written");
    is_closed(folder.path(), &secrets, "damaged").await;
    let kept = EmbeddedKeys::reset(folder.path()).await.expect("begun anew");
    assert_eq!(kept, ["keys.sqlite.lost-1", "keys.seal.lost-1"]);
    assert_eq!(fs::read(folder.path().join("keys.sqlite.lost-1")).expect("the old file"), b"damaged");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert!(keys.is_required().await.expect("an answer") && keys.cards().await.expect("cards").is_empty());
    assert_eq!(keys.authenticate(&secrets.valid, NOW_MS).await.expect("an answer"), None);
    let (_, fresh) = keys.make(new("fresh", None)).await.expect("a key");
    let again = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert!(again.authenticate(&fresh, NOW_MS).await.expect("an answer").is_some());
    assert_eq!(
        EmbeddedKeys::reset(folder.path()).await.expect("begun anew").first().expect("a name"),
        "keys.sqlite.lost-2"
    );
}

#[tokio::test]
async fn a_key_that_has_expired_is_not_revived_by_a_clock_that_is_set_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    let (_, short) = keys.make(new("short", Some(ENDS_MS))).await.expect("a key");
    let (_, unused) = keys.make(new("unused", Some(ENDS_MS))).await.expect("a key");
    let (_, long) = keys.make(new("long", Some(NOW_MS + 1))).await.expect("a key");
    for key in [&short, &unused, &long] {
        assert!(keys.authenticate(key, MADE_MS).await.expect("an answer").is_some());
    }
    assert_eq!(keys.authenticate(&short, NOW_MS).await.expect("an answer"), None);
    let restarted = EmbeddedKeys::open(folder.path(), None).expect("keys");
    for keys in [&keys, &restarted] {
        assert_eq!(keys.authenticate(&short, MADE_MS).await.expect("an answer"), None, "the clock was set back");
        assert_eq!(keys.authenticate(&unused, MADE_MS).await.expect("an answer"), None, "nobody showed it meanwhile");
        assert!(keys.authenticate(&long, MADE_MS).await.expect("an answer").is_some(), "its time was never over");
    }
    let cards = restarted.cards().await.expect("cards");
    let expired: Vec<bool> = cards.iter().map(|card| card.has_expired(MADE_MS)).collect();
    assert_eq!(expired.iter().filter(|is_over| **is_over).count(), 2, "they are shown as expired: {cards:?}");
    assert!(
        !restarted
            .revoke(&cards.iter().find(|card| card.name == "short").expect("a card").id, NOW_MS)
            .await
            .expect("an answer")
    );
}

/// Asks again for as long as others hold the keys: a wait for them ends after a few seconds, which is short on a busy machine.
async fn in_turn<T, F>(ask: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, PortError>>,
{
    let began = Instant::now();
    loop {
        match ask().await {
            Err(error) if error.fault == Fault::Held && began.elapsed() < Duration::from_secs(60) => {}
            outcome => return outcome.expect("its turn"),
        }
    }
}

#[tokio::test]
async fn many_changes_at_once_leave_one_whole_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = (0..4).map(|writer| {
        let path = folder.path().to_owned();
        tokio::spawn(async move {
            let keys = in_turn(|| async { EmbeddedKeys::open(&path, None) }).await;
            for number in 0..5 {
                in_turn(|| keys.make(new(&format!("{writer} {number}"), None))).await;
                assert!(in_turn(|| keys.is_required()).await);
            }
        })
    });
    for one in made.collect::<Vec<_>>() {
        one.await.expect("a writer that found nothing wrong");
    }
    let keys = EmbeddedKeys::open(folder.path(), None).expect("keys");
    assert_eq!(keys.cards().await.expect("cards").len(), 20);
}
