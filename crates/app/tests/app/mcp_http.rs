//! `/mcp` of `vouch serve` against clients that do not keep to the protocol, and pages that mean no good.

use serde_json::{Value, json};
use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::Role;

use crate::support::server::{HttpReply, Server};

const PLAIN: &str = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";

/// Posts a body under a host's name.
fn post(server: &Server, host: &str, headers: &str, body: &str) -> HttpReply {
    let length = body.len();
    server.send(&format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    ))
}

fn listing() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string()
}

#[test]
fn without_keys_only_this_machine_is_heard() {
    let server = Server::start("");
    for host in ["localhost", "127.0.0.1:8080", "[::1]"] {
        let got = post(&server, host, PLAIN, &listing());
        assert_eq!(got.status, 200, "{host}: {}", got.body);
        assert_eq!(got.json()["result"]["tools"].as_array().map(Vec::len), Some(10), "whoever sits here is an admin");
    }
    let from_elsewhere = format!("{PLAIN}Origin: https://rebound.example\r\n");
    for (host, headers) in [("rebound.example", PLAIN), ("localhost", from_elsewhere.as_str())] {
        let got = post(&server, host, headers, &listing());
        assert_eq!((got.status, &got.json()["code"]), (403, &"forbidden".into()), "{host}");
    }
}

#[test]
fn with_keys_a_bearer_is_heard_under_any_name_and_nobody_else() {
    let server = Server::start("");
    let keys = EmbeddedKeys::open(&server.place.path(".vouch"), None).expect("keys");
    let made = |role| {
        let (name, tenant) = ("k".to_owned(), "default".to_owned());
        let new =
            NewKey { name, tenant, role, person: None, tags: None, per_minute: None, made_ms: 0, expires_ms: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(keys.make(new)).expect("a key").1
    };
    let as_bearer =
        |key: &str| post(&server, "vouch.example", &format!("{PLAIN}Authorization: Bearer {key}\r\n"), &listing());
    let (reader, monitor) = (made(Role::Reader), made(Role::Monitor));
    let got = as_bearer(&reader);
    assert_eq!((got.status, got.json()["result"]["tools"].as_array().map(Vec::len)), (200, Some(5)), "{}", got.body);
    assert_eq!(as_bearer(&monitor).status, 403);
    for headers in [PLAIN.to_owned(), format!("{PLAIN}Authorization: Bearer nobody\r\n")] {
        let got = post(&server, "localhost", &headers, &listing());
        assert_eq!((got.status, &got.json()["code"]), (401, &"unauthorized".into()));
        assert!(got.head.contains("www-authenticate: bearer"), "{}", got.head);
    }
}

#[test]
fn what_is_no_message_is_turned_away_and_the_next_one_is_heard() {
    let server = Server::start("serve: { body_bytes_max: 4096 }\n");
    let large =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "pad": "x".repeat(10_000) } }).to_string();
    for (body, statuses) in [
        ("not JSON", 400..=499),
        ("", 400..=499),
        ("[]", 400..=499),
        ("{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}", 200..=499),
        (large.as_str(), 413..=413),
    ] {
        let got = post(&server, "localhost", PLAIN, body);
        assert!(statuses.contains(&got.status), "{body}: {} {}", got.status, got.body);
    }
    assert_eq!(server.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status, 405);
    assert!((400..500).contains(&post(&server, "localhost", "Content-Type: text/plain\r\n", &listing()).status));
    let unknown = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/destroy" }).to_string();
    assert_eq!(post(&server, "localhost", PLAIN, &unknown).json()["error"]["code"], -32601);
    let got = post(&server, "localhost", PLAIN, &listing());
    assert_eq!(got.status, 200);
    assert!(!got.head.contains("mcp-session-id"), "nothing is kept between requests: {}", got.head);
}

#[test]
fn a_request_keeps_the_name_its_client_gave_it() {
    let server = Server::start("");
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "ask", "arguments": { "query": "How many days of paid annual leave do staff have?" } } });
    let got = post(&server, "localhost", &format!("{PLAIN}x-request-id: mine-7\r\n"), &ask.to_string());
    let reply: Value = got.json()["result"]["structuredContent"].clone();
    assert_eq!((&reply["outcome"], &reply["request_id"]), (&"answered".into(), &"mine-7".into()), "{}", got.body);
    assert!(got.head.contains("x-request-id: mine-7"), "{}", got.head);
}
