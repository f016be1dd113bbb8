//! The door of a server: who comes in without a key, what is looked at before a body is read, and what replies say of this
//! machine.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place, callers,
    server::{self, LEAVE, Server},
};

/// Judging takes long and is not what is tried here.
const UNJUDGED: &str = "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\n";
const ASKED: &str = "How many days of paid annual leave do staff have?";

#[test]
fn without_keys_nothing_that_a_proxy_passed_on_comes_in() {
    let server = Server::start(UNJUDGED);
    let body = json!({ "query": ASKED }).to_string();
    for header in [
        "Forwarded: for=10.0.0.1",
        "X-Forwarded-For: 10.0.0.1",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: vouch.example",
        "Via: 1.1 caddy",
        "X-Real-IP: 10.0.0.1",
    ] {
        let headers = format!("{header}\r\n");
        for path in ["/v1/ask", "/v1/ask/stream", "/v1/search", "/v1/check", "/v1/documents", "/mcp"] {
            let got = server.post(path, &body, &headers);
            assert_eq!((got.status, &got.json()["code"]), (403, &"forbidden".into()), "{path} {header}: {}", got.body);
            assert!(got.body.contains("vouch key add"), "{}", got.body);
        }
        for path in ["/v1/documents", "/v1/memory", "/v1/audit", "/metrics"] {
            assert_eq!(server.get_with(path, &headers).status, 403, "{path} {header}");
        }
    }
    let key = callers::key(&server.place, "default", Role::Reader, None);
    let got = server.post("/v1/ask", &body, &format!("{key}X-Forwarded-For: 10.0.0.1\r\n"));
    assert_eq!(got.status, 200, "with a key a proxy is welcome: {}", got.body);
}

#[test]
fn a_request_names_its_host_once() {
    let server = Server::start(UNJUDGED);
    for (hosts, status) in [
        ("Host: localhost\r\n", 200),
        ("", 400),
        ("Host: localhost\r\nHost: localhost\r\n", 400),
        ("Host: localhost\r\nHost: evil.example\r\n", 400),
        ("Host: evil.example\r\n", 403),
    ] {
        let got = server.send(&format!("GET /v1/documents HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n"));
        assert_eq!(got.status, status, "{hosts:?}: {}", got.body);
    }
    let other = "GET http://evil.example/v1/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(server.send(other).status, 400);
}

