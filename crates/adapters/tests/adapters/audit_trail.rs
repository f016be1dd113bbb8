//! The embedded trail keeps its port's contract, stays within its limits, and can be read while another writes.

use std::{sync::Arc, time::Duration};

use vouch_adapters::embedded::{EmbeddedTrail, TrailLimits};
use vouch_domain::{AuditEntry, AuditScope, Fault, ports::AuditTrail};
use vouch_testkit::{
    contracts::{self, audit_trail::entry},
    corpus::TENANT,
};

#[tokio::test]
async fn sqlite_is_an_audit_trail() {
    contracts::audit_trail::check(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        Arc::new(EmbeddedTrail::open(&folder, TrailLimits::default()).expect("the trail opens"))
    })
    .await;
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

#[tokio::test]
async fn a_trail_that_is_written_to_for_ever_stays_within_its_limit() {
    const BYTES_MAX: u64 = 4 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let limits = TrailLimits { keep_days: None, bytes_max: BYTES_MAX };
    let trail = EmbeddedTrail::open(folder.path(), limits).expect("the trail opens");
    for number in 0..2_000 {
        let record = format!("{{\"filler\":\"{}\"}}", "x".repeat(8_000));
        trail.write(AuditEntry { record, ..entry(&format!("r{number}")) }).await.expect("written");
    }
    let scope = AuditScope::for_tenant(TENANT);
    // What is over is taken out beside the requests; the last of it may be under way.
    for _ in 0..100 {
        if trail.newest(&scope, 10_000).await.expect("entries").len() < 700 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let left = trail.newest(&scope, 10_000).await.expect("entries");
    assert!((100..700).contains(&left.len()), "{} of 8 kB each are left of 4 MiB", left.len());
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
