//! Terms that the vocabulary does not define, where the profile has them looked for in the documents.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::Question;
use vouch_engine::{
    ask::{Engine, QuestionKind, Response},
    decide::Decision,
    policy::{TerminologyPolicy, UnknownTerm},
    terminology::TermLookup,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeJudge, FakeVocabulary, ScriptedGenerator, StoppedClock, concept},
};

use crate::support::engines::{engine_over, filled};

const FACT: &str = "The mileage rate is 67 cents a mile.";

/// Asks where three terms were imported that the documents do not use, one of them without a definition.
async fn ask(unknown: UnknownTerm, answerable: f32, text: &str) -> Response {
    let terms = vec![
        concept("https://t.test/tap", &["Tap"], Some("A point on a winding.")),
        concept("https://t.test/rates", &["Mileage rates table"], Some("A table.")),
        concept("https://t.test/bare", &["Mile rate"], None),
    ];
    let policy = TerminologyPolicy { unknown, ..TerminologyPolicy::default() };
    let (vocabulary, clock) = (Arc::new(FakeVocabulary::new(terms)), Arc::new(StoppedClock::at(0)));
    let engine = Engine {
        terms: Some(Arc::new(TermLookup::new(vocabulary, clock, policy))),
        passage_judge: Some(Arc::new(FakeJudge::always(answerable, 0.9))),
        writer: Arc::new(ScriptedGenerator::saying(&[(FACT, &[1])])),
        ..engine_over(&filled(vec![kept(card("travel", &[]), &[FACT])]).await)
    };
    engine.ask(&Question::new(text, everyone())).await.expect("the question is walked")
}

#[tokio::test]
async fn a_term_that_the_vocabulary_does_not_define_is_answered_from_the_documents_which_is_said() {
    for question in ["What is the mileage rate?", "Define mileage rate", "What does mileage rate mean?"] {
        let response = ask(UnknownTerm::Documents, 0.9, question).await;
        let Decision::Answer(answer) = &response.decision else { panic!("{question}: {:?}", response.decision) };
        assert_eq!(answer.text().with_markers(), format!("{FACT} [^1]"), "{question}");
        let notice = "The vocabulary does not define \"mileage rate\"; this is what the documents say, not a \
                      definition from the vocabulary.";
        assert_eq!(answer.notices(), [notice], "{question}");
        assert_ne!(response.intent, QuestionKind::Terminology, "it is no answer of the vocabulary");
        let lookup = response.trace.lookup.expect("it was looked up");
        assert_eq!(lookup.outcome.as_str(), "miss");
    }
}

#[tokio::test]
async fn a_term_that_is_listed_without_a_definition_is_looked_for_in_the_documents_too() {
    let response = ask(UnknownTerm::Documents, 0.9, "Define mile rate").await;
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert!(answer.notices().iter().any(|notice| notice.contains("\"mile rate\"")), "{:?}", answer.notices());
}

#[tokio::test]
async fn what_neither_vocabulary_nor_documents_answer_is_refused_with_both() {
    let response = ask(UnknownTerm::Documents, 0.1, "What is the mileage rate?").await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!((refusal.reason.as_str(), response.intent), ("terminology_not_found", QuestionKind::Terminology));
    let sentence =
        "gate terminology: no vocabulary defines \"mileage rate\", and no certain answer was found in the documents";
    assert_eq!(refusal.reason.sentence(), sentence);
    assert!(refusal.nearest.is_some(), "what comes nearest is shown");
    let offered: Vec<&str> = refusal.suggestions.iter().map(|one| one.query.as_str()).collect();
    assert!(offered.contains(&"Define Mileage rates table"), "{offered:?}");
}

#[tokio::test]
async fn a_profile_that_abstains_refuses_without_a_look_at_the_documents() {
    let response = ask(UnknownTerm::Abstain, 0.9, "What is the mileage rate?").await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(refusal.reason.as_str(), "terminology_not_found");
}

#[tokio::test]
async fn a_term_that_it_defines_is_answered_by_the_vocabulary_all_the_same() {
    let response = ask(UnknownTerm::Documents, 0.9, "What is a tap?").await;
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(answer.text().with_markers(), "A point on a winding. [^1]");
    assert!(answer.notices().is_empty());
}
