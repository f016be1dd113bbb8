//! Clients that are slow, wrong or many, and the end of a server.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    process::Command,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::net::TcpSocket;

use crate::support::{
    Place,
    embedding_server::EmbeddingServer,
    server::{HttpReply, LEAVE, Server},
};

/// Long enough for a client that a busy machine keeps from sending at once.
const PATIENCE: &str =
    "serve: { head_timeout_ms: 600000, client_timeout_ms: 3000, connections_max: 4, shutdown_ms: 1500 }\n";
/// Less than a client is given where the settings do not say, and far more than where they do.
const SENT_AWAY_WITHIN: Duration = Duration::from_secs(25);
/// By then whatever is waited for has come, also on a machine with much else to do.
const SOON: Duration = Duration::from_secs(120);

fn connected(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).expect("a connection");
    stream.set_read_timeout(Some(SOON)).expect("a deadline");
    stream
}

/// What a server says to these bytes until it closes, which it does soon.
fn told(server: &Server, bytes: &str) -> String {
    let mut stream = connected(server);
    stream.set_read_timeout(Some(SENT_AWAY_WITHIN)).expect("a deadline");
    stream.write_all(bytes.as_bytes()).expect("someone to tell");
    let mut said = String::new();
    let end = stream.read_to_string(&mut said);
    let is_open = end.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    assert!(!is_open, "the connection is still open: {said}");
    said
}

fn wait(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < SOON, "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Asks a server to stop, once it listens for that: before, the signal would just end it.
fn stop(server: &Server) {
    let pid = server.child.id();
    wait("the server listens for signals", || {
        // Where the system does not tell, it is taken to listen.
        let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return true };
        let caught = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
        caught.is_some_and(|caught| caught & (1 << 14) != 0)
    });
    assert!(Command::new("kill").args(["-TERM", &pid.to_string()]).status().expect("kill").success());
}

/// The code a server ends with by itself.
fn ended(server: &mut Server) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = server.child.try_wait().expect("our own child") {
            return status.code();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the process outlived its time");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn who_does_not_finish_a_request_is_not_waited_for() {
    let server = Server::start(PATIENCE);
    assert_eq!(told(&server, "GET /healthz HT"), "", "half a head");
    assert!(told(&server, "").is_empty(), "nothing at all");
    let body = told(
        &server,
        "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"query\"",
    );
    assert!(body.starts_with("HTTP/1.1 408") && body.contains("invalid_request"), "{body}");
    let idle = told(&server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(idle.starts_with("HTTP/1.1 200"), "the connection is closed once nothing more comes: {idle}");
}

#[test]
fn who_fills_every_place_keeps_others_out_only_until_they_are_sent_away() {
    let server = Server::start(PATIENCE);
    let begun = Instant::now();
    let held: Vec<TcpStream> = (0..4).map(|_| connected(&server)).collect();
    assert_eq!(server.get("/healthz").status, 200);
    assert!(begun.elapsed() > Duration::from_secs(2), "all places were taken");
    drop(held);
}

#[test]
fn who_asks_and_does_not_listen_is_hung_up_on() {
    let server = Server::start(PATIENCE);
    let mut stream = connected(&server);
    stream.set_write_timeout(Some(SENT_AWAY_WITHIN)).expect("a deadline");
    let asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000);
    let error = loop {
        if let Err(error) = stream.write_all(asked.as_bytes()) {
            break error;
        }
    };
    let is_hung_up = matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe);
    assert!(is_hung_up, "the server still waits for somebody to listen: {error}");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_method_that_is_not_there_is_told_which_are() {
    let server = Server::start("");
    let got =
        server.send("PUT /v1/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(got.status, 405);
    assert!(got.head.contains("allow: get,head,post"), "{}", got.head);
    assert!(got.head.contains("application/problem+json") && got.head.contains("x-request-id"), "{}", got.head);
    assert_eq!(got.json()["code"], "invalid_request");
    let media = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.send(media).status, 415);
    let many: String = (0..150).map(|n| format!("x-{n}: y\r\n")).collect();
    assert_eq!(server.get_with("/healthz", &many).status, 431);
}

