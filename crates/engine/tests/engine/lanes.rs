//! A lane that is down or late is noted and the other goes on; without a reading of relevance nothing is answered.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use regex::Regex;
use vouch_domain::{
    Address, EmbedderIdentity, Embedding, Fault, PassageKey, PortError, Question, Reader, RelevanceMap,
    ports::{DenseIndex, Embedder, Generation, LaneHit, LexicalIndex, Spelling},
};
use vouch_engine::{
    ask::{AskError, Engine},
    decide::Decision,
    policy::{AddressScheme, Policies},
    retrieve::{Candidates, Lane, LaneChoice},
    trace::Fallback,
    understand::NotAQuestion,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeEmbedder, ScriptedGenerator},
};

use crate::support::engines::{engine_over, filled};

const FACT: &str = "mast lamp rope wind";

type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send + 'a>>;

/// How a broken port breaks.
#[derive(Clone, Copy)]
enum Manner {
    Fails,
    IsDamaged,
    NeverAnswers,
}

async fn broken<T>(manner: Manner) -> Result<T, PortError> {
    match manner {
        Manner::Fails => Err(PortError::new("lexical", Fault::Internal, "the index is torn")),
        Manner::IsDamaged => Err(PortError::new("catalogue", Fault::Corrupt, "a stored row is damaged")),
        Manner::NeverAnswers => std::future::pending().await,
    }
}

struct BrokenLexical(Manner);

impl LexicalIndex for BrokenLexical {
    fn refresh<'a, 'b>(&'a self) -> Reply<'b, Generation>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }

