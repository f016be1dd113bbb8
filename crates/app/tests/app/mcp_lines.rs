//! `vouch mcp` against clients that do not keep to the protocol: it answers what can be answered and lives on.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Place, lines::Lines};

fn place() -> Place {
    let place = Place::new();
    place.write("vouch.yaml", "serve: { body_bytes_max: 65536 }\n");
    place
}

/// Lines that are no message, or none that means anything.
const GARBAGE: [&[u8]; 12] = [
    b"not JSON at all",
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\"text\"",
    b"{\"jsonrpc\": \"2.0\"",
    b"\xff\xfe\x00\x01",
    b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
    b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 9}}",
    b"{\"jsonrpc\": \"2.0\", \"id\": 77, \"result\": {}}",
    b"{\"jsonrpc\": \"2.0\", \"id\": 78, \"error\": {\"code\": 1, \"message\": \"x\"}}",
];

fn spoil(client: &mut Lines) {
    for line in GARBAGE {
        client.write(line);
        client.write(b"\n");
    }
}

/// Asks for a sign of life and waits for it.
fn is_alive(client: &mut Lines, id: &str) -> bool {
    client.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
    (0..1_000).any(|_| client.hear().get("id") == Some(&id.into()))
}

#[test]
fn garbage_before_and_after_the_handshake_is_survived() {
    let place = place();
    let mut client = Lines::start(&place, &["mcp"]);
    spoil(&mut client);
    let opened = client.open();
    assert_eq!(opened["result"]["serverInfo"]["name"], "vouch", "{opened}");
    spoil(&mut client);
    assert!(is_alive(&mut client, "after"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_message_that_is_too_large_is_passed_over() {
    let place = place();
    let mut client = Lines::start(&place, &["mcp"]);
    client.open();
    let large = "x".repeat(8 << 20);
    client.say(&json!({ "jsonrpc": "2.0", "id": "large", "method": "tools/call",
        "params": { "name": "ask", "arguments": { "query": large } } }));
    assert!(is_alive(&mut client, "after"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_unknown_method_is_an_error_of_the_protocol() {
    let place = place();
    let mut client = Lines::start(&place, &["mcp"]);
    client.open();
    client.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/destroy" }));
    assert_eq!(client.hear()["error"]["code"], -32601);
    assert!(is_alive(&mut client, "after"));
}

#[test]
fn a_thousand_pings_at_once_are_all_answered() {
    let place = place();
    let mut client = Lines::start(&place, &["mcp"]);
    client.open();
    let pings: String =
        (0..1_000).map(|id| format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))).collect();
    client.write(pings.as_bytes());
    let answered: BTreeSet<u64> = (0..1_000).map(|_| client.hear()["id"].as_u64().expect("a number")).collect();
    assert_eq!(answered.len(), 1_000);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_flood_of_questions_is_answered_or_turned_away_one_by_one() {
    let place = place();
    place.write("vouch.yaml", "serve: { running_max: 1, waiting_max: 2 }\n");
    let mut client = Lines::start(&place, &["mcp"]);
    client.open();
    for id in 0..600 {
        client.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "search", "arguments": { "query": "how deep is the well?" } } }));
    }
    let heard: Vec<_> = (0..600).map(|_| client.hear()).collect();
    let ids: BTreeSet<u64> = heard.iter().filter_map(|one| one["id"].as_u64()).collect();
    assert_eq!(ids.len(), 600);
    let failed = heard.iter().filter(|one| one["result"]["isError"] == true);
    assert!(failed.clone().all(|one| one.to_string().contains("overloaded")));
    assert!(failed.count() > 0, "three places do not hold six hundred");
}

#[test]
fn input_that_ends_at_once_ends_the_process() {
    let place = place();
    assert_eq!(Lines::start(&place, &["mcp"]).end(), Some(0));
    let narrowed = place.run(&["mcp", "--admin", "--tags", "hr"]);
    assert_eq!(narrowed.code, Some(2), "{}", narrowed.err);
    let nobody = place.run(&["mcp", "--user", "nobody"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (Some(2), ""), "{}", nobody.err);
}
