//! The OpenAI-compatible adapter against what a real server of llama.cpp sent, replayed byte for byte from
//! `recorded/openai_llama_*.txt`, and against the liberties other servers take.
//!
//! The bytes were recorded from `support/real_model_server.py`, asked `What is the capital of France?` for 24 tokens.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use vouch_adapters::openai_compatible::{OpenAiCompatible, OpenAiSettings};
use vouch_domain::{
    Fault, ModelError,
    ports::{CompletionRequest, LanguageModel},
};

use crate::support::{
    cuts,
    model_server::{KEY, LONG, Protocol, Request, Step, TestServer, completion_request, hear, reply},
};

const STREAM: &[u8] = include_bytes!("recorded/openai_llama_server.txt");
const WHOLE: &[u8] = include_bytes!("recorded/openai_llama_whole.txt");
const MODELS: &[u8] = include_bytes!("recorded/openai_llama_models.txt");
const OVERFLOW: &[u8] = include_bytes!("recorded/openai_llama_overflow.txt");
const LOADING: &[u8] = include_bytes!("recorded/openai_llama_loading.txt");
const NO_SUCH_PATH: &[u8] = include_bytes!("recorded/openai_llama_no_such_path.txt");
const SAID: &str = "L'Étoile, la Marseillaise, la femme, la femme au martyre, la";
/// A stream with every liberty the standard allows.
const SHORT: &str = "\u{20}: hello\r\n: keep-alive\r\n\r\nevent: message\r\nid: 1\r\ndata: {\"choices\":[{\"delta\":\r\n\
                     data:  {\"content\":\"Café\"}}]}\r\n\r\ndata:{\"choices\":[]}\n\n\
                     data: {\"choices\":[{\"delta\":{\"content\":\" 🗼\"}}]}\n\ndata: [DONE]\n\n";

/// The recorded stream's events, out of the chunks they were sent in.
fn events() -> String {
    let stream = std::str::from_utf8(STREAM).expect("text");
    let (_, mut rest) = stream.split_once("\r\n\r\n").expect("a head");
    let mut events = String::new();
    loop {
        let (length, after) = rest.split_once("\r\n").expect("a length");
        let length = usize::from_str_radix(length, 16).expect("a length");
        if length == 0 {
            return events;
        }
        let (chunk, after) = after.split_at(length);
        events.push_str(chunk);
        rest = after.strip_prefix("\r\n").expect("the end of a chunk");
    }
}

async fn hear_bytes(bytes: impl AsRef<[u8]>) -> (String, Option<ModelError>) {
    let server = TestServer::doing(vec![Step::send(bytes)]).await;
    hear(&*Protocol::OpenAi.model(&server), completion_request()).await
}

async fn hear_events(events: &str) -> (String, Option<ModelError>) {
    hear_bytes(format!("{}{events}", Protocol::OpenAi.head())).await
}

#[tokio::test]
async fn a_real_servers_stream_is_read_as_it_was_sent() {
    assert_eq!(hear_bytes(STREAM).await, (SAID.to_owned(), None));
}