    fn matching<'a, 'r, 't, 'b>(&'a self, _: &'r Reader, _: &'t str, _: usize) -> Reply<'b, Vec<LaneHit>>
    where
        'a: 'b,
        'r: 'b,
        't: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }

    fn rare<'a, 'r, 't, 'b>(&'a self, _: &'r Reader, _: &'t str, _: usize) -> Reply<'b, Vec<PassageKey>>
    where
        'a: 'b,
        'r: 'b,
        't: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }

    fn spellings<'a, 'r, 't, 'b>(&'a self, _: &'r Reader, _: &'t str) -> Reply<'b, Vec<Spelling>>
    where
        'a: 'b,
        'r: 'b,
        't: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }
}

/// An index of vectors that cannot be read.
struct BrokenDense(Manner);

impl DenseIndex for BrokenDense {
    fn refresh<'a, 'b>(&'a self) -> Reply<'b, Generation>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }

    fn nearest<'a, 'r, 'v, 'b>(&'a self, _: &'r Reader, _: &'v Embedding, _: usize) -> Reply<'b, Vec<LaneHit>>
    where
        'a: 'b,
        'r: 'b,
        'v: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }

    fn cosines<'a, 'v, 'k, 'b>(&'a self, _: &'v Embedding, _: &'k [PassageKey]) -> Reply<'b, Vec<Option<f32>>>
    where
        'a: 'b,
        'v: 'b,
        'k: 'b,
        Self: 'b,
    {
        Box::pin(broken(self.0))
    }
}

/// An embedder that never comes back.
struct SlowEmbedder(FakeEmbedder);

impl Embedder for SlowEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        self.0.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.0.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.0.likeness_map()
    }

    fn embed<'a, 'b>(&'a self, _: Vec<String>) -> Reply<'b, Vec<Embedding>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(std::future::pending())
    }
}

/// A working engine on one document.
async fn engine() -> Engine {
    let mut policies = Policies::default();
    policies.retrieve.lane_timeout = Duration::from_millis(50);
    Engine {
        writer: Arc::new(ScriptedGenerator::saying(&[(FACT, &[1])])),
        policies,
        ..engine_over(&filled(vec![kept(card("a", &[]), &[FACT])]).await)
    }
}

async fn with_embedder(embedder: impl Embedder + 'static) -> Engine {
    let mut engine = engine().await;
    engine.retrieve.embedder = Arc::new(embedder);
    engine
}

async fn with_lexical(manner: Manner) -> Engine {
    let mut engine = engine().await;
    engine.retrieve.lexical = Arc::new(BrokenLexical(manner));
    engine
}

fn question() -> Question {
    Question::new(FACT, everyone())
}

fn lanes(found: &Candidates) -> Vec<(&str, usize, Option<&str>)> {
    found.lanes().iter().map(|lane| (lane.lane.as_str(), lane.hits, lane.failure.as_deref())).collect()
}

async fn search(engine: &Engine, choice: LaneChoice) -> Candidates {
    engine.search(&question(), choice).await.expect("a search")
}

/// The fault of the port that ended the question.
fn port_fault<T>(outcome: Result<T, AskError>) -> Option<Fault> {
    match outcome {
        Ok(_) | Err(AskError::NotAQuestion(NotAQuestion::Empty | NotAQuestion::TooLong { .. })) => None,
        Err(AskError::Port(error)) => Some(error.fault),
        Err(AskError::Model(_) | AskError::Agent(_)) => None,
    }
}

#[tokio::test]
async fn both_lanes_report_what_they_found() {
    let engine = engine().await;
    assert_eq!(lanes(&search(&engine, LaneChoice::All).await), [("dense", 1, None), ("lexical", 1, None)]);
    assert!(matches!(engine.ask(&question()).await.expect("an answer").decision, Decision::Answer(_)));
}

#[tokio::test]
async fn without_an_embedder_the_words_still_find_passages() {
    let found = search(&with_embedder(FakeEmbedder::down()).await, LaneChoice::All).await;
    assert_eq!(lanes(&found), [("dense", 0, Some("embedder: the embedder is down")), ("lexical", 1, None)]);
    let first = found.items().first().expect("a passage");
    assert_eq!((first.passage.source_id(), first.similarity), ("a:0".to_owned(), None));
    assert_eq!(first.found_by.iter().map(|one| one.lane).collect::<Vec<_>>(), [Lane::Lexical]);
}

#[tokio::test]
async fn without_embedder_and_judge_nothing_is_answered() {
    for gates in [Policies::default().judge.gates, Vec::new()] {
        let mut engine = with_embedder(FakeEmbedder::down()).await;
        engine.passage_judge = None;
        engine.policies.judge.gates = gates;
        engine.policies.judge.relevance_floor = 0.0;
        let response = engine.ask(&question()).await.expect("a decision");
        assert!(matches!(response.decision, Decision::Refuse(_)), "{:?}", response.decision);
        assert!(response.evidence.pieces().is_empty());
        let dense = response.trace.lanes.first().expect("a report");
        assert_eq!((dense.lane.as_str(), dense.failure.as_deref()), ("dense", Some("embedder: the embedder is down")));
    }
}

#[tokio::test]
async fn without_the_index_of_vectors_what_the_judge_reads_is_answered_and_nothing_fails() {
    for manner in [Manner::Fails, Manner::NeverAnswers] {
        let mut engine = engine().await;
        engine.retrieve.dense = Arc::new(BrokenDense(manner));
        let response = engine.ask(&question()).await.expect("a decision");
        assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
        assert_eq!(response.trace.fallbacks, [Fallback::Bm25Only]);
        assert!(response.trace.lanes.first().expect("a report").failure.is_some());
        assert_eq!(search(&engine, LaneChoice::All).await.items().len(), 1);
    }
}

#[tokio::test]
async fn a_question_that_names_a_document_does_not_fail_with_the_embedder() {
    let mut engine = with_embedder(FakeEmbedder::down()).await;
    let mut named = card("a", &[]);
    named.kind = "ADR".to_owned();
    named.address = Address::parse("ADR-7");
    let store = filled(vec![kept(named, &[FACT])]).await;
    engine.retrieve.catalogue = store.clone();
    engine.retrieve.register = store.clone();
    engine.policies.understand.addresses = vec![AddressScheme {
        kind: Some("ADR".to_owned()),
        pattern: Regex::new(r"(?i)\bADR-(?P<number>\d+)").expect("a pattern"),
        normal: "ADR-{number}".to_owned(),
        from_name: None,
        lead_section: None,
    }];
    let asked = Question { text: "Which wind does ADR-7 name?".to_owned(), ..question() };
    let response = engine.ask(&asked).await.expect("a decision");
    assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
    assert!(response.trace.lanes.iter().any(|lane| lane.failure.is_some()), "{:?}", response.trace.lanes);
}

#[tokio::test]
async fn without_the_index_of_words_meaning_still_answers() {
    let engine = with_lexical(Manner::Fails).await;
    let response = engine.ask(&question()).await.expect("a decision");
    assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
    let lexical = response.trace.lanes.last().expect("a report");
    assert_eq!((lexical.lane.as_str(), lexical.failure.as_deref()), ("lexical", Some("lexical: the index is torn")));
}

#[tokio::test]
async fn with_every_lane_down_a_question_is_refused_honestly_and_a_search_fails() {
    let mut engine = with_lexical(Manner::Fails).await;
    engine.retrieve.embedder = Arc::new(FakeEmbedder::down());
    let response = engine.ask(&question()).await.expect("a decision");
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    let why = "gate search: the search failed (embedder: the embedder is down; lexical: the index is torn)";
    assert_eq!((refusal.reason.as_str(), refusal.reason.sentence().as_str()), ("search_unavailable", why));
    assert_eq!(port_fault(engine.search(&question(), LaneChoice::All).await), Some(Fault::Unavailable));
}

#[tokio::test]
async fn damage_is_not_answered_around_as_a_lane_that_is_down_is() {
    let by_words = with_lexical(Manner::IsDamaged).await;
    assert_eq!(port_fault(by_words.ask(&question()).await), Some(Fault::Corrupt));
    let mut by_meaning = with_lexical(Manner::Fails).await;
    by_meaning.retrieve.dense = Arc::new(BrokenDense(Manner::IsDamaged));
    assert_eq!(port_fault(by_meaning.ask(&question()).await), Some(Fault::Corrupt));
}

#[tokio::test]
async fn a_lane_asked_for_alone_has_no_substitute() {
    let engine = with_lexical(Manner::Fails).await;
    let alone = engine.search(&question(), LaneChoice::Only(Lane::Lexical)).await;
    assert_eq!(port_fault(alone), Some(Fault::Internal));
    let dense = search(&engine, LaneChoice::Only(Lane::Dense)).await;
    assert_eq!(lanes(&dense), [("dense", 1, None)]);
}

#[tokio::test]
async fn a_lane_slower_than_its_deadline_is_noted_and_not_waited_for() {
    let late = with_lexical(Manner::NeverAnswers).await;
    let response = tokio::time::timeout(Duration::from_secs(20), late.ask(&question())).await;
    let response = response.expect("the deadline holds").expect("a decision");
    assert!(matches!(response.decision, Decision::Answer(_)));
    let lexical = response.trace.lanes.last().expect("a report");
    assert_eq!(lexical.failure.as_deref(), Some("lexical: no answer within the deadline"));
}

#[tokio::test]
async fn an_embedder_slower_than_its_deadline_is_noted_and_not_waited_for() {
    let late = with_embedder(SlowEmbedder(FakeEmbedder::named("slow"))).await;
    let found = tokio::time::timeout(Duration::from_secs(20), search(&late, LaneChoice::All)).await;
    let found = found.expect("the deadline holds");
    assert_eq!(lanes(&found), [("dense", 0, Some("embedder: no answer within the deadline")), ("lexical", 1, None)]);
}
