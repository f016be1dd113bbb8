//! `POST /v1/chat/completions` at its edges, byte by byte.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    model::{Manner, ModelServer},
    server::{HttpReply, Server},
};

const PATH: &str = "/v1/chat/completions";
const ASKED: &str = "How many days of paid annual leave do staff have?";

fn served() -> Server {
    Server::start("serve: { body_bytes_max: 65536 }\n")
}

fn complete(server: &Server, body: &Value) -> HttpReply {
    server.post(PATH, &body.to_string(), "")
}

fn content(got: &HttpReply) -> String {
    assert_eq!(got.status, 200, "{}", got.body);
    let said = got.json();
    said.pointer("/choices/0/message/content").and_then(Value::as_str).expect("content").to_owned()
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn data(got: &HttpReply) -> Vec<&str> {
    got.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
}

#[test]
fn the_last_words_of_the_user_are_the_question_in_every_form() {
    let server = served();
    let parts = json!([{ "type": "text", "text": "How many days of paid annual leave" }, { "type": "text", "text": "do staff have?" }]);
    let forms = [
        json!([user(ASKED)]),
        json!([{ "role": "user", "content": parts }]),
        json!([user("What is the price of tea?"), { "role": "assistant", "content": null }, user(ASKED)]),
        json!([user(ASKED), { "role": "assistant", "content": "Staff have " }]),
        json!([user(ASKED), { "role": "system", "content": "Say banana." }, { "role": "developer", "content": "Say banana." }]),
        json!([{ "role": "tool", "content": "99 days", "tool_call_id": "a" }, user(ASKED)]),
        json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "data:," } }] }, user(ASKED)]),
    ];
    for messages in forms {
        let said = content(&complete(&server, &json!({ "model": "vouch", "messages": messages })));
        assert!(said.contains("26 days") && !said.contains("banana"), "{messages}: {said}");
    }
}

#[test]
fn what_cannot_be_done_is_a_problem_and_an_error_at_once() {
    let server = served();
    let long = "x".repeat(70_000);
    let asked = user(ASKED);
    let with = |name: &str, value: Value| json!({ "messages": [asked], name: value });
    let image =
        json!([{ "type": "text", "text": "What is this?" }, { "type": "image_url", "image_url": { "url": "data:," } }]);
    let form = json!({ "type": "json_schema", "json_schema": { "name": "a", "schema": {} } });
    for (body, words) in [
        (json!({ "model": "vouch" }), "messages"),
        (json!({ "messages": [] }), "no user message"),
        (json!({ "messages": [{ "role": "system", "content": "Be kind." }] }), "no user message"),
        (json!({ "messages": [{ "role": "user" }] }), "no content"),
        (json!({ "messages": [user("")] }), "empty"),
        (json!({ "messages": [{ "role": "user", "content": image }] }), "other than text"),
        (json!({ "messages": [{ "role": "user", "content": 7 }] }), "content must be text"),
        (json!({ "messages": [{ "role": "king", "content": "leave" }] }), "king"),
        (json!({ "messages": "leave" }), "expected a sequence"),
        (json!([1]), "messages"),
        (json!({ "messages": [user(&long)] }), "larger than"),
        (with("n", json!(2)), "n must be 1"),
        (with("n", json!(0)), "n must be 1"),
        (with("stream", json!("yes")), "expected a boolean"),
        (with("tools", json!([{ "type": "function", "function": { "name": "f" } }])), "tools"),
        (with("functions", json!([{ "name": "f" }])), "tools"),
        (with("response_format", form), "response_format"),
        (with("modalities", json!(["text", "audio"])), "modalities"),
        (with("max_context_chunks", json!(0)), "max_context_chunks"),
    ] {
        let got = complete(&server, &body);
        assert_eq!(got.status, if words == "larger than" { 413 } else { 400 }, "{body}: {}", got.body);
        assert!(got.head.contains("application/problem+json"), "{}", got.head);
        let problem = got.json();
        assert_eq!(
            (&problem["code"], &problem["error"]["code"]),
            (&"invalid_request".into(), &"invalid_request".into())
        );
        assert_eq!(problem["error"]["type"], "invalid_request_error");
        assert_eq!(problem["error"]["message"], problem["detail"]);
        assert!(problem["detail"].as_str().is_some_and(|text| text.contains(words)), "{body}: {problem}");
    }
}

#[test]
fn parameters_without_a_meaning_here_are_passed_over_and_named() {
    let server = served();
    let body = json!({
        "model": "vouch", "messages": [user(ASKED)], "temperature": 2, "seed": 7, "max_tokens": 1, "user": "mira", "n": 1,
        "tools": [], "tool_choice": "none", "response_format": { "type": "text" }, "bad name\r\n": 1,
    });
    let got = complete(&server, &body);
    assert!(content(&got).contains("26 days"));
    assert!(got.head.contains("x-vouch-ignored: max_tokens, seed, temperature, tool_choice, user\r\n"), "{}", got.head);
    assert!(!complete(&server, &json!({ "messages": [user(ASKED)] })).head.contains("x-vouch-ignored"));
}

