//! A server killed at any moment under load: whatever a client was told is in the trail afterwards.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::support::{Place, server::Server};

const ROUNDS: u64 = 6;
const CLIENTS: usize = 6;
const ANSWERED: &str = "How many days of paid annual leave do staff have?";
const REFUSED: &str = "What does tea cost?";

/// What a client was told, by the request's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KillOutcome {
    /// A whole reply.
    Reply,
    /// Some of a stream, beyond its start.
    Events,
}

/// Sends one request and reads until the server closes or is gone; what came of it.
fn ask(address: &str, id: &str, query: &str, is_stream: bool) -> Option<KillOutcome> {
    let path = if is_stream { "/v1/ask/stream" } else { "/v1/ask" };
    let body = serde_json::json!({ "query": query }).to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nx-request-id: {id}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4_096]);
    // A connection that breaks off has still told what it told.
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        bytes.extend(chunk.iter().take(count));
    }
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    if is_stream {
        let events = body.lines().filter(|line| line.starts_with("event: ")).count();
        return (events > 1).then_some(KillOutcome::Events);
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    (head.contains(" 200 ") && length == Some(body.len())).then_some(KillOutcome::Reply)
}

/// Hammers a server until it is gone; everything that was told.
fn hammered(server: &mut Server, round: u64, after: Duration) -> BTreeMap<String, KillOutcome> {
    let told: Arc<Mutex<BTreeMap<String, KillOutcome>>> = Arc::default();
    let is_over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (told, is_over, address) = (Arc::clone(&told), Arc::clone(&is_over), server.address.clone());
            std::thread::spawn(move || {
                for number in 0.. {
                    if is_over.load(Ordering::Acquire) {
                        return;
                    }
                    let id = format!("r{round}-{client}-{number}");
                    let query = if number % 4 < 2 { ANSWERED } else { REFUSED };
                    if let Some(got) = ask(&address, &id, query, (client + number) % 2 == 0) {
                        told.lock().expect("a lock").insert(id, got);
                    }
                }
            })
        })
        .collect();
    let started = Instant::now();
    while told.lock().expect("a lock").len() < CLIENTS && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(after);
    server.child.kill().expect("our own child can be killed");
    is_over.store(true, Ordering::Release);
    clients.into_iter().for_each(|client| client.join().expect("a client"));
    server.child.wait().expect("it is gone");
    Arc::into_inner(told).expect("nobody else").into_inner().expect("a lock")
}

/// The outcome of every entry, by the request's name.
fn entries(place: &Place) -> BTreeMap<String, String> {
    let trail = rusqlite::Connection::open(place.path(".vouch/audit.sqlite")).expect("the trail");
    let mut statement = trail.prepare("SELECT id, outcome FROM entries").expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("entries")
}

#[test]
fn no_kill_loses_the_entry_of_what_a_client_was_told() {
    let mut server = Server::start("");
    let (mut replies, mut streams, mut random) = (0, 0, 0x5eed_u64);
    for round in 0..ROUNDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let told = hammered(&mut server, round, Duration::from_millis((random >> 33) % 1_000));
        let place = std::mem::replace(&mut server.place, Place::new());
        let entries = entries(&place);
        for (id, got) in &told {
            let outcome = entries.get(id).map(String::as_str);
            match got {
                KillOutcome::Reply => assert!(matches!(outcome, Some("answered" | "refused")), "{id}: {outcome:?}"),
                KillOutcome::Events => assert!(outcome.is_some(), "{id} was streamed and is not in the trail"),
            }
        }
        replies += told.values().filter(|got| **got == KillOutcome::Reply).count();
        streams += told.values().filter(|got| **got == KillOutcome::Events).count();
        server = Server::over(place);
    }
    assert!(replies >= 10 && streams >= 10, "{replies} replies and {streams} streams are too few to mean anything");
    let shown = server.place.run(&["audit", "list", "--limit", "1", "--json"]);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
}