#[test]
fn the_end_waits_for_what_runs_and_not_for_ever() {
    let mut server =
        Server::start("serve: { head_timeout_ms: 600000, client_timeout_ms: 600000, shutdown_ms: 20000 }\n");
    let mut idle = connected(&server);
    let mut stuck = connected(&server);
    stuck
        .write_all(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        .expect("someone to tell");
    // The other one is the request for the figures.
    wait("the request is under way", || server.figure("vouch_requests_in_flight") == Some(2.0));
    let begun = Instant::now();
    stop(&server);
    let mut said = String::new();
    assert_eq!(idle.read_to_string(&mut said).expect("closed"), 0, "{said}");
    assert!(begun.elapsed() < Duration::from_secs(10), "who only waits is sent away at once");
    assert_eq!(ended(&mut server), Some(0));
    assert!(begun.elapsed() > Duration::from_secs(15), "what runs is waited for: {:?}", begun.elapsed());
}

/// Judging takes long and is not what is tried here.
const UNJUDGED: &str = "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\n";

/// A response to bytes that are sent whole, and after which the client closes its side where it says so. Such a client may ask again:
/// a server that is kept from its work at that moment takes it for one that has left.
fn answered(server: &Server, bytes: &[u8], closes: bool) -> HttpReply {
    let tries = if closes { 3 } else { 1 };
    let said = (0..tries).map(|_| heard(server, bytes, closes)).find(|said| !said.is_empty()).expect("an answer");
    let (head, body) = said.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    HttpReply { status, head: head.to_lowercase(), body: body.to_owned() }
}

fn heard(server: &Server, bytes: &[u8], closes: bool) -> String {
    let mut stream = connected(server);
    stream.write_all(bytes).expect("someone to tell");
    if closes {
        stream.shutdown(Shutdown::Write).expect("half of it is closed");
    }
    let mut said = String::new();
    let end = stream.read_to_string(&mut said);
    assert!(end.is_ok() || said.is_empty(), "an answer that is cut off: {said}");
    said
}

fn post(body: &str, headers: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

#[test]
fn one_address_does_not_take_the_places_of_others() {
    let server = Server::start("serve: { connections_per_address: 3 }\n");
    let silent: Vec<TcpStream> = (0..3).map(|_| connected(&server)).collect();
    let mut turned_away = connected(&server);
    let mut said = String::new();
    turned_away.read_to_string(&mut said).expect("an answer");
    assert!(said.starts_with("HTTP/1.1 503") && said.contains("\"overloaded\""), "{said}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let other = runtime.block_on(async {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.2:0".parse().expect("an address")).expect("another address of this machine");
        socket.connect(server.address.parse().expect("an address")).await.expect("a connection").into_std()
    });
    let mut other = other.expect("a stream");
    other.set_nonblocking(false).expect("a stream that waits");
    other.set_read_timeout(Some(SOON)).expect("a deadline");
    other.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("someone to ask");
    let mut said = String::new();
    other.read_to_string(&mut said).expect("an answer");
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    drop(silent);
    let begun = Instant::now();
    while TcpStream::connect(&server.address).is_err()
        || !told(&server, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200")
    {
        assert!(begun.elapsed() < SOON, "places are given back");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn who_says_nothing_is_sent_away_soon_and_who_sends_a_body_has_longer() {
    let server = Server::start(&format!("{UNJUDGED}serve: {{ head_timeout_ms: 2000, client_timeout_ms: 60000 }}\n"));
    assert_eq!(told(&server, ""), "");
    assert_eq!(told(&server, "GET /healthz HT"), "");
    let mut slow = connected(&server);
    let body = r#"{"query":"How many days of paid annual leave do staff have?"}"#;
    let bytes = post(body, "Connection: close\r\n");
    let (head, rest) = bytes.split_at(bytes.len() - 10);
    slow.write_all(head).expect("someone to tell");
    std::thread::sleep(Duration::from_secs(4));
    slow.write_all(rest).expect("someone to tell");
    let mut said = String::new();
    slow.read_to_string(&mut said).expect("an answer");
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}

#[test]
fn who_has_closed_their_side_after_asking_is_answered() {
    let server = Server::start(&format!("{UNJUDGED}serve: {{ half_closed_ms: 120000 }}\n"));
    let body = r#"{"query":"How many days of paid annual leave do staff have?"}"#;
    for headers in ["", "Connection: close\r\n"] {
        let got = answered(&server, &post(body, headers), true);
        assert!(got.status == 200 && got.body.contains("26 days"), "{}: {}", got.status, got.body);
    }
    let got = answered(&server, b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", true);
    assert!(got.status == 200 && got.body.ends_with('}'), "{}", got.status);
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_sent_and_while_it_is() {
    let server = Server::start("serve: { body_bytes_max: 2048 }\n");
    // Nothing but the head is sent, so an answer can only come from that.
    let head = b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 2049\r\n\r\n";
    let whole = post(&format!("{{\"query\":\"{}\"}}", "x".repeat(4 << 20)), "Connection: close\r\n");
    let chunk = "x".repeat(1_000);
    let chunked = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        format!("3e8\r\n{chunk}\r\n").repeat(5)
    );
    for (what, bytes) in [("announced", &head[..]), ("sent", &whole), ("chunked", chunked.as_bytes())] {
        let got = answered(&server, bytes, false);
        assert_eq!(got.status, 413, "{what}: {}", got.body);
        assert!(got.head.contains("application/problem+json"), "{what}: {}", got.head);
        assert_eq!(got.json()["code"], "invalid_request", "{what}");
    }
}

#[test]
fn a_server_that_cannot_write_its_trail_is_not_ready() {
    let server = Server::start("");
    assert_eq!(server.get("/readyz").status, 200);
    let trail = Connection::open(server.place.path(".vouch/audit.sqlite")).expect("the trail");
    trail.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes now");
    std::thread::sleep(Duration::from_millis(1_100));
    let got = server.get("/readyz");
    let report = got.json();
    assert_eq!((got.status, &report["status"]), (503, &"not ready".into()));
    let down = |one: &&serde_json::Value| one["state"] == "down";
    let down: Vec<_> = report["dependencies"].as_array().expect("a list").iter().filter(down).collect();
    assert!(down.len() == 1 && down[0]["name"] == "audit trail" && down[0]["required"] == true, "{report}");
    assert_eq!(server.get("/healthz").status, 200);
    trail.execute_batch("ROLLBACK").expect("others write again");
    let begun = Instant::now();
    while server.get("/readyz").status != 200 {
        assert!(begun.elapsed() < SOON, "it is ready again once it can write");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// How many threads a server has.
#[cfg(target_os = "linux")]
fn threads(server: &Server) -> usize {
    let folder = format!("/proc/{}/task", server.child.id());
    std::fs::read_dir(folder).expect("threads of a process").count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_disk_is_tried_once_at_a_time_whoever_asks_and_leaves() {
    let server = Server::start("serve: { half_closed_ms: 10 }\n");
    assert_eq!(server.get("/readyz").status, 200);
    // Whoever opens a pipe to write waits until somebody reads, so this is a disk that does not answer.
    let probe = server.place.path(".vouch/disk-probe");
    assert!(Command::new("mkfifo").arg(&probe).status().expect("mkfifo").success());
    std::thread::sleep(Duration::from_millis(1_100));
    let before = threads(&server);
    for _ in 0..20 {
        let mut leaving = connected(&server);
        leaving.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("someone to ask");
        std::thread::sleep(Duration::from_millis(100));
    }
    let got = server.get("/readyz");
    assert_eq!((got.status, &got.json()["status"]), (503, &"not ready".into()), "a disk that does not answer");
    let piled_up = threads(&server).saturating_sub(before);
    assert!(piled_up < 10, "{piled_up} threads more wait for the disk");
    let mut written = Vec::new();
    std::fs::File::open(&probe).and_then(|mut pipe| pipe.read_to_end(&mut written)).expect("what was written");
    let begun = Instant::now();
    while server.get("/readyz").status != 200 {
        assert!(begun.elapsed() < SOON, "it is ready again once the disk answers");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(!probe.exists(), "the one that tried took it away");
}

#[test]
fn the_end_comes_in_time_also_where_work_cannot_be_stopped() {
    let embedder = EmbeddingServer::start();
    embedder.never_answer("lamp");
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("more/lamp.md", "# Lamp\n\nThe lamp of the pier is lit at dusk.\n");
    place.write("vouch.yaml", format!("{UNJUDGED}{}serve: {{ shutdown_ms: 600 }}\n", embedder.settings()));
    for words in [&["ingest", "docs"][..], &["ingest", "more", "--background"]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let mut server = Server::over(place);
    // A job ends at its next step only, and this one waits for vectors that never come.
    wait("the job is under way", || embedder.is_waited_for());
    let trail = Connection::open(server.place.path(".vouch/audit.sqlite")).expect("the trail");
    // The answer waits for the trail on a thread that nothing interrupts.
    trail.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes now");
    let mut ask_request = connected(&server);
    ask_request
        .write_all(&post(r#"{"query":"How many days of paid annual leave do staff have?"}"#, ""))
        .expect("someone to ask");
    std::thread::sleep(Duration::from_millis(1_500));
    stop(&server);
    assert_eq!(ended(&mut server), Some(0));
}