#[tokio::test]
async fn an_answer_that_comes_whole_is_the_same_answer() {
    assert_eq!(hear_bytes(WHOLE).await, (SAID.to_owned(), None));
    let pretty = "{\n  \"choices\": [\n    {\"message\": {\"content\": \"Two\\nmetres\"}}\n  ]\n}\n";
    assert_eq!(hear_bytes(reply(200, "application/json", pretty)).await, ("Two\nmetres".to_owned(), None));
    for (body, sentence) in
        [("{}", "not a completion"), ("[1]", "does not fit its protocol"), ("{\"choices\"", "broke off")]
    {
        let (_, ended) = hear_bytes(reply(200, "application/json", body)).await;
        let error = ended.expect(body);
        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[tokio::test]
async fn a_short_answer_is_the_same_wherever_it_is_cut() {
    let answers: Vec<Vec<u8>> =
        cuts::everywhere(SHORT.as_bytes()).iter().map(|pieces| Protocol::OpenAi.in_chunks(pieces)).collect();
    let (count, next) = (answers.len(), AtomicUsize::new(0));
    let in_turn = move |_: &Request| vec![Step::Send(answers[next.fetch_add(1, Ordering::SeqCst)].clone())];
    let server = TestServer::start(in_turn).await;
    let model = Protocol::OpenAi.model(&server);
    for at in 0..count {
        assert_eq!(hear(&*model, completion_request()).await, ("Café 🗼".to_owned(), None), "cut at {at}");
    }
}

#[tokio::test]
async fn a_long_answer_is_the_same_however_it_is_cut() {
    let events = events();
    let mut answers = vec![Protocol::OpenAi.in_chunks(&cuts::byte_by_byte(events.as_bytes()))];
    answers.extend((0..50).map(|seed| Protocol::OpenAi.in_chunks(&cuts::at_random(events.as_bytes(), seed))));
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(hear_bytes(answer).await, (SAID.to_owned(), None), "number {number}");
    }
}

#[tokio::test]
async fn a_real_server_is_understood_when_it_refuses() {
    let (_, ended) = hear_bytes(OVERFLOW).await;
    assert_eq!(ended, Some(ModelError::TokenBudgetExceeded { needed: 1531, available: 1024 }));
    for (bytes, sentence) in [
        (LOADING, "is busy or still starting (503, unavailable_error)"),
        (NO_SUCH_PATH, "has nothing at this address (404, not_found_error); the base address may be wrong"),
    ] {
        let (_, ended) = hear_bytes(bytes).await;
        let error = ended.expect(sentence);
        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[tokio::test]
async fn every_refusal_has_its_meaning() {
    let no_model = json!({"error": {"message": "The model `m` does not exist", "code": "model_not_found"}});
    let bare = json!({"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError"});
    let long = "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.";
    let long = json!({"error": {"message": long, "type": "invalid_request_error", "code": "context_length_exceeded"}});
    let cases = [
        (401, json!({"error": {"message": format!("Incorrect API key: {KEY}")}}), "llm_connection", "refused the key"),
        (403, json!("no"), "llm_connection", "refused the key (403)"),
        (404, no_model, "model_unavailable", "compare the name with the server's list of models"),
        (404, bare, "model_unavailable", "the server does not have model 'm'"),
        (400, long, "token_budget_exceeded", "needs 10000 tokens and the model has room for 8192"),
        (429, json!({"error": {"type": "rate_limit_error"}}), "llm_connection", "is busy (429, rate_limit_error)"),
        (400, json!({"error": "just words"}), "llm_connection", "refused the request (400)"),
    ];
    for (status, body, code, sentence) in cases {
        let (_, ended) = hear_bytes(reply(status, "application/json", &body.to_string())).await;
        let error = ended.expect(sentence);
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(sentence), "{error}");
        assert!(!error.to_string().contains(KEY), "{error}");
    }
}

#[tokio::test]
async fn every_way_to_end_is_an_end_and_no_other() {
    let word = Protocol::OpenAi.word("One");
    let reason = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let none = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"\"}]}\n\n";
    for end in ["data: [DONE]\n\n", "data: [DONE]\n", "data: [DONE]", "data:[DONE]\r\n\r\n", reason] {
        assert_eq!(hear_events(&format!("{word}{end}")).await, ("One".to_owned(), None), "{end}");
    }
    for end in ["", none, "data: {\"choices\":[]}\n\n", "data: [DO", ": done\n\n"] {
        let (said, ended) = hear_events(&format!("{word}{end}")).await;
        assert_eq!((said.as_str(), ended.map(|error| error.code())), ("One", Some("llm_connection")), "{end}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_no_answer() {
    let silent = [
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hmm\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":null}],\"error\":null}\n\n",
        "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n",
        "data: {\"id\":\"x\"}\n\n",
        "retry: 10\nid\n\n",
    ];
    let events = format!("{}data: [DONE]\n\n", silent.concat());
    assert_eq!(hear_events(&events).await, (String::new(), None));
}

#[tokio::test]
async fn an_error_in_a_stream_has_its_meaning() {
    let overflow = "data: {\"error\":{\"code\":400,\"message\":\"x\",\"n_prompt_tokens\":9,\"n_ctx\":5}}\n\n";
    let (_, ended) = hear_events(overflow).await;
    assert_eq!(ended, Some(ModelError::TokenBudgetExceeded { needed: 9, available: 5 }));
    for events in ["event: error\ndata: {\"message\":\"x\"}\n\n", "error: {\"code\":500}\n\n"] {
        let (_, ended) = hear_events(events).await;
        let error = ended.expect(events);
        assert!(error.to_string().contains("failed in the middle of its answer"), "{error}");
    }
}

#[tokio::test]
async fn models_are_listed_by_their_full_names() {
    let server = TestServer::doing(vec![Step::send(MODELS)]).await;
    assert_eq!(Protocol::OpenAi.model(&server).models().await.expect("a list"), ["smollm2:135m"]);
    let requests = server.seen.requests();
    assert_eq!(requests.iter().map(Request::line).collect::<Vec<_>>(), ["GET /v1/models"]);
}

#[tokio::test]
async fn a_dictation_is_sent_whole_with_the_key() {
    let server = TestServer::doing(vec![Step::send(STREAM)]).await;
    let asking = CompletionRequest { temperature: 0.2, ..completion_request() };
    assert_eq!(hear(&*Protocol::OpenAi.model(&server), asking).await.1, None);
    let requests = server.seen.requests();
    let request = requests.first().expect("a request");
    assert_eq!(request.line(), "POST /v1/chat/completions");
    let expected = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "Zanzibar prompt"}],
        "stream": true,
        "stream_options": {"include_usage": true},
        "temperature": 0.2,
        "max_tokens": 64,
        "seed": 0,
    });
    assert_eq!(request.json, expected);
    assert!(request.head.to_lowercase().contains(&format!("authorization: bearer {KEY}")), "{}", request.head);
}

