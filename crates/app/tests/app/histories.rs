//! What was said before a question, kept as it was given: every role, and when it was said.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::io::Write;

use serde_json::{Value, json};

use crate::support::{Place, server::Server};

const ASKED: &str = "How many days of paid annual leave do staff have?";

fn history() -> Value {
    json!([
        { "role": "system", "content": "The asker works in the workshop.", "timestamp": "2026-01-28T10:30:00Z" },
        { "role": "user", "content": "Is leave paid?", "timestamp": "2026-01-28T10:30:45.120+01:00" },
        { "role": "assistant", "content": "Leave is paid." },
    ])
}

/// Role, content and timestamp of every turn that the trail keeps under an id.
fn kept(place: &Place, id: &Value) -> Value {
    let ran = place.run(&["audit", "show", id.as_str().expect("an id"), "--json"]);
    let entry: Value = serde_json::from_str(&ran.out).expect("JSON");
    let turns = entry.pointer("/asked/chat_history").and_then(Value::as_array).expect("a history").clone();
    turns.iter().map(|turn| json!([turn["role"], turn["content"], turn["timestamp"]])).collect()
}

#[test]
fn system_turns_and_timestamps_of_a_history_are_kept() {
    let server = Server::start("");
    let expected = json!([
        ["system", "The asker works in the workshop.", "2026-01-28T10:30:00Z"],
        ["user", "Is leave paid?", "2026-01-28T10:30:45.120+01:00"],
        ["assistant", "Leave is paid.", null],
    ]);
    let reply = server.post("/v1/ask", &json!({ "query": ASKED, "chat_history": history() }).to_string(), "").json();
    assert_eq!(reply["outcome"], "answered", "{reply}");
    assert_eq!(kept(&server.place, &reply["request_id"]), expected);
    let mut messages = history();
    messages.as_array_mut().expect("a list").push(json!({ "role": "user", "content": ASKED }));
    let reply = server.post("/v1/chat/completions", &json!({ "messages": messages }).to_string(), "").json();
    assert_eq!(kept(&server.place, &reply["vouch"]["request_id"]), expected);
    // Clients of that protocol also write seconds, and what is no moment there is none of it.
    let messages = json!([
        { "role": "developer", "content": "Be brief.", "timestamp": 1_761_993_045 },
        { "role": "user", "content": "Hello", "timestamp": "yesterday" },
        { "role": "user", "content": ASKED },
    ]);
    let reply = server.post("/v1/chat/completions", &json!({ "messages": messages }).to_string(), "").json();
    let expected_here = json!([["system", "Be brief.", "2025-11-01T10:30:45.000Z"], ["user", "Hello", null]]);
    assert_eq!(kept(&server.place, &reply["vouch"]["request_id"]), expected_here);
    let place = server.stop();
    place.write("history.json", history().to_string());
    let ran = place.run(&["ask", ASKED, "--history", "history.json", "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(kept(&place, &reply["request_id"]), expected);
}

#[test]
fn a_timestamp_that_is_none_is_said_to_be_wrong() {
    let server = Server::start("");
    let history = json!([{ "role": "user", "content": "Hello", "timestamp": "yesterday" }]);
    let got = server.post("/v1/ask", &json!({ "query": ASKED, "chat_history": history }).to_string(), "");
    assert_eq!(got.status, 400, "{}", got.body);
    assert!(got.body.contains("ISO 8601"), "{}", got.body);
}

#[test]
fn a_chat_keeps_when_each_turn_was_said() {
    let place = Server::start("").stop();
    let mut chat = place.vouch(&["chat", "--json"]);
    let mut chat = chat.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().expect("chat");
    chat.stdin.take().expect("piped").write_all(format!("{ASKED}\nAnd sick leave?\n").as_bytes()).expect("asked");
    let said = String::from_utf8(chat.wait_with_output().expect("it ends").stdout).expect("text");
    let second: Value = serde_json::from_str(said.lines().nth(1).expect("a second reply")).expect("JSON");
    let kept = kept(&place, &second["request_id"]);
    for turn in kept.as_array().filter(|turns| turns.len() == 2).expect("two turns") {
        assert!(turn[2].as_str().is_some_and(|moment| moment.ends_with('Z')), "{kept}");
    }
}
