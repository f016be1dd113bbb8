//! One trail of many nodes: what any of them answered is in it once, whatever was killed, lost or away.

use std::{path::Path, sync::Arc, time::Duration};

use vouch_adapters::{
    embedded::{EmbeddedTrail, TrailLimits},
    postgres::{PostgresSettings, PostgresTrail},
};
use vouch_domain::{AuditEntry, AuditScope, Fault, Feedback, FeedbackOutcome, Opinion, ports::AuditTrail};
use vouch_testkit::{
    contracts::{self, audit_trail::entry},
    corpus::TENANT,
};

use super::{Server, database, name_of, nodes::cut_off, patient::Patient, server};
use crate::support::filled_store::let_go;

pub(super) const LIMITS: TrailLimits = TrailLimits { keep_days: Some(90), bytes_max: 1 << 30 };

pub(super) fn local(folder: &Path) -> EmbeddedTrail {
    EmbeddedTrail::open(folder, LIMITS).expect("the folder's trail opens")
}

pub(super) fn trail(settings: &PostgresSettings, folder: &Path) -> Patient {
    Patient(database(settings).trail(local(folder), LIMITS))
}

pub(super) fn everybody() -> AuditScope {
    AuditScope::for_tenant(TENANT)
}

pub(super) async fn ids(trail: &dyn AuditTrail) -> Vec<String> {
    trail.newest(&everybody(), 100).await.expect("entries").into_iter().map(|entry| entry.id).collect()
}

