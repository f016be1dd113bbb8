//! The contract of `LanguageModel` on the scripted model and on both adapters, over a server that plays the scenes in
//! either protocol.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, LanguageModel},
};
use vouch_testkit::{
    contracts::language_model::{self, MODEL, Scene, Then},
    fakes::{self, Script, ScriptedModel},
};

use crate::support::{
    model_server::{Protocol, Request, Step, TestServer, completion_request, hear, reply},
    tool_calls::tool_call_lines,
};

#[tokio::test]
async fn the_scripted_model_keeps_the_contract() {
    language_model::check(async |scene: Scene| {
        let script = scene
            .calls
            .iter()
            .fold(Script::saying(&scene.says), |script, call| script.then(fakes::Step::Call(call.clone())));
        let lost = ModelError::Connection { sentence: "the script breaks off".to_owned() };
        let script = match scene.then {
            Then::Ends => script,
            Then::Hangs => script.then(fakes::Step::Hang),
            Then::BreaksOff => script.then(fakes::Step::Fail(lost)),
        };
        let model: Arc<dyn LanguageModel> = Arc::new(ScriptedModel::named(MODEL, [script]));
        model
    })
    .await;
}

#[tokio::test]
async fn an_ollama_server_keeps_the_contract() {
    check(Protocol::Ollama).await;
}

#[tokio::test]
async fn an_openai_compatible_server_keeps_the_contract() {
    check(Protocol::OpenAi).await;
}

async fn check(protocol: Protocol) {
    language_model::check(async |scene: Scene| {
        let server = TestServer::start(move |request| play(protocol, &scene, request)).await;
        protocol.model(&server)
    })
    .await;
}

fn play(protocol: Protocol, scene: &Scene, request: &Request) -> Vec<Step> {
    if request.head.starts_with("GET") {
        let list = match protocol {
            Protocol::Ollama => json!({"models": [{"name": MODEL, "size": 1}]}),
            Protocol::OpenAi => json!({"object": "list", "data": [{"id": MODEL}]}),
        };
        return vec![Step::Send(reply(200, "application/json", &list.to_string()))];
    }
    if request.json.get("model").is_none_or(|model| model != MODEL) {
        return vec![Step::Send(protocol.refusal(404, "model 'nobody' not found"))];
    }
    let mut steps = vec![Step::send(protocol.head())];
    steps.extend(scene.says.iter().map(|piece| Step::send(protocol.word(piece))));
    steps.extend(tool_call_lines(protocol, &scene.calls).into_iter().map(Step::send));
    match scene.then {
        Then::Ends => steps.push(Step::send(protocol.end())),
        Then::Hangs => steps.push(Step::Hang),
        Then::BreaksOff => {}
    }
    steps
}

#[tokio::test]
async fn a_script_takes_its_time_and_each_dictation_has_its_own() {
    let slow = Script::saying(["one", " two"]).slowly(Duration::from_millis(50));
    let model = ScriptedModel::named("m", [slow, Script::silent()]);
    let started = Instant::now();
    assert_eq!(hear(&model, completion_request()).await, ("one two".to_owned(), None));
    assert!(started.elapsed() >= Duration::from_millis(100), "{:?}", started.elapsed());
    let hurry = CompletionRequest { first_token_timeout: Duration::from_millis(50), ..completion_request() };
    for _ in 0..2 {
        let (said, ended) = hear(&model, hurry.clone()).await;
        assert_eq!((said.as_str(), ended.map(|error| error.code())), ("", Some("llm_timeout")));
    }
    assert_eq!(model.clone().completion_requests(), [completion_request(), hurry.clone(), hurry]);
}