#[test]
fn where_a_body_is_taken_it_says_what_it_is() {
    let server = Server::start(UNJUDGED);
    let body = json!({ "query": ASKED }).to_string();
    for (media, status) in [
        ("", 415),
        ("Content-Type: text/plain\r\n", 415),
        ("Content-Type: application/x-www-form-urlencoded\r\n", 415),
        ("Content-Type: application/json\r\n", 200),
        ("Content-Type: application/json; charset=utf-8\r\n", 200),
    ] {
        let got = server.send(&format!(
            "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{media}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert_eq!(got.status, status, "{media:?}: {}", got.body);
    }
}

#[test]
fn replies_are_kept_by_nobody_and_taken_for_nothing_else() {
    let server = Server::start(UNJUDGED);
    let body = json!({ "query": ASKED }).to_string();
    let private = |got: &server::HttpReply| {
        assert!(got.head.contains("cache-control: no-store"), "{}", got.head);
        assert!(got.head.contains("x-content-type-options: nosniff"), "{}", got.head);
    };
    for path in ["/v1/ask", "/v1/search", "/v1/nothing", "/v1/check"] {
        private(&server.post(path, &body, ""));
    }
    for path in ["/v1/documents", "/v1/audit", "/healthz", "/metrics", "/openapi.json", "/v1/documents/none"] {
        private(&server.get(path));
    }
    let page = server.get("/");
    assert!(page.head.contains("cache-control: no-cache") && page.head.contains("nosniff"), "{}", page.head);
}

#[test]
fn who_has_no_key_is_told_before_a_body_is_sent() {
    let server = Server::start(UNJUDGED);
    callers::key(&server.place, "default", Role::Reader, None);
    for path in [
        "/v1/ask",
        "/v1/ask/stream",
        "/v1/search",
        "/v1/check",
        "/v1/documents",
        "/v1/memory",
        "/v1/feedback",
        "/v1/chat/completions",
        "/mcp",
    ] {
        let mut stream = TcpStream::connect(&server.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a deadline");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("someone to tell");
        // Not a byte of the body follows.
        let mut said = [0; 12];
        stream.read_exact(&mut said).expect("an answer to the head alone");
        assert_eq!(String::from_utf8_lossy(&said), "HTTP/1.1 401", "{path}");
    }
    let large = format!("{{\"query\":\"{}\"}}", "x".repeat(900_000));
    assert_eq!(server.post("/v1/ask", &large, "").status, 401, "who sends it all hears it too");
}

#[test]
fn replies_name_no_folder_of_this_machine() {
    let place = Place::new();
    place.write("vouch.yaml", UNJUDGED);
    place.write("docs/leave.md", LEAVE);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    // Whoever asks at this machine is told where a file lies, and so is the trail.
    let asked: Value = serde_json::from_str(&place.run(&["ask", ASKED, "--json"]).out).expect("JSON");
    let here = asked["request_id"].as_str().expect("a request id").to_owned();
    let server = Server::over(place);
    let folder = server.place.path("").display().to_string();
    let body = json!({ "query": ASKED, "explain": true }).to_string();
    let reply = server.post("/v1/ask", &body, "x-request-id: mine\r\n");
    assert_eq!(reply.json()["sources"][0]["file"], "leave.md", "{}", reply.body);
    assert!(asked["sources"][0]["file"].as_str().is_some_and(|file| file.starts_with(&folder)), "{asked}");
    let entry = server.get(&format!("/v1/audit/{here}"));
    assert_eq!(entry.json()["response"]["sources"][0]["file"], "leave.md", "{}", entry.body);
    let question = json!({ "messages": [{ "role": "user", "content": ASKED }] }).to_string();
    let told = [
        reply.body,
        server.post("/v1/ask/stream", &body, "").body,
        server.post("/v1/chat/completions", &question, "").body,
        server.post("/v1/search", &json!({ "query": "leave" }).to_string(), "").body,
        server.get("/v1/documents").body,
        server.get("/v1/documents/docs/leave.md").body,
        server.get("/v1/audit/mine").body,
        entry.body,
        server.get("/metrics.json").body,
    ];
    for text in told {
        assert!(text.len() > 40 && !text.contains(&folder), "{text}");
    }
}

#[test]
fn links_that_run_something_are_neither_taken_nor_shown() {
    let place = Place::new();
    place.write("vouch.yaml", UNJUDGED);
    place.write("docs/leave.md", format!("---\nurl: \"javascript:alert(1)\"\n---\n{LEAVE}"));
    place
        .write("docs/pay.md", "---\nurl: https://wiki.example/pay\n---\n# Pay\n\nPay day is the 25th of each month.\n");
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let server = Server::over(place);
    for (path, body) in [
        ("/v1/ask", json!({ "query": ASKED })),
        ("/v1/search", json!({ "query": "annual leave" })),
        ("/v1/chat/completions", json!({ "messages": [{ "role": "user", "content": ASKED }] })),
    ] {
        let got = server.post(path, &body.to_string(), "");
        assert!(got.status == 200 && !got.body.contains("javascript:"), "{path}: {}", got.body);
    }
    assert!(server.get("/v1/documents/docs/leave.md").json()["url"].is_null());
    assert_eq!(server.get("/v1/documents/docs/pay.md").json()["url"], "https://wiki.example/pay");
    for url in [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        " javascript:alert(1)",
        "//evil.example/x",
        "http:x",
    ] {
        let body = json!({ "id": "a", "text": "Words.", "url": url }).to_string();
        let got = server.post("/v1/documents", &body, "");
        assert!(got.status == 400 && got.body.contains("its url is not a web link"), "{url}: {}", got.body);
    }
}

#[test]
fn what_is_hidden_is_answered_as_what_is_not_there() {
    let place = Place::new();
    place.write("vouch.yaml", UNJUDGED);
    place.write("board/plan.md", "# Plan\n\nThe board meets on Monday.\n");
    let ran = place.run(&["ingest", "board", "--tags", "board"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let admin = callers::key(&place, "default", Role::Admin, Some(&["hr"]));
    let board = callers::key(&place, "default", Role::Admin, None);
    let server = Server::over(place);
    let entry = json!({ "id": "secret", "phrases": ["board plan"], "note": "A note.", "references": ["board/plan.md"], "tags": ["board"] });
    assert_eq!(server.post("/v1/memory", &entry.to_string(), &board).status, 200);
    let ask = json!({ "query": "When does the board meet?" }).to_string();
    assert_eq!(server.post("/v1/ask", &ask, &format!("{board}x-request-id: theirs\r\n")).status, 200);
    let said = |method: &str, path: &str| {
        let got = server.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{admin}x-request-id: same\r\n\r\n"
        ));
        (got.status, got.body)
    };
    for (method, hidden, missing) in [
        ("GET", "/v1/documents/board/plan.md", "/v1/documents/board/none.md"),
        ("DELETE", "/v1/documents/board/plan.md", "/v1/documents/board/none.md"),
        ("DELETE", "/v1/memory/secret", "/v1/memory/absent"),
        ("GET", "/v1/audit/theirs", "/v1/audit/nobody"),
    ] {
        let ((status, body), (other, none)) = (said(method, hidden), said(method, missing));
        assert_eq!((status, other), (404, 404), "{method} {hidden}: {body}");
        assert_eq!(body.replace("theirs", "nobody"), none, "{method} {hidden}");
    }
    let feedback = |id: &str| {
        let body = json!({ "request_id": id, "helpful": true }).to_string();
        let got = server.post("/v1/feedback", &body, &format!("{admin}x-request-id: same\r\n"));
        (got.status, got.body.replace(id, "ID"))
    };
    assert_eq!(feedback("theirs"), feedback("nobody"));
}

/// A request of which a part of the body is sent, and no more.
fn stalled(server: &Server, path: &str, headers: &str, announced: usize, sent: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {announced}\r\n\r\n{sent}"
    );
    stream.write_all(head.as_bytes()).expect("someone to tell");
    stream.set_read_timeout(Some(Duration::from_millis(20))).expect("a deadline");
    stream
}

fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn uploads_that_stall_keep_nobody_out() {
    let server = Server::start(UNJUDGED);
    let paths = ["/v1/ask", "/v1/check", "/mcp"].into_iter().cycle().take(120);
    let uploads: Vec<_> = paths.map(|path| stalled(&server, path, "", 1_000_000, "{\"query\"")).collect();
    soon("all of them are under way", || server.figure("vouch_requests_in_flight").is_some_and(|count| count > 120.0));
    for path in ["/v1/ask", "/v1/search"] {
        let got = server.post(path, &json!({ "query": ASKED }).to_string(), "");
        assert_eq!(got.status, 200, "{path}: {}", got.body);
    }
    drop(uploads);
}

#[test]
fn what_one_reader_has_sent_leaves_room_for_others() {
    let place = Place::new();
    place.write(
        "vouch.yaml",
        format!("{UNJUDGED}serve: {{ running_max: 1, waiting_max: 7, body_bytes_max: 100000 }}\n"),
    );
    place.write("docs/leave.md", LEAVE);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let (greedy, other) =
        (callers::key(&place, "default", Role::Admin, None), callers::key(&place, "default", Role::Reader, None));
    let server = Server::over(place);
    let (most, ask) = ("x".repeat(99_000), json!({ "query": ASKED }).to_string());
    for path in ["/v1/ask", "/v1/documents", "/v1/chat/completions", "/mcp"] {
        let uploads: Vec<_> = (0..8).map(|_| stalled(&server, path, &greedy, 100_000, &most)).collect();
        // There is room for eight of these, and a fourth of it is one caller's. Those that come at once may all be in each
        // other's way, so that even fewer than two are left.
        soon("all but two at most are turned away", || {
            uploads.iter().filter(|stream| stream.peek(&mut [0; 1]).is_ok()).count() >= 6
        });
        let mut told = String::new();
        for mut stream in &uploads {
            let mut bytes = [0; 2_000];
            let count = stream.read(&mut bytes).unwrap_or_default();
            told.push_str(&String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()));
        }
        assert!(told.matches("HTTP/1.1 503").count() >= 6, "{path}: {told}");
        assert!(told.contains("\"overloaded\""), "{path}: {told}");
        assert_eq!(server.post("/v1/ask", &ask, &other).status, 200, "{path}: others are answered");
        drop(uploads);
        soon("room is given back", || {
            server.post("/v1/ask", &format!("{ask}{}", " ".repeat(60_000)), &greedy).status == 200
        });
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_body_in_small_pieces_takes_no_more_memory_than_it_is_large() {
    // It is about memory: a busy machine takes its time over a million pieces.
    let server = Server::start(&format!("{UNJUDGED}serve: {{ client_timeout_ms: 300000 }}\n"));
    let peak_kb = || -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a size");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    };
    assert_eq!(server.post("/v1/check", &"x".repeat(1_000_000), "").status, 400);
    let before = peak_kb();
    let head = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let got =
        server.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", "1\r\nx\r\n".repeat(1_000_000)));
    assert_eq!(got.status, 400, "{}", got.body);
    let grown = peak_kb() - before;
    assert!(grown < 16_000, "{grown} kB more for a body of 1000 kB");
}

#[test]
fn whoever_calls_is_told_who_they_are_taken_for() {
    let server = Server::start(UNJUDGED);
    let me = server.get("/v1/me").json();
    assert_eq!((&me["id"], &me["role"], me["tags"].is_null()), (&"local".into(), &"admin".into(), true), "{me}");
    let key = callers::key(&server.place, "tarn", Role::Reader, Some(&["staff"]));
    let me = server.get_with("/v1/me", &key).json();
    assert_eq!(
        (&me["tenant"], &me["role"], &me["tags"]),
        (&"tarn".into(), &"reader".into(), &json!(["staff"])),
        "{me}"
    );
    assert_eq!(server.get("/v1/me").status, 401, "there is a key now");
}
