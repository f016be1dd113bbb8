//! Cite or route, with the shipped handbook and through every way in: the same question has the same action, owner, reason
//! and answer, whoever carries it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::path::PathBuf;

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place,
    callers::key,
    replies,
    server::{HttpReply, Server},
};

const LEAVE: &str = "May unused leave be carried into the next leave year?";
const DOG: &str = "May I bring my dog to the office on Fridays?";

fn profile(file: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles/handbook").join(file).display().to_string()
}

/// The handbook of one company and its people.
fn filled(below: &str) -> Place {
    let place = Place::new();
    let settings = std::fs::read_to_string(profile("vouch.yaml")).expect("the profile's settings");
    place.write("vouch.yaml", settings.replace("route_below: 60", below));
    assert_eq!(place.run(&["ingest", &profile("corpus/tarn"), "--tenant", "tarn"]).code, Some(0));
    assert_eq!(place.run(&["user", "import", &profile("people.yaml")]).code, Some(0));
    place
}

/// What every way in must agree on.
fn essence(reply: &Value) -> Vec<Option<&Value>> {
    let paths = ["/action", "/route_to/owner_user_id", "/route_to/reason", "/answer", "/confidence/overall"];
    paths.into_iter().map(|path| reply.pointer(path)).collect()
}

/// The reply to a question by the command line, then over HTTP, OpenAI's protocol, its stream, and MCP.
fn asked(below: &str, question: &str, tag: &str) -> (Value, HttpReply, String) {
    let place = filled(below);
    let caller = key(&place, "tarn", Role::Reader, Some(&[tag]));
    let told = replies::ask(&place, question, &["--tenant", "tarn", "--tags", tag]);
    let server = Server::over(place);
    let over_http = server.post("/v1/ask", &json!({ "query": question }).to_string(), &caller).json();
    let chat = |stream: bool| {
        let messages = json!([{ "role": "user", "content": question }]);
        json!({ "model": "vouch", "messages": messages, "stream": stream }).to_string()
    };
    let whole = server.post("/v1/chat/completions", &chat(false), &caller);
    let streamed = server.post("/v1/chat/completions", &chat(true), &caller).body;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "ask", "arguments": { "query": question } } });
    let headers = format!("{caller}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n");
    let (body, length) = (call.to_string(), call.to_string().len());
    let mcp = server.send(&format!(
        "POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    ));
    let (mcp, openai) = (mcp.json(), whole.json());
    let part = |reply: &Value, path: &str| reply.pointer(path).cloned().unwrap_or_default();
    let (mcp, openai) = (part(&mcp, "/result/structuredContent"), part(&openai, "/vouch"));
    assert_eq!(essence(&over_http), essence(&told), "HTTP");
    assert_eq!(essence(&openai), essence(&told), "OpenAI");
    assert_eq!(essence(&mcp), essence(&told), "MCP");
    (told, whole, streamed)
}

#[test]
fn what_is_certain_is_cited_through_every_way_in() {
    let (reply, _, streamed) = asked("route_below: 60", LEAVE, "staff");
    assert_eq!((&reply["action"], &reply["route_to"]), (&json!("CITE"), &Value::Null), "{reply}");
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("five unused days")), "{reply}");
    assert!(!streamed.contains("Ask: "), "{streamed}");
}

#[test]
fn what_is_less_certain_is_shown_beside_the_person_to_ask() {
    let (reply, whole, streamed) = asked("route_below: 100", LEAVE, "staff");
    let overall = &reply["confidence"]["overall"];
    assert_eq!((&reply["action"], &reply["route_to"]["owner_user_id"]), (&json!("ROUTE"), &json!("mira")), "{reply}");
    let reason = format!("Low confidence: {overall}%, routing to staff owner");
    assert_eq!(reply["route_to"]["reason"], reason, "{reply}");
    let content = whole.json()["choices"][0]["message"]["content"].clone();
    let content = content.as_str().expect("words");
    assert!(
        content.contains("five unused days")
            && content.ends_with(&format!("Ask: mira.holt@tarnside.example ({reason})"))
    );
    assert!(streamed.contains("mira.holt@tarnside.example"), "{streamed}");
}

#[test]
fn what_is_not_answered_names_the_owner_with_its_confidence() {
    let (reply, whole, _) = asked("route_below: 60", DOG, "staff");
    assert_eq!((&reply["refused"], &reply["action"]), (&json!(true), &json!("ROUTE")), "{reply}");
    assert_eq!(reply["route_to"]["owner_user_id"], "mira", "{reply}");
    let overall = reply["confidence"]["overall"].as_u64().expect("a confidence");
    assert!(overall < 60, "{reply}");
    let begins = format!("Low confidence: {overall}%, no verified answer (");
    assert!(reply["route_to"]["reason"].as_str().is_some_and(|reason| reason.starts_with(&begins)), "{reply}");
    assert!(whole.json()["choices"][0]["message"]["content"].to_string().contains("Ask: mira"), "{}", whole.body);
}

#[test]
fn a_topic_without_an_owner_goes_to_the_desk() {
    let (reply, _, _) = asked("route_below: 60", "May the finance team buy a yacht?", "finance");
    assert_eq!((&reply["action"], &reply["route_to"]["fallback"]), (&json!("ROUTE"), &json!(true)), "{reply}");
    assert_eq!(reply["route_to"]["owner_email"], "handbook.desk@tarnside.example", "{reply}");
}
