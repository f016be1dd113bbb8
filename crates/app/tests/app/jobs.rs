//! Background jobs through the binary: put in the queue by anybody, done by a server, seen and steered the same way everywhere.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::time::{Duration, Instant};

use serde_json::Value;
use vouch_domain::Role;

use crate::support::{
    Place, callers, replies,
    server::{LEAVE, Server},
};

const PATIENCE: Duration = Duration::from_secs(120);

/// What `vouch jobs show` says of a job once it is in a state.
fn wait(place: &Place, id: &str, state: &str) -> Value {
    let began = Instant::now();
    loop {
        let job = replies::json(&place.run(&["jobs", "show", id, "--json"]));
        if job["state"] == state || began.elapsed() > PATIENCE {
            assert_eq!(job["state"], state, "{job}");
            return job;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The id of the one job that a command put in the queue.
fn enqueued(place: &Place, words: &[&str]) -> String {
    let ran = place.run(&[words, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    text(&replies::json(&ran)[0]["id"])
}

#[test]
fn what_is_left_to_a_server_is_done_when_one_runs() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("docs/blob.md", [0, 159, 146, 150]);
    let ran = place.run(&["ingest", "docs", "--background", "--tags", "hr"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("No server is running on this data folder"), "{}", ran.err);
    let again = place.run(&["ingest", "docs", "--background", "--tags", "hr"]);
    assert!(again.err.contains("is already doing this"), "{}", again.err);
    let id = text(&replies::json(&place.run(&["jobs", "list", "--json"]))[0]["id"]);
    let server = Server::over(place);
    let job = wait(&server.place, &id, "done");
    assert_eq!((&job["progress"]["added"], &job["progress"]["failed"]), (&1.into(), &1.into()), "{job}");
    assert_eq!(job["failures"][0]["source"], "blob.md", "without where the folder lies: {job}");
    assert_eq!(job["kind"], "ingest");
    let shown = server.get(&format!("/v1/jobs/{id}"));
    assert_eq!(shown.json()["job"], job, "the same job over HTTP");
    let documents = server.get("/v1/documents").json();
    assert_eq!(documents["documents"][0]["document_id"], "docs/leave.md", "{documents}");
    server.place.write("docs/more.md", "# More\n\nThe gate is green.\n");
    let ran = server.place.run(&["ingest", "docs", "--background"]);
    assert!(ran.err.contains("The server on this data folder will do it"), "{}", ran.err);
}

#[test]
fn a_source_is_started_over_http_by_admins_of_its_tenant_alone() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write(
        "vouch.yaml",
        "sources:\n  - {name: handbook, folder: docs}\n  - {name: theirs, folder: docs, tenant: other}\n",
    );
    let admin = callers::key(&place, "default", Role::Admin, None);
    let reader = callers::key(&place, "default", Role::Reader, None);
    let partial = callers::key(&place, "default", Role::Admin, Some(&["hr"]));
    let other = callers::key(&place, "other", Role::Admin, None);
    let server = Server::over(place);
    let start = |source: &str, key: &str| server.post("/v1/jobs", &format!("{{\"source\":\"{source}\"}}"), key);
    for key in [&reader, &partial] {
        assert_eq!(start("handbook", key).status, 403);
        assert_eq!(server.get_with("/v1/jobs", key).status, 403);
    }
    assert_eq!(start("theirs", &admin).status, 400, "a source of another tenant");
    assert_eq!(start("nothing", &admin).status, 400);
    assert_eq!(server.post("/v1/jobs", "{\"paths\":[\"/etc\"]}", &admin).status, 400, "paths are for the command line");
    let started = start("handbook", &admin);
    assert_eq!(started.status, 200, "{}", started.body);
    let id = text(&started.json()["job"]["id"]);
    let job = wait(&server.place, &id, "done");
    assert_eq!((&job["source"], &job["progress"]["added"]), (&"handbook".into(), &1.into()), "{job}");
    assert!(text(&job["asked_by"]).starts_with("key:"), "{job}");
    let listed = server.get_with("/v1/jobs", &admin).json();
    assert_eq!((listed["jobs"].as_array().map(Vec::len), &listed["sources"][0]["name"]), (Some(1), &"handbook".into()));
    assert_eq!(listed["sources"].as_array().map(Vec::len), Some(1), "{listed}");
    let theirs = server.get_with("/v1/jobs", &other).json();
    assert_eq!((theirs["jobs"].as_array().map(Vec::len), &theirs["sources"][0]["name"]), (Some(0), &"theirs".into()));
    let path = format!("/v1/jobs/{id}");
    assert_eq!(server.get_with(&path, &other).status, 404);
    assert_eq!(server.post(&format!("{path}/retry"), "{}", &other).status, 404);
    let again = server.post(&format!("{path}/retry"), "{}", &admin);
    assert_eq!(again.status, 200, "{}", again.body);
    let job = wait(&server.place, &id, "done");
    assert_eq!(job["progress"]["unchanged"], 1, "{job}");
}

#[test]
fn a_job_that_fails_waits_and_is_stopped_or_tried_again_from_the_command_line() {
    let place = Place::new();
    place.write("vouch.yaml", "sources: [{name: handbook, folder: docs}]\njobs: {retry_first_s: 3600}\n");
    let id = enqueued(&place, &["sync", "handbook", "--background"]);
    let server = Server::over(place);
    let job = wait(&server.place, &id, "waiting");
    assert!(text(&job["error"]).contains("docs does not exist"), "{job}");
    assert!(job["next_try"].is_string(), "{job}");
    server.place.write("docs/leave.md", LEAVE);
    let ran = server.place.run(&["jobs", "retry", &id]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    wait(&server.place, &id, "done");
    std::fs::remove_dir_all(server.place.path("docs")).expect("the folder goes");
    let next = enqueued(&server.place, &["sync", "--background"]);
    wait(&server.place, &next, "waiting");
    let ran = server.place.run(&["jobs", "cancel", &next]);
    assert!(ran.out.contains("cancelled"), "{}{}", ran.out, ran.err);
    let documents = server.get("/v1/documents").json();
    assert_eq!(documents["documents"].as_array().map(Vec::len), Some(1), "a folder that is gone removes nothing");
    let unknown = server.place.run(&["jobs", "show", "nothing"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    let held = server.place.run(&["sync"]);
    assert_ne!(held.code, Some(0), "the server holds the folder: {}{}", held.out, held.err);
}

#[test]
fn a_watched_folder_is_followed_and_a_schedule_kept() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    for name in ["locks", "tides"] {
        place.write(&format!("docs/{name}.md"), format!("# {name}\n\nThe page of {name} is short.\n"));
    }
    place.write("more/gate.md", "# Gate\n\nThe gate is green.\n");
    place.write(
        "vouch.yaml",
        "sources:\n  - {name: watched, folder: docs, watch: true}\n  - {name: timed, folder: more, every: 1s}\n",
    );
    let server = Server::over(place);
    let ids = || {
        let documents = server.get("/v1/documents").json();
        let listed = documents["documents"].as_array().cloned().unwrap_or_default();
        listed.iter().map(|card| text(&card["document_id"])).collect::<Vec<_>>()
    };
    let until = |wanted: &[&str]| {
        let began = Instant::now();
        while ids() != wanted && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(ids(), wanted);
    };
    until(&["docs/leave.md", "docs/locks.md", "docs/tides.md", "more/gate.md"]);
    std::fs::rename(server.place.path("docs/leave.md"), server.place.path("docs/holidays.md")).expect("a rename");
    server.place.write("docs/new.md", "# New\n\nThe weir is closed.\n");
    server.place.write("more/mill.md", "# Mill\n\nThe mill is open.\n");
    until(&["docs/leave.md", "docs/locks.md", "docs/new.md", "docs/tides.md", "more/gate.md", "more/mill.md"]);
    std::fs::remove_file(server.place.path("docs/holidays.md")).expect("it goes");
    until(&["docs/locks.md", "docs/new.md", "docs/tides.md", "more/gate.md", "more/mill.md"]);
}

#[test]
fn a_job_outlives_a_server_that_is_killed() {
    let place = Place::new();
    for number in 0..60 {
        let text =
            format!("# Shed {number}\n\n{}\n", format!("Lantern {number} hangs beside gate {number}. ").repeat(40));
        place.write(&format!("docs/{number}.md"), text);
    }
    let id = enqueued(&place, &["ingest", "docs", "--background", "--prune-many"]);
    let server = Server::over_with(place, &[("VOUCH_INGEST_BATCH_PASSAGES", "2")]);
    let job = wait(&server.place, &id, "running");
    assert_eq!(job["attempts"], 1);
    std::thread::sleep(Duration::from_millis(300));
    let place = server.stop();
    let left = replies::json(&place.run(&["jobs", "show", &id, "--json"]));
    assert_eq!(left["state"], "running", "nobody could say that it ended: {left}");
    let server = Server::over(place);
    let job = wait(&server.place, &id, "done");
    assert_eq!(job["attempts"], 2, "{job}");
    let progress = &job["progress"];
    let counted = progress["added"].as_u64().unwrap_or_default() + progress["unchanged"].as_u64().unwrap_or_default();
    assert_eq!((counted, &progress["total"]), (60, &60.into()), "{job}");
}

#[test]
fn a_backup_leaves_jobs_out_and_says_so_and_a_restore_leaves_them_as_they_are() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let quiet = place.run(&["store", "backup", "first"]);
    assert!(quiet.code == Some(0) && !quiet.err.contains("job"), "nothing waits: {}", quiet.err);
    assert!(!place.path(".vouch/jobs.db").exists(), "to look makes no queue");
    let id = enqueued(&place, &["ingest", "docs", "--background"]);
    let told = place.run(&["store", "backup", "second"]);
    assert!(told.err.contains("note: 1 background job is not done yet; jobs are not part of a backup"), "{}", told.err);
    assert!(!place.path("second/jobs.db").exists());
    assert_eq!(place.run(&["store", "restore", "second", "--replace"]).code, Some(0));
    let job = replies::json(&place.run(&["jobs", "show", &id, "--json"]));
    assert_eq!(job["state"], "queued", "{job}");
    std::fs::write(place.path(".vouch/jobs.db"), "no database").expect("it is written");
    let damaged = place.run(&["store", "backup", "third"]);
    assert_eq!(damaged.code, Some(0), "a queue that is lost takes no backup with it: {}", damaged.err);
}
