//! A model beside the tools: its calls and its summaries, true and false. And tools that fail.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{Fault, Question, SessionState, ToolCall, ToolRecord};
use vouch_engine::{
    ask::{Agents, Engine},
    decide::{Decision, ToolReply, ToolStep},
    model_registry::ModelRegistry,
};
use vouch_testkit::{
    contracts::{everyone, toolbox::record},
    fakes::{FakeToolbox, Script, ScriptedModel},
};

use super::{
    agents::{desk, engine, tools},
    support::{MODEL, job_model},
};

const TEMPLATE: &str = "Your plan M (^9) is PLN 45.00 a month and active.";

/// An engine with a model that says one thing after another.
async fn with_model(toolbox: &Arc<FakeToolbox>, scripts: Vec<Script>) -> Engine {
    let model = ScriptedModel::named(MODEL, scripts);
    let mut policy = desk();
    (policy.model_chooses_tools, policy.model_tells_outputs) = (true, true);
    let model_registry = ModelRegistry { answer: Some(job_model(&model)), ..ModelRegistry::default() };
    Engine { agents: Some(Agents::new(policy)), model_registry, ..engine(toolbox).await }
}

fn call(tool: &str, args: ToolRecord) -> ToolCall {
    ToolCall { tool: tool.to_owned(), args }
}

async fn asked(engine: &Engine, text: &str) -> ToolReply {
    let question = Question { asker: Some("u-1".to_owned()), ..Question::new(text, everyone()) };
    let decision = engine.ask(&question).await.expect("a response").decision;
    let Decision::Tool(tool) = decision else { panic!("{decision:?}") };
    tool
}

#[tokio::test]
async fn a_summary_is_shown_only_where_the_record_bears_it_out() {
    let none = || Script::saying(["NONE"]);
    for (said, shown) in [
        ("Your plan costs PLN 45.00 a month.", true),
        ("Your plan costs PLN 54.00 a month.", false),
        ("Your plan costs EUR 45.00 a month.", false),
        ("Your plan is suspended.", false),
        ("Your plan costs PLN 45.00 a month, and next month it is free.", false),
    ] {
        let engine = with_model(&Arc::new(tools()), vec![none(), Script::saying([said])]).await;
        let reply = asked(&engine, "What does my plan cost?").await;
        assert_eq!(reply.text(), if shown { said } else { TEMPLATE });
        assert_eq!(reply.model.is_some(), shown, "{said}");
    }
}

#[tokio::test]
async fn a_call_that_holds_what_nobody_said_is_not_made() {
    for (args, is_made) in [
        (record([("user_id", "u-1".into())]), true),
        (record([]), true),
        (record([("user_id", "u-2".into())]), false),
        (record([("user_id", "u-1".into()), ("plan", "L".into())]), false),
    ] {
        let toolbox = Arc::new(tools());
        let scripts = vec![Script::calling([call("get_plan", args)]), Script::saying(["nothing"])];
        let engine = with_model(&toolbox, scripts).await;
        // Its words alone would go to the documents.
        let question =
            Question { asker: Some("u-1".to_owned()), ..Question::new("Which fee is on a bill?", everyone()) };
        let response = engine.ask(&question).await.expect("a response");
        assert_eq!(matches!(response.decision, Decision::Tool(_)), is_made);
        assert!(toolbox.calls().iter().all(|call| call.args.get("user_id") == Some(&"u-1".into())));
    }
}

#[tokio::test]
async fn a_model_that_calls_a_change_changes_nothing() {
    let toolbox = Arc::new(tools());
    let args = record([("invoice", "INV-99999999".into()), ("amount", vouch_domain::ToolValue::Number(9_999.0))]);
    let engine = with_model(&toolbox, vec![Script::calling([call("open_case", args)])]).await;
    let reply = asked(&engine, "I was overcharged by PLN 150").await;
    assert_eq!(reply.text(), "Which invoice?", "what the model made up is not taken");
    assert!(toolbox.calls().is_empty());
}

#[tokio::test]
async fn a_tool_that_fails_is_told_and_says_nothing_of_the_record() {
    for toolbox in [tools().failing(Fault::Unavailable), tools().failing(Fault::Corrupt)] {
        let engine = engine(&Arc::new(toolbox)).await;
        let response = engine
            .ask(&Question { asker: Some("u-1".to_owned()), ..Question::new("What does my plan cost?", everyone()) })
            .await
            .expect("a response");
        let Decision::Tool(tool) = &response.decision else { panic!("{:?}", response.decision) };
        assert!(matches!(tool.step, ToolStep::Failed { reason: "tool_failed", .. }));
        assert_eq!(tool.text(), "I could not look this up just now. Please try again later.");
        assert!(!response.trace.tools.first().expect("a report").is_success());
    }
}

#[tokio::test]
async fn a_later_yes_or_a_token_against_the_words_does_nothing() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let from = |text: &str, session: &SessionState| Question {
        asker: Some("u-1".to_owned()),
        session: session.clone(),
        ..Question::new(text, everyone())
    };
    let asked = "I was overcharged by PLN 150 on INV-20251001";
    let shown = engine.ask(&from(asked, &SessionState::default())).await.expect("a response");
    let mut waiting = shown.session.clone();
    waiting.pending.as_mut().expect("something waits").token = Some("token".to_owned());
    for between in ["no way", "No. Why is the router lamp red?", "Why is the router lamp red?", "Hello!"] {
        let after = engine.ask(&from(between, &waiting)).await.expect("a response");
        engine.ask(&from("ok", &after.session)).await.expect("a response");
    }
    for words in ["no, do not open it", "no", "show me my plan"] {
        let question = Question { confirms: Some("token".to_owned()), ..from(words, &waiting) };
        engine.ask(&question).await.expect("a response");
    }
    // A client that sends what was said says yes to that.
    let other = vouch_domain::Turn::new(vouch_domain::Speaker::Vouch, "Shall I list the hours of our shops?");
    let question = Question { conversation: vec![other], ..from("yes", &waiting) };
    engine.ask(&question).await.expect("a response");
    assert!(toolbox.calls().iter().all(|call| call.tool != "open_case"), "{:?}", toolbox.calls());
    engine.ask(&from("yes", &waiting)).await.expect("a response");
    assert!(toolbox.calls().iter().any(|call| call.tool == "open_case"));
}
