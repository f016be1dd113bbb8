//! The embedded trail keeps its port's contract, stays within its limits, and can be read while another writes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::{Connection, params};
use vouch_adapters::embedded::{EmbeddedTrail, TrailLimits};
use vouch_domain::{AuditEntry, AuditScope, Fault, Feedback, Opinion, Rating, ports::AuditTrail};
use vouch_testkit::{
    contracts::{self, audit_trail::entry},
    corpus::TENANT,
};

use crate::support::filled_store::let_go;

#[tokio::test]
async fn sqlite_is_an_audit_trail() {
    contracts::audit_trail::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        Arc::new(EmbeddedTrail::open(&folder, TrailLimits::default()).expect("the trail opens"))
    })
    .await;
}

/// The tables as they were before feedback had ratings.
const EARLIER: [&str; 2] =
    [include_str!("../../src/embedded/schema/audit_001.sql"), include_str!("../../src/embedded/schema/audit_002.sql")];

#[tokio::test]
async fn feedback_of_an_earlier_version_is_read_as_before_and_can_be_given_a_rating() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Connection::open(folder.path().join("audit.sqlite")).expect("a file");
    for schema in EARLIER {
        file.execute_batch(schema).expect("tables");
    }
    file.pragma_update(None, "user_version", EARLIER.len()).expect("a version");
    let old = entry("a");
    file.execute(
        "INSERT INTO entries (id, tenant, asker, at_ms, outcome, generation, elapsed_ms, record)
         VALUES (?1, ?2, ?3, ?4, ?5, 7, 12.5, ?6)",
        params![old.id, old.tenant, old.asker, old.at_ms, old.outcome, old.record],
    )
    .expect("an entry");
    file.execute("INSERT INTO feedback VALUES (1, 'kees', 3, 0, 'Wrong.'), (1, 'mira', 5, 1, NULL)", []).expect("said");
    drop(file);
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
    let said = |asker: &str, at_ms, opinion, comment: Option<&str>| Feedback {
        asker: asker.to_owned(),
        at_ms,
        opinion,
        comment: comment.map(str::to_owned),
    };
    let told = async || trail.entry(&AuditScope::for_tenant(TENANT), "a").await.expect("an answer").expect("an entry");
    let kees = said("kees", 3, Opinion::thumb(false), Some("Wrong."));
    assert_eq!(told().await.feedback, [kees.clone(), said("mira", 5, Opinion::thumb(true), None)]);
    let rated = said("mira", 9, Opinion { is_helpful: None, rating: Rating::new(2) }, None);
    trail.comment(&AuditScope::for_tenant(TENANT), "a", rated.clone()).await.expect("said");
    assert_eq!(told().await.feedback, [kees, rated]);
}

#[tokio::test]
async fn damaged_feedback_of_an_earlier_version_is_still_damaged_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
    // A small file is checked whole before anything is done to it.
    trail.write(AuditEntry { record: "x".repeat(5 << 20), ..entry("a") }).await.expect("written");
    drop(trail);
    let_go(folder.path()).await;
    let file = Connection::open(folder.path().join("audit.sqlite")).expect("the file");
    file.execute_batch(
        "DROP INDEX entries_by_asker; DROP VIEW checked_feedback; DROP TABLE feedback;
         CREATE TABLE feedback (place INTEGER NOT NULL REFERENCES entries (place) ON DELETE CASCADE, asker TEXT NOT NULL,
             at_ms INTEGER NOT NULL, is_helpful INTEGER NOT NULL, comment TEXT, sum BLOB, PRIMARY KEY (place, asker)
         ) STRICT, WITHOUT ROWID;
         INSERT INTO feedback VALUES (1, 'mira', 5, 1, 'Changed by nobody.', x'00');
         CREATE TRIGGER feedback_sum_insert AFTER INSERT ON feedback BEGIN SELECT 1; END;
         CREATE TRIGGER feedback_sum_before BEFORE UPDATE ON feedback BEGIN SELECT 1; END;
         CREATE TRIGGER feedback_sum_update AFTER UPDATE ON feedback BEGIN SELECT 1; END;
         CREATE VIEW checked_feedback AS SELECT * FROM feedback;
         PRAGMA user_version = 3;",
    )
    .expect("a file of the version before");
    drop(file);
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
    let shown = trail.entry(&AuditScope::for_tenant(TENANT), "a").await;
    assert_eq!(shown.expect_err("its feedback is damaged").fault, Fault::Corrupt);
}