fn settings(base_url: &str, api_key: Option<&str>) -> OpenAiSettings {
    OpenAiSettings { base_url: base_url.to_owned(), api_key: api_key.map(str::to_owned), connect_timeout: LONG }
}

#[tokio::test]
async fn without_a_key_none_is_sent_and_a_refusal_says_so() {
    let server = TestServer::doing(vec![Step::Send(reply(401, "application/json", "{}"))]).await;
    for key in [None, Some("")] {
        let model = OpenAiCompatible::new(&settings(&format!("http://{}", server.address), key)).expect("an adapter");
        let error = model.models().await.expect_err("no key");
        assert!(error.to_string().ends_with("refused the key (401): none was given"), "{error}");
    }
    let requests = server.seen.requests();
    assert!(requests.iter().all(|request| !request.head.to_lowercase().contains("authorization")));
    assert_eq!(requests.first().map(Request::line).as_deref(), Some("GET /models"), "the address is taken as given");
}

#[test]
fn settings_that_make_no_sense_are_refused_and_tell_nothing() {
    let cases = [
        settings("localhost:8080/v1", None),
        settings("http://h/v1?key=secret", None),
        settings("http://u:secret@h/v1", Some(KEY)),
        settings("http://h/v1", Some("secret\nkey")),
        OpenAiSettings { connect_timeout: std::time::Duration::ZERO, ..settings("http://h/v1", None) },
    ];
    for settings in cases {
        let error = OpenAiCompatible::new(&settings).err().expect("a refusal");
        assert_eq!(error.fault, Fault::Invalid, "{error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
    let shown = format!("{:?}", settings("http://h/v1", Some(KEY)));
    assert!(!shown.contains(KEY), "{shown}");
}
