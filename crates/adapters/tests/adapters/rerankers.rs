//! Rerankers behind a server: the contract of `Reranker` in every shape of reply that servers use, and replies that are none.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::time::Duration;

use serde_json::{Value, json};
use vouch_adapters::openai_compatible::{HttpReranker, OpenAiSettings, RerankerSettings};
use vouch_domain::{
    Fault,
    ports::{JudgedPassage, Reranker},
};
use vouch_testkit::contracts;

use crate::support::model_server::{KEY, LONG, Protocol, Request, Step, TestServer, reply};

fn reranker(server: &TestServer, timeout: Duration) -> HttpReranker {
    let base_url = Protocol::OpenAi.base_url("http", &server.address);
    let server = OpenAiSettings { base_url, api_key: Some(KEY.to_owned()), connect_timeout: LONG };
    HttpReranker::new(&server, RerankerSettings { model: "order-1".to_owned(), timeout }).expect("an adapter")
}

/// Rows for every document, the last one first; one that has the question's words scores higher.
fn rows(request: &Request, score: &str) -> Vec<Value> {
    let texts = request.json.get("documents").and_then(Value::as_array).cloned().unwrap_or_default();
    let fits = |text: &Value| text.as_str().is_some_and(|text| text.contains("mast is"));
    let row = |(index, text)| json!({"index": index, score: f64::from(u8::from(fits(text)))});
    texts.iter().enumerate().rev().map(row).collect()
}

fn answer(body: &Value) -> Vec<Step> {
    vec![Step::Send(reply(200, "application/json", &body.to_string()))]
}

#[tokio::test]
async fn every_usual_shape_of_reply_keeps_the_contract() {
    let shapes: [fn(&Request) -> Value; 3] = [
        |request| json!({"id": "1", "results": rows(request, "relevance_score"), "meta": {}}),
        |request| json!({"object": "list", "data": rows(request, "relevance_score"), "usage": {"total_tokens": 9}}),
        |request| json!(rows(request, "score")),
    ];
    for shape in shapes {
        let server = TestServer::start(move |request| answer(&shape(request))).await;
        contracts::reranker::check(&reranker(&server, LONG)).await;
        let requests = server.seen.requests();
        assert!(requests.iter().all(|request| request.line() == "POST /v1/rerank"));
        assert!(requests.iter().all(|request| request.json["model"] == "order-1"));
    }
}

async fn fault(steps: Vec<Step>, timeout: Duration) -> Fault {
    let server = TestServer::doing(steps).await;
    let passage = |text: &str| JudgedPassage { heading: String::new(), text: text.to_owned() };
    let passages = vec![passage("one"), passage("two")];
    let failed = reranker(&server, timeout).scores("Which?", passages, LONG).await.expect_err("no scores");
    assert!(!failed.to_string().contains(KEY), "{failed}");
    failed.fault
}

#[tokio::test]
async fn scores_that_leave_a_passage_out_or_name_one_twice_are_no_scores() {
    let row = |index: usize| json!({"index": index, "relevance_score": 0.5});
    let many: Vec<Value> = (0..3).map(row).collect();
    for rows in [json!([]), json!([row(0)]), json!([row(0), row(0)]), json!([row(1), row(2)]), json!(many)] {
        assert_eq!(fault(answer(&json!({"results": rows})), LONG).await, Fault::Corrupt, "{rows}");
    }
}

#[tokio::test]
async fn a_server_that_says_something_else_refuses_or_is_late_is_a_failure_in_time() {
    for body in [json!({"results": [{"index": 0, "relevance_score": "high"}]}), json!({"answer": 42}), json!(null)] {
        assert_eq!(fault(answer(&body), LONG).await, Fault::Unavailable, "{body}");
    }
    let refused = vec![Step::Send(Protocol::OpenAi.refusal(500, "out of memory"))];
    assert_eq!(fault(refused, LONG).await, Fault::Unavailable);
    assert_eq!(fault(vec![Step::Hang], Duration::from_millis(50)).await, Fault::Timeout);
}
