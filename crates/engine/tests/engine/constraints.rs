//! What a question fixes, and the refusal of passages that fix something else.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::Question;
use vouch_engine::{
    ask::Engine,
    decide::Decision,
    policy::{GatePolicy, Policies},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeJudge, ScriptedGenerator},
};

use crate::support::engines::{engine_over, filled};

/// The reason of the refusal, with its gate; none where one of the passages is shown. The judge finds an answer in each.
async fn refused(question: &str, passages: &[&str]) -> Option<(&'static str, String)> {
    let cards = passages.iter().zip(["a", "b", "c"]).map(|(passage, id)| kept(card(id, &[]), &[passage]));
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.gates = vec![GatePolicy::Answerability { at_least: 0.5 }, GatePolicy::Constraints];
    let said: Vec<(&str, &[u32])> = passages.iter().map(|passage| (*passage, [1].as_slice())).collect();
    let engine = Engine {
        passage_judge: Some(Arc::new(FakeJudge::always(0.9, 0.9))),
        writer: Arc::new(ScriptedGenerator::saying(&said)),
        policies,
        ..engine_over(&filled(cards.collect()).await)
    };
    let response = engine.ask(&Question::new(question.to_owned(), everyone())).await.expect("the question is walked");
    match response.decision {
        Decision::Refuse(refusal) => Some((refusal.reason.as_str(), refusal.reason.sentence())),
        Decision::Answer(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            None
        }
    }
}

#[tokio::test]
async fn another_year_is_refused_with_both_years() {
    let (reason, sentence) =
        refused("Who audited the dam in 2021?", &["Mira Holt audited the dam in 2018."]).await.expect("a refusal");
    assert_eq!(reason, "constraints");
    assert!(sentence.contains("the documents found mention 2018, not 2021"), "{sentence}");
}

#[tokio::test]
async fn one_passage_that_holds_what_is_asked_is_enough() {
    let passages = ["Jon Reed audited the dam in 2021.", "Mira Holt audited the dam in 2018."];
    assert_eq!(refused("Who audited the dam in 2021?", &passages).await, None);
}

#[tokio::test]
async fn a_name_no_passage_speaks_of_is_said() {
    let passages = ["Drawings are sent by Courier twice a week."];
    let (_, sentence) = refused("How are drawings sent with Sentry?", &passages).await.expect("a refusal");
    assert!(sentence.contains("Sentry"), "{sentence}");
    assert_eq!(refused("How are drawings sent with Courier?", &passages).await, None);
}