#[tokio::test]
async fn a_trail_is_read_while_another_writes_and_after_it_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(EmbeddedTrail::open_to_read(folder.path()).expect("an answer").is_none(), "nothing is made by reading");
    let writer = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
    let reader = EmbeddedTrail::open_to_read(folder.path()).expect("an answer").expect("it is there");
    for id in ["a", "b"] {
        writer.write(entry(id)).await.expect("written");
        assert!(reader.entry(&AuditScope::for_tenant(TENANT), id).await.expect("an answer").is_some());
    }
    drop(writer);
    assert_eq!(reader.newest(&AuditScope::for_tenant(TENANT), 9).await.expect("entries").len(), 2);
}

#[tokio::test]
async fn a_trail_without_room_fails_and_keeps_what_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
    trail.write(entry("a")).await.expect("written");
    trail.limit_bytes(4_096).expect("limited to what it has");
    let large = AuditEntry { record: "x".repeat(1 << 20), ..entry("b") };
    assert_eq!(trail.write(large).await.expect_err("no room").fault, Fault::Full);
    let left = trail.newest(&AuditScope::for_tenant(TENANT), 9).await.expect("entries");
    assert_eq!(left, [entry("a")]);
}

/// Waits until no more entries than these are left. What is over is taken out beside the entries that are written, so that one more
/// is needed where the last look was over just before.
#[expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
async fn settle(trail: &EmbeddedTrail, entries_max: usize) {
    let began = Instant::now();
    loop {
        let left = trail.newest(&AuditScope::for_tenant(TENANT), 10_000).await.expect("entries").len();
        if left < entries_max {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{left} entries are left");
        trail.write(AuditEntry { tenant: "another".to_owned(), ..entry("r") }).await.expect("written");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_trail_that_is_written_to_for_ever_stays_within_its_limit() {
    const BYTES_MAX: u64 = 4 << 20;
    const ENTRIES_MAX: usize = 700;
    let folder = tempfile::tempdir().expect("a folder");
    let limits = TrailLimits { keep_days: None, bytes_max: BYTES_MAX };
    let trail = EmbeddedTrail::open(folder.path(), limits).expect("the trail opens");
    for number in 0..2_000 {
        let record = format!("{{\"filler\":\"{}\"}}", "x".repeat(8_000));
        trail.write(AuditEntry { record, ..entry(&format!("r{number}")) }).await.expect("written");
        // Whoever writes faster than a busy machine takes entries out would make the file grow.
        if number % 200 == 199 {
            settle(&trail, ENTRIES_MAX).await;
        }
    }
    let left = trail.newest(&AuditScope::for_tenant(TENANT), 10_000).await.expect("entries");
    assert!((100..ENTRIES_MAX).contains(&left.len()), "{} of 8 kB each are left of 4 MiB", left.len());
    assert_eq!(left.first().map(|newest| newest.id.as_str()), Some("r1999"));
    let bytes = std::fs::metadata(folder.path().join("audit.sqlite")).expect("the file").len();
    assert!(bytes < 3 * BYTES_MAX, "the file has {bytes} bytes");
}

#[test]
fn processes_that_ask_once_each_do_not_hurry_a_trail_along_with_a_clock_that_jumped() {
    const DAY_MS: u64 = 86_400_000;
    let folder = tempfile::tempdir().expect("a folder");
    // One process each: a runtime, a trail, an entry, and the look at the limits that the first entry brings.
    let ask = |times: Vec<u64>| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("the trail opens");
            for at_ms in times {
                trail.write(AuditEntry { at_ms, ..entry("r") }).await.expect("written");
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        });
    };
    for days in [1..=20, 21..=40, 41..=60] {
        ask(days.map(|day| day * DAY_MS).collect());
    }
    let jumped = 3_650 * DAY_MS;
    for number in 0..90 {
        ask(vec![jumped + number]);
    }
    let trail = EmbeddedTrail::open_to_read(folder.path()).expect("an answer").expect("it is there");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let left = runtime.block_on(trail.newest(&AuditScope::for_tenant(TENANT), 1_000)).expect("entries");
    assert_eq!(left.len(), 150);
}
