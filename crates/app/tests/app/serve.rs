//! `vouch serve`: the API over HTTP, through the binary.

use serde_json::{Value, json};

use crate::support::{
    Place,
    server::{LEAVE, Server},
};

const ASKED: &str = "How many days of paid annual leave do staff have?";

#[test]
fn questions_are_answered_over_http_under_their_names() {
    let server = Server::start("");
    let got = server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), "x-request-id: mine-1\r\n");
    assert_eq!(got.status, 200, "{}", got.body);
    let reply = got.json();
    assert_eq!((&reply["outcome"], &reply["request_id"]), (&"answered".into(), &"mine-1".into()));
    assert!(got.head.contains("x-request-id: mine-1"), "{}", got.head);
    assert!(reply["trace"].is_null());
    let body = json!({ "query": "What is the price of tea?", "explain": true, "chat_history": [] }).to_string();
    let refused = server.post("/v1/ask", &body, "x-request-id: bad id!\r\n").json();
    assert_eq!(refused["refused"], true);
    assert!(refused["trace"]["gates"].is_array());
    assert!(refused["request_id"].as_str().is_some_and(|id| id.starts_with("req-")));
    assert_eq!((server.get("/healthz").status, server.get("/readyz").status), (200, 200));
}

#[test]
fn an_answer_is_streamed_as_events_that_join_to_it() {
    let server = Server::start("");
    let got = server.post("/v1/ask/stream", &json!({ "query": ASKED }).to_string(), "");
    assert_eq!(got.status, 200);
    assert!(got.head.contains("text/event-stream"), "{}", got.head);
    let names: Vec<&str> = got.body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names, ["start", "citation", "sentence", "sentence", "done"], "{}", got.body);
    let data: Vec<Value> = got
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let told: String = data.iter().filter_map(|event| event["text"].as_str()).collect();
    assert_eq!(data.last().expect("an event")["reply"]["answer"], told.as_str());
}

#[test]
fn passages_and_claims_are_served_too() {
    let server = Server::start("");
    let found = server.post("/v1/search", &json!({ "query": "annual leave", "k": 3 }).to_string(), "").json();
    assert_eq!(found["hits"][0]["source_id"], "docs/leave.md:0", "{found}");
    let nameless = server.post("/v1/search", &json!({ "query": "annual leave", "lane": "address" }).to_string(), "");
    assert_eq!(
        (nameless.status, &nameless.json()["hits"]),
        (200, &json!([])),
        "no address is named: {}",
        nameless.body
    );
    assert_eq!(server.post("/v1/ask/stream", "{\"query\": \" \"}", "").status, 400);
    let claim = |text: &str| {
        let body = json!({ "id": 7, "claim": text, "evidence": [LEAVE] }).to_string();
        server.post("/v1/check", &body, "").json()
    };
    let right = claim("Staff have 26 days of paid annual leave a year.");
    assert_eq!((&right["id"], &right["supported"]), (&7.into(), &true.into()));
    let wrong = claim("Staff have 27 days of paid annual leave a year.");
    assert_eq!(wrong["supported"], false);
    assert!(wrong["reasons"].to_string().contains("27"), "{wrong}");
    assert_eq!(server.post("/v1/search", "{\"query\": \"x\", \"k\": 0}", "").status, 400);
    assert_eq!(server.post("/v1/check", "{\"claim\": \"\", \"evidence\": []}", "").status, 400);
}

#[test]
fn what_makes_no_sense_is_a_problem_with_a_code() {
    let server = Server::start("serve: { body_bytes_max: 2048 }\n");
    let long = json!({ "query": "x".repeat(5_000) }).to_string();
    for (path, body, status, code) in [
        ("/v1/ask", "{", 400, "invalid_request"),
        ("/v1/ask", "{\"query\": 7}", 400, "invalid_request"),
        ("/v1/ask", "{\"query\": \"\"}", 400, "invalid_request"),
        ("/v1/ask", "{\"query\": \"leave\", \"tenant\": \"hr\"}", 400, "invalid_request"),
        ("/v1/ask", "{\"query\": \"leave\", \"max_context_chunks\": 0}", 400, "invalid_request"),
        ("/v1/ask", long.as_str(), 413, "invalid_request"),
        ("/v1/ask", "{\"query\": \"leave days?\", \"model\": \"gpt-9\"}", 400, "model_not_allowed"),
        ("/v1/nothing", "{}", 404, "not_found"),
        ("/healthz", "{}", 405, "invalid_request"),
    ] {
        let got = server.post(path, body, "");
        assert_eq!(got.status, status, "{path} {body}: {}", got.body);
        assert!(got.head.contains("application/problem+json"), "{path} {body}: {}", got.head);
        let problem = got.json();
        assert_eq!(problem["code"], code, "{path} {body}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
        assert!(problem["request_id"].as_str().is_some_and(|id| !id.is_empty()));
    }
}

#[test]
fn without_keys_a_page_of_another_machine_may_not_ask() {
    let server = Server::start("");
    let body = json!({ "query": ASKED }).to_string();
    let asked = |headers: &str| {
        server.send(&format!(
            "POST /v1/ask HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            server.address,
            body.len()
        ))
    };
    let foreign = asked("Origin: https://evil.example\r\n");
    assert_eq!((foreign.status, &foreign.json()["code"]), (403, &"forbidden".into()), "{}", foreign.body);
    assert_eq!(asked(&format!("Origin: http://{}\r\n", server.address)).status, 200);
    assert_eq!(asked("Origin: http://127.0.0.1:1\r\n").status, 403, "another port is another site");
    for site in ["cross-site", "same-site"] {
        assert_eq!(asked(&format!("Sec-Fetch-Site: {site}\r\n")).status, 403, "{site}");
    }
    assert_eq!(asked("Sec-Fetch-Site: same-origin\r\n").status, 200);
}

#[test]
fn without_keys_nobody_outside_is_listened_to() {
    let ran = Place::new().run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("loopback only"), "{}", ran.err);
}
