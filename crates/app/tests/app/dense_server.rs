//! Vectors searched in PostgreSQL, through the binary: taken in, asked for, told of, and done without where the server is away.
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
    server::{LEAVE, Server},
};

const PATIENCE: Duration = Duration::from_secs(300);

fn vector_index(server: &Server) -> Value {
    let ready = server.get("/readyz").json();
    let dependencies = ready["dependencies"].as_array().expect("dependencies").clone();
    dependencies.into_iter().find(|one| one["name"] == "vector index").expect("the vector index")["state"].clone()
}

#[test]
fn vectors_are_searched_where_the_settings_say_and_done_without_where_that_is_away() {
    let started = Postgres::start_packaged(Path::new(env!("CARGO_TARGET_TMPDIR")), &[]);
    let postgres = match started {
        Ok(postgres) => postgres,
        Err(reason) => return vouch_testkit::skip("vectors in PostgreSQL, through the binary", &reason),
    };
    let place = Place::new();
    let url = postgres.address("postgres");
    let dense = format!("dense: {{ engine: pgvector, url: \"{url}\", graph_rows_min: 1, timeout_ms: 60000 }}\n");
    place.write("vouch.yaml", dense);
    place.write("docs/leave.md", LEAVE);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(!place.path(".vouch/dense").exists(), "the data folder keeps no vectors of its own");
    let doctor = replies::json(&place.run(&["doctor", "--json"]));
    assert_eq!(doctor["dense"], json!({ "engine": "pgvector", "failure": null }), "{doctor}");
    assert_eq!(doctor["sound"], true);
    let server = Server::over(place);
    let began = Instant::now();
    while vector_index(&server) != "up" {
        assert!(began.elapsed() < PATIENCE, "it is never said to work");
        std::thread::sleep(Duration::from_millis(200));
    }
    let question = json!({ "query": "How many days of annual leave do staff have?" }).to_string();
    let reply = server.post("/v1/ask", &question, "").json();
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("26 days")), "{reply}");
    assert!(!reply.to_string().contains("bm25_only"), "found by meaning, too: {reply}");
    drop(postgres);
    let began = Instant::now();
    while vector_index(&server) == "up" {
        assert!(began.elapsed() < PATIENCE, "nothing was noticed");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(server.get("/readyz").status, 200, "questions are answered by their words");
    let reply = server.post("/v1/ask", &question, "").json();
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("26 days")), "{reply}");
    assert!(reply.to_string().contains("bm25_only"), "{reply}");
}

#[test]
fn an_index_that_is_missing_is_made_beside_a_server_that_answers_meanwhile() {
    let started = Postgres::start_packaged(Path::new(env!("CARGO_TARGET_TMPDIR")), &[]);
    let postgres = match started {
        Ok(postgres) => postgres,
        Err(reason) => return vouch_testkit::skip("a missing index of vectors in PostgreSQL", &reason),
    };
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let url = postgres.address("postgres");
    place.write("vouch.yaml", format!("dense: {{ engine: pgvector, url: \"{url}\", graph_rows_min: 1 }}\n"));
    let server = Server::over(place);
    let question = json!({ "query": "How many days of annual leave do staff have?" }).to_string();
    let began = Instant::now();
    loop {
        let reply = server.post("/v1/ask", &question, "").json();
        assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("26 days")), "{reply}");
        // One that is asked while the index comes to be there may be found by meaning and name no generation.
        if !reply.to_string().contains("bm25_only") && reply["generation"].is_number() {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "it was not made: {reply}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
