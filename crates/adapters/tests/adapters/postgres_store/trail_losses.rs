//! One trail of many nodes where something was lost, damaged, copied or slow: what is sound is in it once, and what is not there is said.

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use vouch_adapters::{
    embedded::{TrailLimits, repair},
    postgres::PostgresTrail,
};
use vouch_domain::{AuditEntry, Fault, ports::AuditTrail};
use vouch_testkit::contracts::audit_trail::entry;

use super::{
    database, name_of,
    nodes::cut_off,
    patient::Patient,
    server,
    trail::{LIMITS, copy, everybody, ids, local, rows, trail, word},
};
use crate::support::filled_store::{TRAIL, damage_rows, let_go};

const PATIENCE: Duration = Duration::from_secs(60);

/// An entry that was written now, and so within the days for which entries are kept.
fn recent(id: &str) -> AuditEntry {
    let now = SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_millis();
    AuditEntry { at_ms: u64::try_from(now).expect("a time"), ..entry(id) }
}

async fn write(trail: &dyn AuditTrail, ids: &[&str]) {
    for id in ids {
        trail.write(recent(id)).await.expect("written");
    }
}

/// Waits until nobody has the file of a trail open any more.
async fn close(trail: impl AuditTrail, folder: &Path) {
    drop(trail);
    let_go(folder).await;
}

