//! The Ollama adapter against exchanges recorded from the server's documentation and source, `recorded/ollama.txt`:
//! no server comes as a package that could be run here.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, Message, Role},
};

use crate::support::{
    cuts,
    model_server::{Protocol, Request, Step, TestServer, completion_request, hear, reply},
};

const RECORDED: &str = include_str!("recorded/ollama.txt");
const CHAT: &str = "The mast is 2.0 m tall; à Tromsø, höher als 桅杆 und 🗼.";

struct Exchange {
    status: u16,
    content_type: &'static str,
    body: &'static str,
}

fn recorded(name: &str) -> Exchange {
    let exchanges = RECORDED.split("### ").filter_map(|exchange| exchange.split_once('\n'));
    let (_, exchange) = exchanges.into_iter().find(|(title, _)| *title == name).expect(name);
    let (head, body) = exchange.split_once('\n').expect("a head");
    let (status, content_type) = head.strip_prefix("HTTP ").and_then(|head| head.split_once("  ")).expect("a status");
    Exchange { status: status.parse().expect("a number"), content_type, body: body.strip_suffix('\n').unwrap_or(body) }
}

fn replay(name: &str) -> Vec<u8> {
    let exchange = recorded(name);
    reply(exchange.status, exchange.content_type, exchange.body)
}

async fn hear_recorded(name: &str) -> (String, Option<ModelError>) {
    let server = TestServer::doing(vec![Step::Send(replay(name))]).await;
    let asking = CompletionRequest { model: "llama3.2".to_owned(), ..completion_request() };
    hear(&*Protocol::Ollama.model(&server), asking).await
}

#[tokio::test]
async fn an_answer_is_what_the_model_said() {
    let cases = [
        ("short", "Café 🗼"),
        ("chat", CHAT),
        ("thinking", "Two metres."),
        ("last line without a message", "Two metres."),
        ("words in the last line", "Two metres."),
        ("whole", "Two metres."),
    ];
    for (name, text) in cases {
        assert_eq!(hear_recorded(name).await, (text.to_owned(), None), "{name}");
    }
}

#[tokio::test]
async fn a_short_answer_is_the_same_wherever_it_is_cut() {
    let body = recorded("short").body.as_bytes();
    let answers: Vec<Vec<u8>> =
        cuts::everywhere(body).iter().map(|pieces| Protocol::Ollama.in_chunks(pieces)).collect();
    let (count, next) = (answers.len(), AtomicUsize::new(0));
    let in_turn = move |_: &Request| vec![Step::Send(answers[next.fetch_add(1, Ordering::SeqCst)].clone())];
    let server = TestServer::start(in_turn).await;
    let model = Protocol::Ollama.model(&server);
    for at in 0..count {
        assert_eq!(hear(&*model, completion_request()).await, ("Café 🗼".to_owned(), None), "cut at {at}");
    }
}

#[tokio::test]
async fn a_long_answer_is_the_same_however_it_is_cut() {
    let body = recorded("chat").body.as_bytes();
    let mut answers = vec![Protocol::Ollama.in_chunks(&cuts::byte_by_byte(body))];
    answers.extend((0..50).map(|seed| Protocol::Ollama.in_chunks(&cuts::at_random(body, seed))));
    for (number, answer) in answers.into_iter().enumerate() {
        let server = TestServer::doing(vec![Step::Send(answer)]).await;
        let said = hear(&*Protocol::Ollama.model(&server), completion_request()).await;
        assert_eq!(said, (CHAT.to_owned(), None), "number {number}");
    }
}

#[tokio::test]
async fn every_refusal_has_its_meaning() {
    let cases = [
        ("error in the middle", "llm_connection", "failed in the middle of its answer"),
        ("not found", "model_unavailable", "run `ollama pull llama3.2`"),
        ("not found by the scheduler", "model_unavailable", "run `ollama pull llama3.2`"),
        ("busy", "llm_connection", "is busy or still starting (503)"),
        ("no chat", "llm_connection", "cannot do what was asked"),
        ("too long", "context", "longer than the model can read"),
        ("too long with figures", "token_budget_exceeded", "needs 3248 tokens and the model has room for 2048"),
        ("no memory", "llm_connection", "too little memory for the model 'llama3.2'"),
        ("no such path", "llm_connection", "the base address may be wrong"),
    ];
    for (name, code, sentence) in cases {
        let (_, ended) = hear_recorded(name).await;
        let error = ended.expect(name);
        assert_eq!(error.code(), code, "{name}: {error}");
        assert!(error.to_string().contains(sentence), "{name}: {error}");
    }
}

#[tokio::test]
async fn models_are_listed_by_their_full_names() {
    let cases = [("tags", vec!["llama3.2:latest", "example/orca-mini:3b-q4_1"]), ("no tags", vec![])];
    for (name, expected) in cases {
        let server = TestServer::doing(vec![Step::Send(replay(name))]).await;
        assert_eq!(Protocol::Ollama.model(&server).models().await.expect("a list"), expected);
        let lines: Vec<String> = server.seen.requests().iter().map(Request::line).collect();
        assert_eq!(lines, ["GET /api/tags"]);
    }
}

#[tokio::test]
async fn a_dictation_is_sent_whole_and_without_chance() {
    let server = TestServer::doing(vec![Step::Send(replay("short"))]).await;
    let message = |role, text: &str| Message { role, text: text.to_owned() };
    let messages = vec![
        message(Role::System, "Only what stands there."),
        message(Role::Asker, "How tall?"),
        message(Role::Writer, "Two \"metres\".\n"),
        message(Role::Asker, "Really?"),
    ];
    let asking = CompletionRequest { messages, temperature: 0.2, ..completion_request() };
    let (_, ended) = hear(&*Protocol::Ollama.model(&server), asking).await;
    assert_eq!(ended, None);
    let requests = server.seen.requests();
    let request = requests.first().expect("a request");
    assert_eq!(request.line(), "POST /api/chat");
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Only what stands there."},
            {"role": "user", "content": "How tall?"},
            {"role": "assistant", "content": "Two \"metres\".\n"},
            {"role": "user", "content": "Really?"},
        ],
        "stream": true,
        "truncate": false,
        "shift": false,
        "options": {"num_ctx": 2048, "num_predict": 64, "temperature": 0.2, "seed": 0},
    });
    assert_eq!(request.json, expected);
    assert!(!request.head.to_lowercase().contains("authorization"), "{}", request.head);
}
