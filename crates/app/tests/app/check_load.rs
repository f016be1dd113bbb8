//! Claims made to be slow: the server answers others meanwhile, ends what it began, and drops what nobody waits for.

use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::server::Server;

/// As long as the requests that once stopped a server.
const BYTES: usize = 225_000;
/// Far beyond what a healthy server takes, also on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(20);
/// No check may take longer, whatever it holds.
const ENDS_WITHIN: Duration = Duration::from_secs(300);

fn body(claim: &str, evidence: &str) -> String {
    json!({ "claim": claim, "evidence": [evidence] }).to_string()
}

/// Texts that rules of the checks once took hours for.
fn slow_bodies() -> Vec<(&'static str, String)> {
    let stops = ".\"".repeat(BYTES / 2);
    let words: String = (0..BYTES / 11).map(|number| format!("of Zq{number:06} ")).collect();
    let names: String = words.chars().take(7_900).collect();
    let sentences = "The mast is not high. ".repeat(BYTES / 22);
    let figures: String = (0..BYTES / 10).map(|number| format!("{number:06} km ")).collect();
    vec![
        ("stops in the claim", body(&format!("a{stops}"), "The mast is high.")),
        ("stops in the evidence", body("Mira Holt built it in 1931.", &format!("a{stops}"))),
        ("names", body(&names.replace("Zq0", "Zx0"), &words)),
        ("equal sentences", body(&format!("{}The lamp is high.", sentences.get(..7_000).unwrap_or("")), &sentences)),
        ("figures", body("It is 7 km, 8.5 km, 9 kg and 12 % long, \"as it was said here\".", &figures)),
    ]
}

fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

#[test]
fn slow_claims_end_and_stop_nobody_else() {
    let server = Server::start("serve: { timeout_ms: 600000 }\n");
    for (kind, body) in slow_bodies() {
        std::thread::scope(|scope| {
            let slow: Vec<_> = (0..2).map(|_| scope.spawn(|| server.send(&post(&body)))).collect();
            let began = Instant::now();
            while slow.iter().any(|one| !one.is_finished()) {
                let asked = Instant::now();
                assert_eq!(server.get("/healthz").status, 200);
                assert!(asked.elapsed() < PATIENCE, "{kind}: /healthz took {:?}", asked.elapsed());
                assert!(began.elapsed() < ENDS_WITHIN, "{kind}: no end of it");
                std::thread::sleep(Duration::from_millis(20));
            }
            for got in slow.into_iter().map(|one| one.join().expect("a reply")) {
                assert_eq!(got.status, 200, "{kind}: {}", got.body);
                assert_eq!(got.json()["supported"], false, "{kind}: {}", got.body);
            }
        });
    }
}

#[test]
fn a_client_that_leaves_frees_its_place() {
    let server = Server::start("serve: { running_max: 1, waiting_max: 8 }\n");
    for (_, body) in slow_bodies() {
        let mut stream = TcpStream::connect(&server.address).expect("a connection");
        stream.write_all(post(&body).as_bytes()).expect("someone to ask");
        drop(stream);
    }
    let began = Instant::now();
    let claim = body("Staff have 26 days.", "Staff have 26 days. Mira keeps the list.");
    assert_eq!(server.send(&post(&claim)).status, 200, "the only place is free again");
    while server.figure("vouch_questions_running") != Some(0.0) {
        assert!(began.elapsed() < ENDS_WITHIN, "work goes on that nobody waits for");
        std::thread::sleep(Duration::from_millis(20));
    }
}