/// Waits until everything is sent.
async fn send(trail: &PostgresTrail) {
    let sent = async {
        while trail.send_all().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, sent).await.expect("the database takes entries again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repaired_trail_sends_what_is_written_after_it_and_doubles_nothing() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let node = trail(&settings, folder.path());
    write(&node, &["a", "b", "c"]).await;
    send(&node).await;
    close(node, folder.path()).await;
    for (damaged, next) in [("b", "d"), ("d", "e")] {
        damage_rows(&folder.path().join(TRAIL), "entries", &format!("id = '{damaged}'"));
        repair(folder.path()).expect("repaired");
        let node = trail(&settings, folder.path());
        write(&node, &[next]).await;
        send(&node).await;
        close(node, folder.path()).await;
    }
    assert_eq!(ids(&trail(&settings, folder.path())).await, ["e", "d", "c", "b", "a"]);
    assert_eq!(rows(server, &settings), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_went_back_gets_what_it_lost_from_the_next_process() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let node = trail(&settings, folder.path());
    let names: Vec<String> = (0..700).map(|number| format!("e{number}")).collect();
    write(&node, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let begun = node.write(recent("begun")).await.expect("written");
    send(&node).await;
    node.rewrite(begun, AuditEntry { outcome: "refused".to_owned(), ..recent("begun") }).await.expect("finished");
    send(&node).await;
    close(node, folder.path()).await;
    // It is as it was before the last was finished and most of the others had come.
    let back = "DELETE FROM vouch.trail WHERE number > 1 AND id <> 'begun';
                UPDATE vouch.trail SET link = 1, outcome = 'answered'";
    server.execute(&name_of(&settings), back);
    let node = trail(&settings, folder.path());
    send(&node).await;
    assert_eq!(rows(server, &settings), names.len() + 1);
    let found = node.entry(&everybody(), "begun").await.expect("an answer").expect("it is there");
    assert_eq!(found.entry.outcome, "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_comes_back_without_its_last_entries_gets_them_again() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let node = trail(&settings, folder.path());
    write(&node, &["a", "b"]).await;
    send(&node).await;
    server.execute(&name_of(&settings), "DELETE FROM vouch.trail WHERE id = 'b'");
    cut_off(server, &name_of(&settings));
    write(&node, &["c"]).await;
    assert!(node.send_all().await.is_err(), "it is away");
    server.execute("postgres", &format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", name_of(&settings)));
    send(&node).await;
    assert_eq!(ids(&node).await, ["c", "b", "a"]);
    assert_eq!(rows(server, &settings), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_limits_have_removed_is_not_sent_again() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let limits = TrailLimits { keep_days: Some(90), bytes_max: 10_000 };
    let node = database(&settings).trail(local(folder.path()), limits);
    for _ in 0..2 {
        write(&node, &["r"; 70]).await;
        send(&node).await;
    }
    let left = rows(server, &settings);
    assert!((1..100).contains(&left), "{left} are left");
    close(node, folder.path()).await;
    // A process that reads the trail has no limits of its own.
    let limits = TrailLimits { keep_days: None, bytes_max: u64::MAX };
    let reader = database(&settings).trail(local(folder.path()), limits);
    send(&reader).await;
    assert_eq!(rows(server, &settings), left);
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_a_folder_keep_entries_of_one_name_and_place_apart() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    drop(local(folders[0].path()));
    for folder in &folders[1..] {
        copy(folders[0].path(), folder.path()).await;
    }
    for (folder, asker) in folders.iter().zip(["mira", "kees", "anna"]) {
        let node = trail(&settings, folder.path());
        let asked = AuditEntry { asker: asker.to_owned(), ..recent("a") };
        let place = node.write(asked.clone()).await.expect("written");
        if asker == "anna" {
            // What is told later of one says nothing of the others.
            node.rewrite(place, AuditEntry { outcome: "refused".to_owned(), ..asked }).await.expect("finished");
        }
        send(&node).await;
    }
    let node = trail(&settings, folders[0].path());
    let found = node.newest(&everybody(), 10).await.expect("entries");
    let told: Vec<(&str, &str)> = found.iter().map(|entry| (entry.asker.as_str(), entry.outcome.as_str())).collect();
    assert_eq!(told, [("anna", "refused"), ("kees", "answered"), ("mira", "answered")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_entry_holds_no_other_back() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let own = local(folder.path());
    write(&own, &["a", "b", "c"]).await;
    damage_rows(&folder.path().join(TRAIL), "entries", "id = 'b'");
    damage_rows(&folder.path().join(TRAIL), "links", "number = 3");
    let node = Patient(database(&settings).trail(own, LIMITS));
    node.send_all().await.expect("sent");
    assert_eq!(ids(&node).await, ["c", "a"]);
    write(&node, &["d"]).await;
    assert_eq!(ids(&node).await, ["d", "c", "a"]);
    assert!(!node.is_partial());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_refuses_entries_is_not_said_to_be_away() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let node = trail(&settings, folder.path());
    write(&node, &["a"]).await;
    send(&node).await;
    server.execute(&name_of(&settings), "REVOKE INSERT ON vouch.trail FROM node");
    write(&node, &["b"]).await;
    for _ in 0..3 {
        let error = node.newest(&everybody(), 9).await.expect_err("an entry cannot be sent");
        assert_eq!(error.fault, Fault::Invalid, "{error}");
        let error = node.comment(&everybody(), "a", word("mira")).await.expect_err("an entry cannot be sent");
        assert_eq!(error.fault, Fault::Invalid, "{error}");
    }
    server.execute(&name_of(&settings), "GRANT INSERT ON vouch.trail TO node");
    send(&node).await;
    assert_eq!(ids(&node).await, ["b", "a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_does_not_wait_for_all_that_is_to_be_sent() {
    let Some(server) = server() else { return };
    let settings = server.database();
    let folder = tempfile::tempdir().expect("a folder");
    let node = database(&settings).trail(local(folder.path()), LIMITS);
    write(&node, &["a"]).await;
    send(&node).await;
    // As slow as a database can be: it takes nothing for a while, and can be read.
    let holder = server.hold(&name_of(&settings), "LOCK TABLE vouch.trail IN EXCLUSIVE MODE").await;
    write(&node, &["b"]).await;
    let began = Instant::now();
    let first = node.before(&everybody(), None, 1).await.expect("an entry");
    // Whoever waited for the table would do so for fifteen seconds.
    assert!(began.elapsed() < Duration::from_secs(12), "waited for {:?}", began.elapsed());
    assert_eq!(first[0].1.id, "b");
    assert!(node.is_partial() && node.is_sending());
    let error = node.comment(&everybody(), "a", word("mira")).await.expect_err("it is not known where it belongs");
    assert!(error.fault == Fault::Unavailable && error.sentence.contains("still being sent"), "{error}");
    holder.batch_execute("COMMIT").await.expect("let go");
    send(&node).await;
    // Whoever has begun with the entries of this node goes on with them.
    let rest = node.before(&everybody(), Some(first[0].0), 9).await.expect("entries");
    assert_eq!(rest.iter().map(|(_, entry)| entry.id.as_str()).collect::<Vec<_>>(), ["a"]);
    let node = Patient(node);
    assert_eq!(ids(&node).await, ["b", "a"]);
    assert!(!node.is_partial() && !node.is_sending());
}
