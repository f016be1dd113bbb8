//! What counts as a yes to a change: to what was shown, by who saw it, and clearly.

use std::sync::Arc;

use vouch_domain::{PendingCall, Question, Reader, SessionState, Speaker, ToolValue, Turn};
use vouch_engine::{ask::Response, decide::ToolStep};
use vouch_testkit::contracts::{everyone, toolbox::record};

use super::agents::{engine, from, texts, tool, tools};

/// A conversation in which a case waits for a yes.
fn waiting() -> SessionState {
    let args = record([
        ("user_id", "u-1".into()),
        ("invoice", "INV-20251001".into()),
        ("reason", "overcharge".into()),
        ("amount", ToolValue::Number(150.0)),
        ("day", "2026-11-17".into()),
    ]);
    let (tool, token) = ("open_case".to_owned(), Some("right".to_owned()));
    let pending = PendingCall { tool, args, token, ..PendingCall::default() };
    SessionState { agent: Some("billing".to_owned()), pending: Some(pending), ..SessionState::default() }
}

#[tokio::test]
async fn a_yes_counts_for_what_was_shown_to_who_says_it_and_for_nothing_else() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let session = waiting();
    let pending = session.pending.clone().expect("a call");
    let with = |token: &str, session: SessionState| Question {
        confirms: Some(token.to_owned()),
        ..from(Some("u-1"), "yes", session)
    };
    let failed = |response: &Response| matches!(tool(response).step, ToolStep::Failed { .. });
    assert!(failed(&engine.ask(&with("wrong", session.clone())).await.expect("a response")));
    assert!(failed(&engine.ask(&with("right", SessionState::default())).await.expect("a response")));
    let lacking = PendingCall { missing: texts(&["amount"]), ..pending };
    let early = SessionState { pending: Some(lacking), ..session.clone() };
    assert!(failed(&engine.ask(&with("right", early)).await.expect("a response")));
    let other = engine.ask(&from(Some("u-2"), "yes", session.clone())).await.expect("a response");
    assert!(failed(&other), "somebody else said yes");
    let elsewhere = Question { reader: Reader::of_tenant("other"), ..from(Some("u-1"), "yes", session.clone()) };
    assert!(failed(&engine.ask(&elsewhere).await.expect("a response")), "the same name of another tenant said yes");
    assert!(toolbox.calls().is_empty());
    let right = engine.ask(&with("right", session)).await.expect("a response");
    assert_eq!(tool(&right).step, ToolStep::Ran { is_found: true });
    assert_eq!(toolbox.calls().len(), 1);
}

#[tokio::test]
async fn what_is_no_clear_yes_to_what_was_shown_does_nothing() {
    let toolbox = Arc::new(tools());
    let engine = engine(&toolbox).await;
    let said = |words: &str| Question {
        asker: Some("u-1".to_owned()),
        session: waiting(),
        ..Question::new(words, everyone())
    };
    // A conversation in which nothing was shown.
    let unseen = Question { conversation: vec![Turn::new(Speaker::Asker, "Hello")], ..said("yes") };
    engine.ask(&unseen).await.expect("a response");
    for words in ["yes?", "❌ yes", "~~yes~~", "Does it really cost PLN 79?", "do not touch INV-20251002"] {
        let response = engine.ask(&said(words)).await.expect("a response");
        let args = response.session.pending.map(|pending| pending.args);
        let as_shown = waiting().pending.map(|pending| pending.args);
        assert!(args.is_none() || args == as_shown, "{words} changes what is waited for");
    }
    assert!(toolbox.calls().is_empty());
    engine.ask(&said("yes")).await.expect("a response");
    assert_eq!(toolbox.calls().len(), 1);
}
