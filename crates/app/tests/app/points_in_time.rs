//! Backups through the binary: beside a server that answers, and as documents were at a generation or a moment.
#![cfg(unix)]
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use crate::support::{
    Place,
    replies::json,
    server::{LEAVE, Server},
};

const QUESTION: &str = "How many days of annual leave do staff have?";

fn run(place: &Place, words: &[&str]) -> String {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

fn answer(place: &Place, data: &str) -> String {
    json(&place.run(&["--data", data, "ask", QUESTION, "--json"]))["answer"].as_str().unwrap_or_default().to_owned()
}

/// A place whose document was taken in twice, at generations 1 and 2.
fn twice() -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    run(&place, &["ingest", "docs"]);
    place.write("docs/leave.md", LEAVE.replace("26 days", "31 days"));
    run(&place, &["ingest", "docs"]);
    place
}

#[test]
fn a_backup_and_a_restore_give_the_documents_of_a_generation() {
    let place = twice();
    assert!(answer(&place, ".vouch").contains("31 days"));
    let made = json(&place.run(&["store", "backup", "then", "--generation", "1", "--json"]));
    assert_eq!(made["turned_back"]["generation"], 1, "{made}");
    run(&place, &["--data", "one", "store", "restore", "then"]);
    run(&place, &["store", "backup", "now"]);
    let told = run(&place, &["--data", "other", "store", "restore", "now", "--generation", "1"]);
    assert!(told.contains("as they were at generation 1"), "{told}");
    for data in ["one", "other"] {
        assert!(answer(&place, data).contains("26 days"), "{data}");
        let health = json(&place.run(&["--data", data, "doctor", "--json"]));
        assert_eq!(health["sound"], true, "{health}");
    }
    // It goes on from there: what is taken in again is a new version, and what it is read from counts as changed.
    run(&place, &["--data", "one", "ingest", "docs"]);
    assert!(answer(&place, "one").contains("31 days"));
    assert!(answer(&place, ".vouch").contains("31 days"), "the original is as it was");
}

#[test]
fn generations_and_moments_that_are_not_kept_are_refused_in_a_sentence() {
    let place = twice();
    run(&place, &["store", "backup", "now"]);
    for (words, told) in [
        (["--generation", "99"], "has never been at 99"),
        (["--at", "soon"], "must be a day or a moment such as 2026-05-21"),
    ] {
        for command in [["--data", ".vouch", "store", "backup", "then"], ["--data", "new", "store", "restore", "now"]] {
            let ran = place.run(&[&command[..], &words].concat());
            assert!(ran.code != Some(0) && ran.err.contains(told), "{command:?} {words:?}: {}", ran.err);
        }
    }
    assert!(!place.path("new/catalogue.sqlite").exists(), "nothing was restored");
    // Before anything was taken in there was nothing.
    run(&place, &["--data", "empty", "store", "restore", "now", "--at", "2001-01-01"]);
    assert!(!answer(&place, "empty").contains("days of"), "{}", answer(&place, "empty"));
    run(&place, &["--data", "last", "store", "restore", "now", "--at", "2999-01-01T00:00Z"]);
    assert!(answer(&place, "last").contains("31 days"));
}

#[test]
fn a_backup_is_made_beside_a_server_that_answers_and_a_restore_needs_the_folder_alone() {
    let place = twice();
    let server = Server::over(place);
    let asked = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let body = serde_json::json!({ "query": QUESTION }).to_string();
            (0..5).map(|_| server.post("/v1/ask", &body, "").json()["answer"].clone()).collect::<Vec<_>>()
        });
        for number in 0..3 {
            run(&server.place, &["store", "backup", &format!("backup-{number}")]);
        }
        asking.join()
    });
    assert!(
        asked.is_ok_and(|answers| answers.iter().all(|one| one.as_str().is_some_and(|one| one.contains("31 days"))))
    );
    let held = server.place.run(&["store", "restore", "backup-2", "--replace"]);
    assert!(held.code != Some(0) && held.err.contains("127.0.0.1"), "{}", held.err);
    run(&server.place, &["--data", "copy", "store", "restore", "backup-2"]);
    let health = json(&server.place.run(&["--data", "copy", "doctor", "--json"]));
    assert_eq!(health["sound"], true, "{health}");
    assert!(answer(&server.place, "copy").contains("31 days"));
}
