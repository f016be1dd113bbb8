//! The door of a server: who comes in without a key, what is looked at before a body is read, and what replies say of this
//! machine.

#[path = "support/callers.rs"]
mod callers;
#[path = "support/server.rs"]
mod server;
mod support;

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::json;
use server::{LEAVE, Server};
use support::Place;
use vouch_domain::Role;

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
    let private = |got: &server::Got| {
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
    let server = Server::start(UNJUDGED);
    let folder = server.place.path("").display().to_string();
    let body = json!({ "query": ASKED, "explain": true }).to_string();
    let reply = server.post("/v1/ask", &body, "x-request-id: mine\r\n");
    assert_eq!(reply.json()["sources"][0]["file"], "leave.md", "{}", reply.body);
    let question = json!({ "messages": [{ "role": "user", "content": ASKED }] }).to_string();
    let told = [
        reply.body,
        server.post("/v1/ask/stream", &body, "").body,
        server.post("/v1/chat/completions", &question, "").body,
        server.post("/v1/search", &json!({ "query": "leave" }).to_string(), "").body,
        server.get("/v1/documents").body,
        server.get("/v1/documents/docs/leave.md").body,
        server.get("/v1/audit/mine").body,
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
    for url in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " javascript:alert(1)"] {
        let body = json!({ "id": "a", "text": "Words.", "url": url }).to_string();
        let got = server.post("/v1/documents", &body, "");
        assert!(got.status == 400 && got.body.contains("its url is no link of the web"), "{url}: {}", got.body);
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
