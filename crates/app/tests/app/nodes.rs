//! Several servers on one PostgreSQL database, through the binary: what one takes in all of them answer, and who may call one may
//! call all.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_testkit::postgres::Postgres;

use crate::support::{
    Place, replies,
    server::{HttpReply, LEAVE, Server},
};

const PATIENCE: Duration = Duration::from_secs(60);

/// A database server; none, told once, where this machine can have none.
fn database() -> Option<Postgres> {
    let started = Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    started.inspect_err(|reason| vouch_testkit::skip("several servers on one database", reason)).ok()
}

/// A place whose data folder is to be a copy of the database.
fn place(postgres: &Postgres) -> Place {
    let place = Place::new();
    let url = postgres.address("postgres");
    place.write("vouch.yaml", format!("store: {{ postgres: {{ url: \"{url}\" }} }}\n"));
    place
}

fn run(place: &Place, words: &[&str]) -> String {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

fn ask(server: &Server, question: &str, key: &str) -> HttpReply {
    let bearer = format!("Authorization: Bearer {key}\r\n");
    server.post("/v1/ask", &json!({ "query": question }).to_string(), &bearer)
}

fn asked(server: &Server, question: &str, key: &str) -> Value {
    let mut reply = ask(server, question, key).json();
    for own in ["request_id", "timings", "elapsed_ms", "audit_id"] {
        reply.as_object_mut().expect("a reply").remove(own);
    }
    reply
}

/// Asks until a server answers in these words.
fn wait_for(server: &Server, question: &str, words: &str, key: &str) -> Value {
    let began = Instant::now();
    loop {
        let reply = asked(server, question, key);
        if reply["answer"].as_str().is_some_and(|answer| answer.contains(words)) {
            return reply;
        }
        assert!(began.elapsed() < PATIENCE, "{reply}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn servers_on_one_database_answer_alike_from_what_any_of_them_takes_in() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    assert!(run(&writer, &["store", "migrate"]).contains("of this version"));
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let key = key.trim();
    let servers = [Server::over(place(&postgres)), Server::over(place(&postgres))];
    let question = "How many days of annual leave do staff have?";
    let [one, other] = servers.each_ref().map(|server| wait_for(server, question, "26 days", key));
    assert_eq!(one["answer"], other["answer"]);
    assert_eq!(one["citations"], other["citations"]);
    // What is taken in elsewhere is answered, without a restart.
    writer.write("docs/leave.md", LEAVE.replace("26 days", "31 days"));
    run(&writer, &["ingest", "docs"]);
    for server in &servers {
        wait_for(server, question, "31 days", key);
    }
    // A job that is asked for anywhere is done by one of them, once.
    writer.write("more/lamp.md", "# Lamp\n\nThe harbour lamp is lit at 18:40 in winter.\n");
    let path = writer.path("more").display().to_string();
    let id = replies::json(&writer.run(&["ingest", &path, "--background", "--json"]))[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    for server in &servers {
        wait_for(server, "When is the harbour lamp lit in winter?", "18:40", key);
    }
    let job = replies::json(&writer.run(&["jobs", "show", &id, "--json"]));
    assert_eq!((&job["state"], &job["attempts"]), (&"done".into(), &1.into()), "{job}");
    // A key that is revoked opens no server any more.
    let listed = replies::json(&writer.run(&["key", "list", "--json"]));
    run(&writer, &["key", "revoke", listed[0]["id"].as_str().expect("an id")]);
    for server in &servers {
        let reply = ask(server, question, key);
        assert_eq!(reply.status, 401, "{}", reply.body);
    }
}

#[test]
fn while_the_database_is_away_a_server_answers_says_so_where_it_is_asked_and_changes_nothing() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let server = Server::over(place(&postgres));
    let question = "How many days of annual leave do staff have?";
    wait_for(&server, question, "26 days", key.trim());
    let state = || {
        let ready = server.get("/readyz");
        let dependencies = ready.json()["dependencies"].as_array().expect("dependencies").clone();
        let database = dependencies.into_iter().find(|one| one["name"] == "database").expect("the database");
        (ready.status, database["state"].clone())
    };
    assert_eq!(state(), (200, "up".into()));
    drop(postgres);
    let began = Instant::now();
    while state().1 == "up" {
        assert!(began.elapsed() < PATIENCE, "nothing was noticed");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(state(), (200, "down".into()), "it is ready: questions are answered");
    wait_for(&server, question, "26 days", key.trim());
    let ran = writer.run(&["ingest", "docs", "--reread"]);
    assert!(ran.code != Some(0) && ran.err.contains("the database cannot be reached"), "{:?} {}", ran.code, ran.err);
}

#[test]
fn a_store_moves_to_a_database_and_back_as_it_was() {
    let Some(postgres) = database() else { return };
    let place = place(&postgres);
    place.write("alone.yaml", "{}\n");
    place.write("docs/leave.md", LEAVE);
    run(&place, &["--config", "alone.yaml", "--data", "own", "ingest", "docs"]);
    let question = "How many days of annual leave do staff have?";
    let before = replies::json(&place.run(&["--config", "alone.yaml", "--data", "own", "ask", question, "--json"]));
    let there = replies::json(&place.run(&["store", "copy", "--from", "own", "--to", "postgres", "--json"]));
    assert!(there["rows"]["passages"].as_u64() > Some(0), "{there}");
    let twice = place.run(&["store", "copy", "--from", "own", "--to", "postgres"]);
    assert!(twice.err.contains("holds a store already"), "{}", twice.err);
    let node = replies::json(&place.run(&["--data", "node", "ask", question, "--json"]));
    let back = replies::json(&place.run(&["store", "copy", "--from", "postgres", "--to", "copy", "--json"]));
    assert_eq!(back["digest"], there["digest"]);
    let after = replies::json(&place.run(&["--config", "alone.yaml", "--data", "copy", "ask", question, "--json"]));
    for reply in [&node, &after] {
        for field in ["answer", "citations", "confidence"] {
            assert_eq!(reply[field], before[field], "{field}");
        }
    }
    let lost = place.run(&["--config", "alone.yaml", "--data", "node", "ask", question]);
    assert!(lost.code != Some(0) && lost.err.contains("is a copy of a database"), "{}", lost.err);
}