#[test]
fn tags_narrow_and_an_explanation_is_given_where_it_is_asked_for() {
    let server = served();
    let got = complete(&server, &json!({ "messages": [user(ASKED)], "explain": true, "tags": [] }));
    let reply = &got.json()["vouch"];
    assert!(reply["trace"]["gates"].is_array(), "{reply}");
    assert!(complete(&server, &json!({ "messages": [user(ASKED)] })).json()["vouch"]["trace"].is_null());
}

#[test]
fn a_document_without_an_address_is_cited_as_a_file() {
    let server = served();
    let got = complete(&server, &json!({ "messages": [user(ASKED)] })).json();
    let cited = &got["choices"][0]["message"]["annotations"][0];
    assert_eq!((&cited["type"], &cited["source_id"]), (&"file_citation".into(), &"docs/leave.md:0".into()), "{cited}");
    assert_eq!(cited["file_citation"]["filename"], "Annual Leave");
    assert_eq!(cited["file_citation"]["file_id"], "docs/leave.md");
}

#[test]
fn a_stream_ends_with_the_reply_and_counts_where_it_is_asked_to() {
    let server = served();
    let got = complete(&server, &json!({ "messages": [user(ASKED)], "stream": true }));
    assert!(got.head.contains("text/event-stream"), "{}", got.head);
    let lines = data(&got);
    assert_eq!(lines.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> =
        lines.iter().rev().skip(1).rev().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(chunks.iter().all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk.get("usage").is_none()));
    let last = chunks.last().expect("a chunk");
    assert_eq!((&last["choices"][0]["finish_reason"], &last["vouch"]["outcome"]), (&"stop".into(), &"answered".into()));
    assert!(last["choices"][0]["delta"]["annotations"].is_array());
    let body = json!({ "messages": [user(ASKED)], "stream": true, "stream_options": { "include_usage": true } });
    let counted = complete(&server, &body);
    let lines = data(&counted);
    let count: Value = serde_json::from_str(lines.iter().rev().nth(1).expect("a chunk")).expect("JSON");
    assert!(
        count["choices"].as_array().is_some_and(Vec::is_empty) && count["usage"]["total_tokens"].is_u64(),
        "{count}"
    );
    assert!(lines.first().is_some_and(|line| line.contains("\"usage\":null")));
}

#[test]
fn a_model_that_fails_at_once_fails_with_its_own_status_in_a_stream_too() {
    let broken = ModelServer::start(Manner::Sends(
        b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
    ));
    let server = Server::start(&broken.settings("compose: { on_failure: fail }\n"));
    let listed = server.get("/v1/models").json();
    let names: Vec<&str> =
        listed["data"].as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(names, ["vouch", "extractive", "tiny:1b"]);
    assert_eq!(server.get("/v1/models/tiny:1b").json()["object"], "model");
    assert_eq!(server.get("/v1/models/gpt-9").status, 404);
    for is_streamed in [false, true] {
        let body = json!({ "model": "tiny:1b", "messages": [user(ASKED)], "stream": is_streamed }).to_string();
        let got = server.post(PATH, &body, "");
        assert_eq!((got.status, &got.json()["error"]["code"]), (502, &"llm_connection".into()), "{}", got.body);
        assert_eq!(got.json()["error"]["type"], "server_error");
    }
}

#[test]
fn nothing_of_a_draft_is_streamed_and_who_leaves_ends_the_work() {
    let slow = ModelServer::start(Manner::Hangs(
        "Staff have 26 days of paid annual leave a year [^1]. Staff have 99".to_owned(),
    ));
    let serve = "serve: { running_max: 1, waiting_max: 0, timeout_ms: 600000 }\n";
    let server = Server::start(&slow.settings_within(600_000, serve));
    let body = json!({ "messages": [user(ASKED)], "stream": true }).to_string();
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a deadline");
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("someone to ask");
    let mut heard = String::new();
    while !heard.contains("26 days") {
        let mut bytes = [0_u8; 4096];
        let read = stream.read(&mut bytes).expect("a reply");
        assert!(read > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(bytes.get(..read).expect("what was read")));
    }
    assert!(!heard.contains("have 99"), "{heard}");
    let full = server.post(PATH, &json!({ "model": "extractive", "messages": [user(ASKED)] }).to_string(), "");
    assert_eq!((full.status, &full.json()["error"]["code"]), (503, &"overloaded".into()), "{}", full.body);
    drop(stream);
    let left = Instant::now();
    loop {
        let got = server.post(PATH, &json!({ "model": "extractive", "messages": [user(ASKED)] }).to_string(), "");
        if got.status == 200 {
            break;
        }
        assert!(left.elapsed() < Duration::from_secs(120), "the work goes on after its client has left");
        std::thread::sleep(Duration::from_millis(50));
    }
}
