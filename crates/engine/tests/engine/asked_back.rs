//! Questions that say "it" of something nobody has named.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Question, Speaker, Turn};
use vouch_engine::decide::Decision;
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
};

use crate::support::engines::{engine_over, filled};

async fn decision(question: Question) -> Decision {
    let documents = vec![kept(card("a", &[]), &["mast lamp rope"]), kept(card("b", &[]), &["mast oil height"])];
    engine_over(&filled(documents).await).ask(&question).await.expect("the question is walked").decision
}

#[tokio::test]
async fn it_is_asked_back_with_what_was_found_and_each_choice_is_a_whole_question() {
    let Decision::Clarify(asked) = decision(Question::new("How do I lower its mast?", everyone())).await else {
        panic!("no question back");
    };
    assert_eq!(asked.question, "What does \"its\" stand for?");
    let queries: Vec<&str> = asked.options.iter().map(|option| option.query.as_str()).collect();
    assert!(queries.contains(&"How do I lower About a's mast?"), "{queries:?}");
}

#[tokio::test]
async fn a_kind_alone_is_asked_back_with_documents_of_that_kind() {
    let kind = card("a", &[]).kind;
    let documents = vec![kept(card("a", &[]), &["mast lamp rope"]), kept(card("b", &[]), &["mast oil height"])];
    let mut engine = engine_over(&filled(documents).await);
    engine.policies.understand.kind_names = vec![(kind.clone(), kind.clone())];
    let asked = async |text: String| engine.ask(&Question::new(text, everyone())).await.expect("it is walked").decision;
    let Decision::Clarify(back) = asked(format!("Tell me the {kind}")).await else { panic!("no question back") };
    assert_eq!(back.question, format!("Which {kind} do you mean?"));
    assert!(!back.options.is_empty() && back.options.iter().all(|option| option.query == option.label));
    assert!(!matches!(asked(format!("Tell me the {kind} of the mast")).await, Decision::Clarify(_)));
}

#[tokio::test]
async fn a_greeting_gets_a_word_back_and_nothing_is_searched() {
    let documents = vec![kept(card("a", &[]), &["hello thanks mast"])];
    let engine = engine_over(&filled(documents).await);
    for (said, reply) in
        [("Hello!", "Hello."), ("thanks", "You are welcome."), ("Thank you very much", "You are welcome.")]
    {
        let response = engine.ask(&Question::new(said, everyone())).await.expect("it is walked");
        let Decision::Clarify(back) = &response.decision else { panic!("{said}: {:?}", response.decision) };
        assert!(back.question.starts_with(reply), "{said}: {}", back.question);
        assert!(response.trace.lanes.is_empty() && response.evidence.pieces().is_empty(), "{said}");
    }
    let asked = engine.ask(&Question::new("thanks mast", everyone())).await.expect("it is walked");
    assert!(!asked.trace.lanes.is_empty());
}

#[tokio::test]
async fn what_a_program_said_before_names_nothing() {
    let mut question = Question::new("How do I lower its mast?", everyone());
    question.conversation = vec![Turn::new(Speaker::System, "You help on the boat.")];
    assert!(matches!(decision(question).await, Decision::Clarify(_)));
}

#[tokio::test]
async fn a_conversation_before_it_or_a_name_in_it_is_enough() {
    let mut question = Question::new("How do I lower its mast?", everyone());
    question.conversation = vec![Turn::new(Speaker::Asker, "Where is the boat?".to_owned())];
    assert!(!matches!(decision(question).await, Decision::Clarify(_)));
    let named = Question::new("How do I lower the mast?", everyone());
    assert!(!matches!(decision(named).await, Decision::Clarify(_)));
}
