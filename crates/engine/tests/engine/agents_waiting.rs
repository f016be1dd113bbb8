//! What waits in a conversation: it ends by an answer, by other input or by its time, and goes on waiting beside anything else. And
//! what is asked beside it: values that a record must hold, several needs in one message, an agent that finds nothing.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{sync::Arc, time::Duration};

use vouch_domain::{DocumentCard, SessionState};
use vouch_engine::{
    ask::{Agents, Engine, Response},
    decide::{Decision, ToolStep},
    policy::AgentsPolicy,
};
use vouch_testkit::{
    corpus::{card, kept},
    fakes::{FakeToolbox, ScriptedGenerator, StoppedClock},
};

use super::{
    agents::{ANSWER_TIMEOUT, desk, engine, from, tool, tools},
    support::{engine_over, filled},
};

const ASKED: &str = "I was overcharged by PLN 150 on INV-20251001";
const SHOWN: &str = "I will open a case for INV-20251001 over PLN 150.00 (overcharge). Yes or no?";

async fn ask(engine: &Engine, text: &str, session: &SessionState) -> Response {
    engine.ask(&from(Some("u-1"), text, session.clone())).await.expect("a response")
}

/// The state after a response, with a token as a service gives it.
fn kept_of(response: &Response) -> SessionState {
    let mut session = response.session.clone();
    if let Some(pending) = session.pending.as_mut().filter(|pending| pending.missing.is_empty()) {
        pending.token = Some("token".to_owned());
    }
    session
}

/// A conversation in which a case was shown.
async fn shown(engine: &Engine) -> SessionState {
    let response = ask(engine, ASKED, &SessionState::default()).await;
    assert_eq!((tool(&response).text(), &tool(&response).step), (SHOWN, &ToolStep::Waiting));
    kept_of(&response)
}

fn opened(toolbox: &FakeToolbox) -> usize {
    toolbox.calls().iter().filter(|call| call.tool == "open_case").count()
}

#[tokio::test]
async fn a_look_in_between_leaves_what_waits_and_says_that_it_waits() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let session = shown(&engine).await;
    for between in ["Which plan am I on?", "Why is the router lamp red?", "Hello!", "Who painted the Mona Lisa?"] {
        let looked = ask(&engine, between, &session).await;
        assert_eq!(looked.waits_for.as_deref(), Some(SHOWN), "{between}");
        assert!(looked.session.pending.as_ref().is_some_and(|pending| pending.is_aside), "{between}");
        // A mere "ok" may be to what was told in between.
        let nodded = ask(&engine, "ok thanks", &looked.session).await;
        assert_eq!(tool(&nodded).step, ToolStep::Waiting, "{between}");
        assert!(tool(&nodded).text().ends_with(SHOWN), "{}", tool(&nodded).text());
        assert_eq!(opened(&toolbox), 0, "{between}");
    }
    let looked = ask(&engine, "Which plan am I on?", &session).await;
    let done = ask(&engine, "yes please go ahead", &looked.session).await;
    assert_eq!((&tool(&done).step, &done.session.pending), (&ToolStep::Ran { is_found: true }, &None));
    assert_eq!(opened(&toolbox), 1);
    // Who acted is told, whoever the words alone would have gone to.
    let routing = done.trace.routing.expect("who acted");
    assert_eq!((routing.agent.as_str(), routing.tool.as_deref()), ("billing", Some("open_case")));
}

#[tokio::test]
async fn what_is_no_plain_answer_is_asked_again_and_searched_nowhere() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let session = shown(&engine).await;
    for words in ["yes if it is free", "I guess so", "yes?", "yes, and show me my plan", "go ahead with the other one"]
    {
        let response = ask(&engine, words, &session).await;
        assert_eq!(tool(&response).step, ToolStep::Waiting, "{words}");
        assert!(tool(&response).text().ends_with(SHOWN), "{words}: {}", tool(&response).text());
        assert!(response.trace.lanes.is_empty() && response.trace.tools.is_empty(), "{words}");
    }
    assert!(toolbox.calls().is_empty());
    let changed = ask(&engine, "yes but make it 20", &session).await;
    assert!(tool(&changed).text().contains("PLN 20.00") && tool(&changed).step == ToolStep::Waiting);
    assert!(changed.asides.iter().any(|aside| aside.contains("replaces what I asked")), "{:?}", changed.asides);
    let withdrawn = ask(&engine, "wait, no", &session).await;
    assert_eq!((&tool(&withdrawn).step, &withdrawn.session.pending), (&ToolStep::Withdrawn, &None));
    assert!(toolbox.calls().is_empty());
}

#[tokio::test]
async fn an_answer_to_nothing_starts_no_tool_and_is_searched_nowhere() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    for words in ["yes", "ok do it", "Yes, open it", "no", "wait, no"] {
        let response = ask(&engine, words, &SessionState::default()).await;
        assert!(matches!(tool(&response).step, ToolStep::Failed { reason: "nothing_waits", .. }), "{words}");
        assert!(response.trace.lanes.is_empty(), "{words}");
    }
    assert!(toolbox.calls().is_empty());
}

