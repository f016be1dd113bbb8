//! `vouch serve` asked by OpenAI's own client: what it reads is what Vouch replied.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeMap, path::Path, process::Command, sync::LazyLock};

use serde_json::{Value, json};
use vouch_testkit::{
    python::{self, Dependencies},
    skip,
};

use crate::support::{Place, finish, server::Server};

const PACKAGES: &[&str] = &["openai==3.49.0"];
const ASKED: &str = "How many days of paid annual leave do staff have?";
const REFUSED: &str = "What is the price of tea in the canteen?";
const FOLLOW_UP: &str = "And how is unused leave carried over?";
const CORPUS: &str = concat!(
    r#"{"id": "leave", "title": "Annual Leave", "url": "https://tarnside.example/leave", "text": "Staff have 26 days of paid "#,
    r#"annual leave a year. Unused annual leave is carried over with form P-04."}"#,
    "\n",
    r#"{"id": "travel", "title": "Travel", "text": "Travel abroad is approved by the head of the department."}"#,
    "\n"
);

/// What the client told, step by step; none if it cannot be had here.
static TOLD: LazyLock<Option<BTreeMap<String, Value>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openai-client");
    let python = python::with_packages(&folder, PACKAGES, Dependencies::Brought);
    let python = python.map_err(|reason| skip("the conversation with OpenAI's own client", &reason)).ok()?;
    let place = Place::new();
    place.write("corpus.jsonl", CORPUS);
    let ran = place.run(&["ingest", "corpus.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let server = Server::over(place);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/app/support/openai_client.py");
    let mut command = Command::new(python);
    command.arg(script).arg(format!("http://{}/v1", server.address)).args([ASKED, REFUSED, FOLLOW_UP]);
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    let ran = finish(command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let told = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    Some(told.map(|told| (told.get("step").and_then(Value::as_str).unwrap_or_default().to_owned(), told)).collect())
});

fn step(name: &str) -> Option<&'static Value> {
    Some(TOLD.as_ref()?.get(name).expect("the step was taken"))
}

/// The words of an answer that an annotation stands on.
fn marked(content: &str, annotation: &Value) -> String {
    let place = |name: &str| {
        usize::try_from(annotation.get(name).and_then(Value::as_u64).expect("a place")).expect("a small one")
    };
    let (start, end) = (place("start_index"), place("end_index"));
    content.chars().skip(start).take(end - start).collect()
}

#[test]
fn models_are_listed_and_looked_up() {
    let (Some(list), Some(one)) = (step("models"), step("model")) else { return };
    assert_eq!(list["ids"], json!(["vouch", "extractive"]));
    assert_eq!(one["id"], "extractive");
}

#[test]
fn an_answer_is_read_with_its_citations_and_the_whole_reply() {
    let Some(told) = step("whole") else { return };
    let content = told["content"].as_str().expect("content");
    assert!(content.contains("26 days of paid annual leave") && !content.contains("banana"), "{content}");
    assert_eq!((&told["role"], &told["finish"]), (&"assistant".into(), &"stop".into()));
    let cited = &told["annotations"][0];
    assert_eq!(cited["type"], "url_citation");
    assert_eq!(cited["url_citation"]["url"], "https://tarnside.example/leave");
    assert_eq!(cited["url_citation"]["title"], "Annual Leave");
    assert_eq!(marked(content, &cited["url_citation"]), "[^1]");
    let reply = &told["vouch"];
    assert_eq!((&reply["outcome"], &reply["answer"]), (&"answered".into(), &told["content"]));
    assert_eq!(reply["request_id"], told["request"]);
    let count = |name: &str| told["usage"][name].as_u64().expect("a count");
    assert!(count("prompt_tokens") > 10 && count("completion_tokens") > 5, "{}", told["usage"]);
    assert_eq!(count("total_tokens"), count("prompt_tokens") + count("completion_tokens"));
}

#[test]
fn a_stream_joins_to_the_same_answer() {
    let (Some(whole), Some(told), Some(joined)) = (step("whole"), step("stream"), step("accumulated")) else { return };
    assert_eq!(told["content"], whole["content"]);
    assert_eq!(joined["content"], whole["content"], "as the client itself joins it");
    assert_eq!(told["annotations"], whole["annotations"]);
    assert_eq!((&told["finish"], &told["roles"]), (&"stop".into(), &json!(["assistant"])));
    assert_eq!(told["vouch"]["answer"], told["content"]);
    assert_eq!(told["pieces"], told["vouch"]["claims"].as_array().expect("claims").len());
    assert_eq!(told["usage"], whole["usage"]);
}

#[test]
fn a_refusal_is_content_that_every_client_shows() {
    let (Some(told), Some(streamed)) = (step("refusal"), step("streamed refusal")) else { return };
    let sentence = "The documents do not contain enough to answer this question.";
    assert_eq!((&told["content"], &streamed["content"]), (&sentence.into(), &sentence.into()));
    assert_eq!((&told["refusal"], &told["finish"]), (&Value::Null, &"stop".into()));
    assert_eq!(told["vouch"]["refused"], true);
    assert!(told["vouch"]["abstain_reason"].is_string(), "{told}");
}

#[test]
fn a_follow_up_is_read_with_the_conversation_before_it() {
    let Some(told) = step("follow-up") else { return };
    assert!(told["content"].as_str().is_some_and(|text| text.contains("form P-04")), "{told}");
    let lanes = told["vouch"]["trace"].to_string();
    assert!(lanes.contains("conversation"), "the sources of the answer before came back with it: {lanes}");
}

#[test]
fn what_is_wrong_is_an_exception_with_its_sentence() {
    let steps = [
        ("wrong model", "model_not_allowed", "gpt-9"),
        ("wrong model streamed", "model_not_allowed", "gpt-9"),
        ("several", "invalid_request", "n must be 1"),
    ];
    for (name, code, words) in steps {
        let Some(told) = step(name) else { return };
        assert_eq!((&told["raised"], &told["status"]), (&"BadRequestError".into(), &400.into()), "{told}");
        assert_eq!(told["code"], code);
        assert!(told["message"].as_str().is_some_and(|text| text.contains(words)), "{told}");
    }
}

#[test]
fn a_client_that_leaves_takes_nothing_with_it() {
    let (Some(left), Some(after), Some(whole)) = (step("cancelled"), step("after"), step("whole")) else { return };
    assert_eq!(left["how"], "cancelled");
    assert_eq!(after["content"], whole["content"]);
}
