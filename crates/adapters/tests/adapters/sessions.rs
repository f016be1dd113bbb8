//! Conversations of a data folder: their owner's alone, claimed once whoever tries, few and young, and never guessed from damage.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::Path, sync::Arc};

use vouch_adapters::embedded::EmbeddedSessions;
use vouch_domain::{Fault, SessionState, ports::Sessions};
use vouch_testkit::contracts::sessions::{check, owner, waiting};

const NOW_MS: u64 = 1_800_000_000_000;
const KEPT_MS: u64 = 30 * 60 * 1_000;

fn sessions(folder: &Path) -> EmbeddedSessions {
    EmbeddedSessions::open(folder).expect("sessions")
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_sessions_are_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    check(Arc::new(sessions(folder.path()))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_have_the_file_open_one_claims_a_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let mira = owner("acme", "user:mira");
    for round in 0..5 {
        sessions(folder.path()).save(&mira, "a", &waiting("t"), NOW_MS).await.expect("kept");
        let tries: Vec<_> = (0..6)
            .map(|_| {
                let (sessions, mira) = (sessions(folder.path()), mira.clone());
                tokio::spawn(async move { sessions.claim(&mira, "a", "t", NOW_MS).await.expect("an answer") })
            })
            .collect();
        let mut claimed = 0;
        for one in tries {
            claimed += usize::from(one.await.expect("a task"));
        }
        assert_eq!(claimed, 1, "round {round}");
    }
}

#[tokio::test]
async fn a_conversation_outlives_its_process_for_half_an_hour() {
    let folder = tempfile::tempdir().expect("a folder");
    let mira = owner("acme", "user:mira");
    sessions(folder.path()).save(&mira, "a", &waiting("t"), NOW_MS).await.expect("kept");
    let opened = sessions(folder.path());
    let load = async |now_ms| opened.load(&mira, "a", now_ms).await.expect("an answer");
    assert_eq!(load(NOW_MS + KEPT_MS - 1).await, Some(waiting("t")));
    assert_eq!(load(NOW_MS + KEPT_MS).await, None);
    opened.save(&mira, "b", &SessionState::default(), NOW_MS + KEPT_MS).await.expect("kept");
    assert_eq!(load(NOW_MS).await, None, "what was forgotten is deleted with the next save");
}

#[tokio::test]
async fn the_oldest_conversations_of_an_owner_go_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mira, otto) = (owner("acme", "user:mira"), owner("acme", "user:otto"));
    let sessions = sessions(folder.path());
    sessions.save(&otto, "his", &waiting("t"), NOW_MS).await.expect("kept");
    for number in 0..203 {
        sessions.save(&mira, &format!("s{number}"), &SessionState::default(), NOW_MS + number).await.expect("kept");
    }
    for (number, is_kept) in [(0, false), (2, false), (3, true), (202, true)] {
        let found = sessions.load(&mira, &format!("s{number}"), NOW_MS + 300).await.expect("an answer");
        assert_eq!(found.is_some(), is_kept, "{number}");
    }
    assert!(sessions.load(&otto, "his", NOW_MS + 300).await.expect("an answer").is_some(), "of another owner");
    sessions.save(&mira, "back", &waiting("t"), NOW_MS - 5).await.expect("kept");
    let found = sessions.load(&mira, "back", NOW_MS).await.expect("an answer");
    assert!(found.is_some(), "what was just kept stays, although the clock was set back");
}

#[tokio::test]
async fn a_damaged_file_is_an_error_that_says_it_may_be_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let mira = owner("acme", "user:mira");
    let file = folder.path().join("sessions.db");
    std::fs::write(&file, "no database, but long enough to be taken for the head of one if nobody looks".repeat(40))
        .expect("a file");
    let error = EmbeddedSessions::open(folder.path()).err().expect("damage");
    assert_eq!(error.fault, Fault::Corrupt, "{error}");
    assert!(error.sentence.contains("may be deleted"), "{error}");
    std::fs::remove_file(&file).expect("deleted");
    let opened = sessions(folder.path());
    opened.save(&mira, "a", &waiting("t"), NOW_MS).await.expect("kept");
    let beside = rusqlite::Connection::open(&file).expect("the file");
    for wrong in ["{", "[]", r#"{"pending": 5}"#, r#"{"role": "admin"}"#] {
        beside.execute("UPDATE sessions SET state = ?1", [wrong]).expect("changed");
        let error = opened.load(&mira, "a", NOW_MS).await.expect_err(wrong);
        assert_eq!(error.fault, Fault::Corrupt, "{error}");
    }
}

#[tokio::test]
async fn a_state_that_is_too_large_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (opened, mira) = (sessions(folder.path()), owner("acme", "user:mira"));
    let state = SessionState { open_question: Some("x".repeat(300_000)), ..SessionState::default() };
    assert_eq!(opened.save(&mira, "a", &state, NOW_MS).await.expect_err("too large").fault, Fault::Invalid);
    assert_eq!(opened.load(&mira, "a", NOW_MS).await.expect("an answer"), None);
}
