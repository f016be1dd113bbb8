//! Clients that are slow, wrong or many, and the end of a server.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    process::Command,
    time::{Duration, Instant},
};

use server::Server;

const PATIENCE: &str = "serve: { client_timeout_ms: 400, connections_max: 4, shutdown_ms: 1500 }\n";

fn connected(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a deadline");
    stream
}

/// What a server says to these bytes until it closes.
fn told(server: &Server, bytes: &str) -> String {
    let mut stream = connected(server);
    stream.write_all(bytes.as_bytes()).expect("someone to tell");
    let mut said = String::new();
    let _ = stream.read_to_string(&mut said);
    said
}

#[test]
fn who_does_not_finish_a_request_is_not_waited_for() {
    let server = Server::start(PATIENCE);
    let begun = Instant::now();
    assert_eq!(told(&server, "GET /healthz HT"), "", "half a head");
    assert!(told(&server, "").is_empty(), "nothing at all");
    let body = told(&server, "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"query\"");
    assert!(body.starts_with("HTTP/1.1 408") && body.contains("invalid_request"), "{body}");
    let idle = told(&server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(idle.starts_with("HTTP/1.1 200"), "the connection is closed once nothing more comes: {idle}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn who_fills_every_place_keeps_others_out_only_until_they_are_sent_away() {
    let server = Server::start(PATIENCE);
    let held: Vec<TcpStream> = (0..4).map(|_| connected(&server)).collect();
    let begun = Instant::now();
    assert_eq!(server.get("/healthz").status, 200);
    assert!(begun.elapsed() > Duration::from_millis(100), "all places were taken");
    drop(held);
}

#[test]
fn who_asks_and_does_not_listen_is_hung_up_on() {
    let server = Server::start(PATIENCE);
    let mut stream = connected(&server);
    stream.set_write_timeout(Some(Duration::from_secs(20))).expect("a deadline");
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
    let mut server = Server::start("serve: { client_timeout_ms: 60000, shutdown_ms: 1500 }\n");
    let mut idle = connected(&server);
    let mut stuck = connected(&server);
    stuck
        .write_all(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        .expect("someone to tell");
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    let pid = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
    let mut said = String::new();
    assert_eq!(idle.read_to_string(&mut said).expect("closed"), 0, "{said}");
    assert!(begun.elapsed() < Duration::from_millis(1_200), "who only waits is sent away at once");
    let code = server.child.wait().expect("an end").code();
    let took = begun.elapsed();
    assert_eq!(code, Some(0));
    assert!(took > Duration::from_millis(1_200) && took < Duration::from_secs(8), "{took:?}");
}