#[tokio::test]
async fn what_waits_too_long_lapses_and_the_reader_is_told() {
    let (toolbox, clock) = (Arc::new(tools()), Arc::new(StoppedClock::at(1_000)));
    let engine = Engine { clock: clock.clone(), ..engine(&toolbox).await };
    let session = shown(&engine).await;
    clock.advance(ANSWER_TIMEOUT - Duration::from_millis(1));
    assert!(
        ask(&engine, "Which plan am I on?", &session).await.session.pending.is_some(),
        "it waits to the end of its time"
    );
    clock.advance(Duration::from_millis(1));
    let late = ask(&engine, "yes", &session).await;
    assert!(matches!(tool(&late).step, ToolStep::Failed { reason: "lapsed", .. }));
    assert_eq!(late.session.pending, None);
    let other = ask(&engine, "Which plan am I on?", &session).await;
    assert_eq!((&tool(&other).step, &other.session.pending), (&ToolStep::Ran { is_found: true }, &None));
    assert!(other.asides.iter().any(|aside| aside.contains("has expired")), "{:?}", other.asides);
    assert_eq!(opened(&toolbox), 0);
}

#[tokio::test]
async fn what_cannot_succeed_is_refused_before_anybody_says_yes() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let asked = ask(&engine, "I was overcharged by PLN 900 on INV-20251001", &SessionState::default()).await;
    assert!(matches!(tool(&asked).step, ToolStep::Failed { reason: "cannot_succeed", .. }));
    assert_eq!((tool(&asked).text(), &asked.session.pending), ("INV-20251001 is for less than PLN 900.00.", &None));
    // What was shown before goes on waiting as it was shown.
    let session = shown(&engine).await;
    let changed = ask(&engine, "make it PLN 900", &session).await;
    assert!(matches!(tool(&changed).step, ToolStep::Failed { reason: "cannot_succeed", .. }));
    assert_eq!(changed.waits_for.as_deref(), Some(SHOWN));
    assert!(toolbox.calls().is_empty());
}

#[tokio::test]
async fn a_record_answers_for_what_the_question_names_or_says_that_it_does_not() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let none = SessionState::default();
    for words in ["What does plan L cost?", "what does plan l cost", "What does the 300 plan cost?"] {
        let response = ask(&engine, words, &none).await;
        assert!(!matches!(response.decision, Decision::Tool(_)), "{words}: {:?}", response.decision);
        assert!(response.trace.tools.is_empty(), "{words}: no record was looked at");
    }
    let other = ask(&engine, "What does my plan L cost?", &none).await;
    assert!(tool(&other).text().starts_with("Your records do not mention “L”."), "{}", tool(&other).text());
    for words in ["What does my plan M cost?", "What does my plan cost?", "Is my plan still PLN 45.00?"] {
        let own = ask(&engine, words, &none).await;
        assert!(tool(&own).text().starts_with("Your plan"), "{words}: {}", tool(&own).text());
    }
}

#[tokio::test]
async fn of_two_needs_the_second_is_named() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let both = ask(&engine, "Which plan am I on? And which router lamp blinks red?", &SessionState::default()).await;
    assert_eq!(tool(&both).step, ToolStep::Ran { is_found: true });
    let told = both.asides.first().expect("what was not served");
    assert!(told.contains("which router lamp blinks red?"), "{told}");
    let one = ask(&engine, "Which plan am I on? Is my plan active?", &SessionState::default()).await;
    assert!(one.asides.is_empty(), "both are one need: {:?}", one.asides);
}

#[tokio::test]
async fn an_agent_that_finds_nothing_hands_over_to_the_next_likely_one_once() {
    let fee = DocumentCard { collection: "billing".to_owned(), ..card("fee", &[]) };
    let documents = vec![kept(fee, &["A late fee is added to a bill after ten days."])];
    let said = [("A late fee is added to a bill after ten days.", [1].as_slice())];
    let engine = Engine {
        writer: Arc::new(ScriptedGenerator::saying(&said)),
        // Nothing is sure, so that the question stays with the agent of its conversation.
        agents: Some(Agents::new(AgentsPolicy { confidence_at_least: 1.0, ..desk() })),
        ..engine(&Arc::new(tools())).await
    };
    let engine = Engine { retrieve: engine_over(&filled(documents).await).retrieve, ..engine };
    let with_technical = SessionState { agent: Some("technical".to_owned()), ..SessionState::default() };
    let response = ask(&engine, "Which fee is on the bill?", &with_technical).await;
    let routing = response.trace.routing.clone().expect("a routing");
    assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
    assert_eq!((routing.agent.as_str(), response.session.agent.as_deref()), ("billing", Some("billing")));
    assert!(routing.reason.contains("technical found nothing"), "{}", routing.reason);
    // An agent that the asker chose keeps the question.
    let mut chosen = from(Some("u-1"), "Which fee is on the bill?", SessionState::default());
    chosen.agent = Some("technical".to_owned());
    let kept = engine.ask(&chosen).await.expect("a response");
    assert_eq!(kept.trace.routing.expect("a routing").agent, "technical");
    // Where a routing is sure, the others are no likely ones.
    let sure = Engine { agents: Some(Agents::new(desk())), ..engine };
    let own = ask(&sure, "Why does the router lamp blink red?", &SessionState::default()).await;
    assert_eq!(own.trace.routing.expect("a routing").agent, "technical");
    assert!(matches!(own.decision, Decision::Clarify(_)), "{:?}", own.decision);
}
