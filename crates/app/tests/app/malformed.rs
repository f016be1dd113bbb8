//! Ten thousand requests that make no sense against a server with two tenants: every one has an answer, none breaks
//! anything, and nothing of the other tenant is told.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

use vouch_domain::Role;

use crate::support::{
    Place, callers,
    malformed_requests::{self, Dice, Malformed},
    server::{self, Server},
};

const REQUESTS: usize = 10_000;
const ROUNDS: u64 = 5;
const WARMING_UP: usize = 1_000;
const CLIENTS: usize = 8;
const SEED: u64 = 20_260_214;
/// What only the other tenant's documents hold; no request says it.
const CODE_WORD: &str = "quizzaciously";
/// How much more memory the server may hold after all of them, and after all but the first two rounds, in KiB.
const GROWTH_KIB_MAX: u64 = 192 << 10;
const SETTLED_GROWTH_KIB_MAX: u64 = 64 << 10;
/// Judging is not what is tried here, and slow clients are not to slow the test down.
const SETTINGS: &str = "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\nserve: { client_timeout_ms: 500, body_bytes_max: 300000 }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("a/leave.md", server::LEAVE);
    place.write(
        "b/word.md",
        format!("---\nid: b-secret\n---\n# Code word\n\nThe code word of this tenant is {CODE_WORD}.\n"),
    );
    place.write("vouch.yaml", SETTINGS);
    for tenant in ["a", "b"] {
        let ran = place.run(&["ingest", tenant, "--tenant", tenant]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    place
}

/// What the server says to a request until it closes.
fn told(address: &str, request: &Malformed, half_closes: bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a deadline");
    // A server that has already answered may close before all is said.
    let _ = stream.write_all(&request.bytes);
    if half_closes {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut said = Vec::new();
    let outcome = stream.read_to_end(&mut said);
    let is_over = outcome.as_ref().err().is_none_or(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
    assert!(is_over, "{}: the server neither answered nor closed: {outcome:?}", request.what);
    said
}

/// Every status in what was said, and the whole as text.
fn statuses(said: &[u8]) -> (Vec<u16>, String) {
    let text = String::from_utf8_lossy(said).into_owned();
    let found = text.split("HTTP/1.1 ").skip(1).filter_map(|rest| rest.get(..3)?.parse().ok()).collect();
    (found, text)
}

/// So many requests of several clients at once, numbered from one on; answers how often each status was told.
fn clients(server: &Server, key: &str, first: u64, requests: usize) -> BTreeMap<u16, usize> {
    let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
    std::thread::scope(|scope| {
        let numbers = first..first + CLIENTS as u64;
        let started: Vec<_> = numbers
            .map(|number| scope.spawn(move || client(&server.address, key, number, requests / CLIENTS)))
            .collect();
        for one in started {
            for (status, count) in one.join().expect("a client that found nothing wrong") {
                *seen.entry(status).or_default() += count;
            }
        }
    });
    seen
}

/// One client's share.
fn client(address: &str, key: &str, number: u64, requests: usize) -> BTreeMap<u16, usize> {
    let mut dice = Dice::seeded(SEED + number);
    let mut seen = BTreeMap::new();
    for at in 0..requests {
        let request = malformed_requests::next(&mut dice, key);
        let half_closes = request.is_cut && dice.below(8) > 0;
        let (found, text) = statuses(&told(address, &request, half_closes));
        let shown = || String::from_utf8_lossy(&request.bytes).chars().take(600).collect::<String>();
        assert!(!text.contains(CODE_WORD), "client {number}, request {at}: {}\n{text}", shown());
        for status in &found {
            let is_fine = *status < 500 || (*status == 503 && text.contains("\"overloaded\""));
            assert!(is_fine, "client {number}, request {at}, {}: {}\n{text}", request.what, shown());
            *seen.entry(*status).or_default() += 1;
        }
        if found.is_empty() {
            *seen.entry(0).or_default() += 1;
        }
    }
    seen
}

fn resident_kib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn ten_thousand_malformed_requests_break_nothing_and_tell_nothing() {
    let place = place();
    let a = callers::key(&place, "a", Role::Admin, None);
    let b = callers::key(&place, "b", Role::Reader, None);
    let server = Server::over(place);
    let asked = "{\"query\":\"code word of this tenant\"}";
    let found = server.post("/v1/search", asked, &b);
    assert!(found.body.contains(CODE_WORD), "the other tenant is loaded: {}", found.body);
    // What is made once, such as threads and buffers, is there before anything is measured.
    clients(&server, &a, ROUNDS * CLIENTS as u64, WARMING_UP);
    let before = resident_kib(&server);
    let begun = Instant::now();
    let (mut seen, mut sizes) = (BTreeMap::<u16, usize>::new(), vec![before]);
    for round in 0..ROUNDS {
        for (status, count) in clients(&server, &a, round * CLIENTS as u64, REQUESTS / ROUNDS as usize) {
            *seen.entry(status).or_default() += count;
        }
        sizes.push(resident_kib(&server));
    }
    eprintln!("{REQUESTS} requests in {:?}; statuses {seen:?}; KiB held {sizes:?}", begun.elapsed());
    for status in [200, 400, 401, 404, 405] {
        assert!(seen.contains_key(&status), "no request came to {status}: {seen:?}");
    }
    let after = resident_kib(&server);
    // What the allocator keeps for later has grown to its size after the second round.
    let settled = sizes.get(2).copied().expect("a second round");
    assert!(after < before + GROWTH_KIB_MAX && after < settled + SETTLED_GROWTH_KIB_MAX, "{sizes:?}, then {after} KiB");
    let heard = server.heard();
    assert!(!heard.iter().any(|line| line.contains("panicked")), "{heard:?}");
    let answer = server.post("/v1/search", "{\"query\":\"paid annual leave\"}", &a);
    assert!(answer.status == 200 && answer.body.contains("26 days"), "it still answers: {}", answer.body);
    assert!(!answer.body.contains(CODE_WORD));
}
