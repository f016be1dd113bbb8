//! An embedder that dies while a server is under load: every question is still answered, by words, the breaker opens and
//! closes again, and the counters say no more and no less than what the replies did.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Place,
    embedding_server::EmbeddingServer,
    server::{LEAVE, Server},
};

const ASKED: &str = "How many days of paid annual leave do staff have?";
const CLIENTS: usize = 4;
const OPEN: f64 = 2.0;
const CLOSED: f64 = 0.0;
const PATIENCE: Duration = Duration::from_secs(300);
/// How long the breaker stays open where it is to try again.
const OPEN_S: u64 = 3;

/// A server whose breaker stays open for so many seconds.
fn started(embedder: &EmbeddingServer, open_s: u64) -> Server {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    let breaker = format!("circuit_breaker: {{ embeddings: {{ timeout_seconds: {open_s} }} }}\n");
    place.write("vouch.yaml", format!("{}{breaker}", embedder.settings()));
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    Server::over(place)
}

fn ask(server: &Server) -> Value {
    let got = server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), "");
    assert_eq!(got.status, 200, "{}", got.body);
    let reply = got.json();
    assert_eq!(reply.get("outcome"), Some(&"answered".into()), "{reply}");
    reply
}

fn flags(reply: &Value) -> Vec<&str> {
    let reasons = reply.pointer("/retrieval_quality/fallback_reasons").and_then(Value::as_array).expect("a list");
    reasons.iter().filter_map(Value::as_str).collect()
}

fn of_embeddings(server: &Server, name: &str) -> f64 {
    server.figure(&format!("{name}{{service=\"embeddings\"}}")).expect("a figure")
}

fn wait(what: &str, until: impl Fn() -> bool) {
    let begun = Instant::now();
    while !until() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_is_no_vector_is_a_failure_of_the_embedder() {
    let embedder = EmbeddingServer::start();
    let server = started(&embedder, 600);
    let sound: &[f32] = &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let malformed: [&[&[f32]]; 4] = [&[], &[&[0.0; 8]], &[&[1.0, 0.0]], &[sound; 40]];
    for (vectors, failures) in malformed.iter().zip(1_u8..) {
        embedder.give(vectors);
        assert_eq!(flags(&ask(&server)), ["bm25_only"], "{vectors:?}");
        assert_eq!(of_embeddings(&server, "vouch_service_failures_total"), f64::from(failures), "{vectors:?}");
    }
}

#[test]
fn five_failures_and_no_fewer_open_it() {
    let embedder = EmbeddingServer::start();
    let server = started(&embedder, 600);
    assert!(flags(&ask(&server)).is_empty());
    embedder.fail();
    for asked in 1..=8 {
        let reply = ask(&server);
        let expected: &[&str] = if asked <= 5 { &["bm25_only"] } else { &["bm25_only", "circuit_open"] };
        assert_eq!(flags(&reply), expected, "question {asked}");
        let state = if asked < 5 { CLOSED } else { OPEN };
        assert_eq!(of_embeddings(&server, "circuit_breaker_state"), state, "after question {asked}");
        assert_eq!((&reply["fallback_mode"], &reply["transparency"]["show_to_user"]), (&true.into(), &true.into()));
    }
    assert_eq!(of_embeddings(&server, "vouch_service_failures_total"), 5.0);
    assert_eq!(of_embeddings(&server, "vouch_service_requests_total"), 6.0, "the first, and five that failed");
}

#[test]
fn an_embedder_that_dies_under_load_costs_no_answer_and_the_counters_add_up() {
    let embedder = EmbeddingServer::start();
    let server = Arc::new(started(&embedder, OPEN_S));
    let replies: Arc<Mutex<Vec<Value>>> = Arc::default();
    let is_over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (server, replies, is_over) = (Arc::clone(&server), Arc::clone(&replies), Arc::clone(&is_over));
            std::thread::spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let reply = ask(&server);
                    replies.lock().expect("a lock").push(reply);
                }
            })
        })
        .collect();
    let told = || replies.lock().expect("a lock").len();
    wait("answers with the embedder", || told() >= 2 * CLIENTS);
    let down_since = Instant::now();
    embedder.fail();
    wait("the breaker opens", || of_embeddings(&server, "circuit_breaker_state") == OPEN);
    let opened = told();
    wait("answers without it", || told() >= opened + 2 * CLIENTS);
    embedder.recover();
    let down_s = down_since.elapsed().as_secs();
    wait("the breaker closes", || of_embeddings(&server, "circuit_breaker_state") == CLOSED);
    let closed = told();
    wait("answers with it again", || told() >= closed + 2 * CLIENTS);
    is_over.store(true, Ordering::SeqCst);
    clients.into_iter().for_each(|client| client.join().expect("every question was answered"));
    let replies = replies.lock().expect("a lock");
    let fallen_back = replies.iter().filter(|reply| flags(reply).contains(&"bm25_only")).count();
    let unasked = replies.iter().filter(|reply| flags(reply).contains(&"circuit_open")).count();
    let count = |name: &str| of_embeddings(&server, name) as usize;
    let failures = count("vouch_service_failures_total");
    // Where the embedder was down for longer than the breaker stays open, each try in vain is a failure and opens it again.
    let tries = count("circuit_breaker_trip_total") - 1;
    assert!(tries as u64 <= down_s / OPEN_S, "{tries} tries in vain in {down_s} s");
    // What the embedder had answered before it failed may arrive late and begin the count anew, and whoever was under way when the
    // fifth failed may fail too.
    assert!((5 + tries..=5 * CLIENTS + tries).contains(&failures), "{failures} failures, {tries} tries in vain");
    assert_eq!(count("vouch_service_requests_total"), replies.len() - unasked);
    assert_eq!((failures, count("vouch_service_fallbacks_total")), (fallen_back - unasked, fallen_back));
    let last = ask(&server);
    assert!(flags(&last).is_empty(), "{last}");
}