pub(super) fn word(asker: &str) -> Feedback {
    Feedback { asker: asker.to_owned(), at_ms: 1, opinion: Opinion::thumb(true), comment: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trail_of_a_database_is_a_trail() {
    let Some(server) = server() else { return };
    contracts::audit_trail::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        Arc::new(trail(&server.database(), &folder)) as Arc<dyn AuditTrail>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_node_answered_every_node_shows_and_takes_feedback_on() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| trail(&settings, folder.path()));
    let begun = one.write(entry("a")).await.expect("written");
    one.send_all().await.expect("sent");
    other.write(entry("b")).await.expect("written");
    other.send_all().await.expect("sent");
    assert_eq!(ids(&other).await, ["b", "a"]);
    // An entry that is finished after it was sent is finished everywhere.
    let mut finished = entry("a");
    finished.outcome = "refused".to_owned();
    one.rewrite(begun, finished.clone()).await.expect("finished");
    one.send_all().await.expect("sent");
    assert_eq!(other.comment(&everybody(), "a", word("kees")).await.expect("said"), FeedbackOutcome::New);
    let found = one.entry(&everybody(), "a").await.expect("an answer").expect("it is there");
    assert_eq!((found.entry, found.feedback), (finished, vec![word("kees")]));
    assert_eq!(ids(&one).await, ["b", "a"]);
    let mut seen = Vec::new();
    one.each(&mut |audited| seen.push((audited.entry.id, audited.feedback.len()))).await.expect("all");
    assert_eq!(seen, [("a".to_owned(), 1), ("b".to_owned(), 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_before_or_after_the_sending_loses_nothing_and_doubles_nothing() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    // Written, and the process ends before anything is sent.
    let alone = local(folder.path());
    for id in ["a", "b"] {
        alone.write(entry(id)).await.expect("written");
    }
    drop(alone);
    let killed = tempfile::tempdir().expect("a folder");
    copy(folder.path(), killed.path()).await;
    assert_eq!(ids(&trail(&settings, folder.path())).await, ["b", "a"], "the next start sends them");
    // Sent, and the process ends before it notes that: the same folder as it was before, sent once more.
    let again = trail(&settings, killed.path());
    again.send_all().await.expect("sent");
    assert_eq!(ids(&again).await, ["b", "a"]);
    assert_eq!(rows(server, &settings), 2);
}

/// Copies the trail of a folder, once nobody uses it any more.
pub(super) async fn copy(from: &Path, to: &Path) {
    let_go(from).await;
    for file in std::fs::read_dir(from).expect("a folder") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("copied");
    }
}

pub(super) fn rows(server: &Server, settings: &PostgresSettings) -> usize {
    let counted = server.execute(&name_of(settings), "SELECT count(*)::text FROM vouch.trail");
    counted[0][0].as_ref().and_then(|count| count.parse().ok()).expect("a count")
}

/// Notes every statement that writes entries.
const NOTED: &str = "
    CREATE TABLE vouch.sends (number bigint GENERATED ALWAYS AS IDENTITY);
    GRANT ALL ON vouch.sends TO node;
    CREATE FUNCTION vouch.note_send() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO vouch.sends DEFAULT VALUES; RETURN NULL; END $$;
    CREATE TRIGGER noted AFTER INSERT ON vouch.trail FOR EACH STATEMENT EXECUTE FUNCTION vouch.note_send()";

#[tokio::test(flavor = "multi_thread")]
async fn many_entries_go_in_one_statement_each_as_it_was_written_and_in_order() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let alone = local(folder.path());
    let mut written = Vec::new();
    for number in 0..50 {
        let reason = (number % 2 == 0).then(|| format!("reason {number}"));
        let one = AuditEntry { reason, elapsed_ms: f64::from(number) / 3.0, ..entry(&format!("e{number}")) };
        alone.write(one.clone()).await.expect("written");
        written.insert(0, one);
    }
    database(&settings);
    server.execute(&name_of(&settings), NOTED);
    let node = Patient(database(&settings).trail(alone, LIMITS));
    node.send_all().await.expect("sent");
    assert_eq!(server.execute(&name_of(&settings), "SELECT 1 FROM vouch.sends").len(), 1);
    assert_eq!(node.newest(&everybody(), 100).await.expect("entries"), written);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_away_a_node_writes_shows_its_own_says_so_and_sends_later() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| trail(&settings, folder.path()));
    other.write(entry("theirs")).await.expect("written");
    other.send_all().await.expect("sent");
    assert_eq!(ids(&one).await, ["theirs"]);
    assert!(!one.is_partial());
    cut_off(server, &name_of(&settings));
    one.write(entry("own")).await.expect("a reply never waits for the database");
    // What is there now is shown at once.
    let at_once: &PostgresTrail = &one;
    assert_eq!(ids(at_once).await, ["own"]);
    assert!(one.is_partial());
    one.check().await.expect("entries can be written");
    let error = at_once.comment(&everybody(), "own", word("mira")).await.expect_err("it cannot be kept");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    server.execute("postgres", &format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", name_of(&settings)));
    let sent = async {
        while one.send_all().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), sent).await.expect("the database is there again");
    assert_eq!(ids(&one).await, ["own", "theirs"]);
    assert!(!one.is_partial());
    assert!(one.comment(&everybody(), "theirs", word("mira")).await.expect("said").is_kept());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_was_changed_in_the_database_is_not_shown() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let trail = trail(&settings, folder.path());
    trail.write(entry("a")).await.expect("written");
    trail.send_all().await.expect("sent");
    server.execute(&name_of(&settings), "UPDATE vouch.trail SET outcome = 'refused'");
    let error = trail.entry(&everybody(), "a").await.expect_err("it is not as it was written");
    assert_eq!(error.fault, Fault::Corrupt, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trail_that_has_grown_too_large_loses_its_oldest_entries() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let limits = TrailLimits { keep_days: Some(90), bytes_max: 10_000 };
    let trail = Patient(database(&settings).trail(local(folder.path()), limits));
    for number in 0..70 {
        trail.write(entry(&format!("e{number}"))).await.expect("written");
    }
    trail.send_all().await.expect("sent");
    // The limits are looked at after every few dozen entries.
    for number in 70..140 {
        trail.write(entry(&format!("e{number}"))).await.expect("written");
    }
    trail.send_all().await.expect("sent");
    let left = ids(&trail).await;
    assert!((1..100).contains(&left.len()), "{} are left", left.len());
    assert_eq!(left.first().map(String::as_str), Some("e139"), "the newest stay");
}
