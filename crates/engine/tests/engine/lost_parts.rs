//! Whatever part of a search is lost, an answer is a fifth less certain, once.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{
    Embedding, Fault, PassageKey, PortError, Question, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::TerminologyPolicy,
    terminology::TermLookup,
    trace::Fallback,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeJudge, FakeMemory, FakeVocabulary, MemoryStore, ScriptedGenerator, StoppedClock},
};

use crate::support::engines::{engine_over, filled};

const FACT: &str = "The mast is ten metres high.";

/// Finds what is near, and cannot weigh anything else.
struct Weightless(Arc<MemoryStore>);

#[async_trait]
impl DenseIndex for Weightless {
    async fn refresh(&self) -> Result<Generation, PortError> {
        DenseIndex::refresh(self.0.as_ref()).await
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let mut hits = DenseIndex::nearest(self.0.as_ref(), reader, vector, limit).await?;
        hits.truncate(1);
        Ok(hits)
    }

    async fn cosines(&self, _: &Embedding, _: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        Err(PortError::new("dense", Fault::Unavailable, "no connection"))
    }
}

async fn asked(change: impl FnOnce(&mut Engine, &Arc<MemoryStore>)) -> Response {
    let documents = vec![kept(card("mast", &[]), &[FACT]), kept(card("rope", &[]), &["The rope of the mast is red."])];
    let store = filled(documents).await;
    let mut engine = Engine {
        passage_judge: Some(Arc::new(FakeJudge::always(0.9, 0.9))),
        writer: Arc::new(ScriptedGenerator::saying(&[(FACT, &[1]), (FACT, &[2])])),
        ..engine_over(&store)
    };
    // What is asked here is how much less certain it is, and not whether that is still enough.
    engine.policies.decide.fallback_confidence_at_least = 0;
    change(&mut engine, &store);
    engine.ask(&Question::new("How high is the mast?", everyone())).await.expect("the question is walked")
}

fn check(lost: &Response, flag: Fallback) {
    assert_eq!(lost.trace.fallbacks, [flag]);
    let Decision::Answer(answer) = &lost.decision else { panic!("{flag:?}: {:?}", lost.decision) };
    let share = f64::from(answer.confidence().overall) / f64::from(answer.confidence().undiminished);
    assert!((share - 0.8).abs() < 0.01, "{flag:?}: {:?}", answer.confidence());
}

#[tokio::test]
async fn with_every_part_there_nothing_is_taken_off() {
    let whole = asked(|_, _| {}).await;
    let Decision::Answer(answer) = &whole.decision else { panic!("{:?}", whole.decision) };
    assert_eq!(answer.confidence().overall, answer.confidence().undiminished);
    assert!(whole.trace.fallbacks.is_empty());
}

#[tokio::test]
async fn a_memory_that_fails_takes_a_fifth() {
    let lost = asked(|engine, _| engine.memory = Some(Arc::new(FakeMemory::down()))).await;
    check(&lost, Fallback::LaneLost);
}

#[tokio::test]
async fn a_vocabulary_that_fails_where_synonyms_are_looked_up_takes_a_fifth() {
    let lost = asked(|engine, _| {
        let (vocabulary, clock) = (Arc::new(FakeVocabulary::down()), Arc::new(StoppedClock::at(0)));
        engine.terms = Some(Arc::new(TermLookup::new(vocabulary, clock, TerminologyPolicy::default())));
    });
    check(&lost.await, Fallback::SkosmosError);
}

#[tokio::test]
async fn a_reranker_that_fails_takes_a_fifth() {
    let lost = asked(|engine, _| engine.reranker = Some(Arc::new(FakeJudge::down()))).await;
    check(&lost, Fallback::NotReranked);
}

#[tokio::test]
async fn an_index_that_cannot_weigh_what_words_found_takes_a_fifth() {
    let lost = asked(|engine, store| engine.retrieve.dense = Arc::new(Weightless(Arc::clone(store)))).await;
    check(&lost, Fallback::Bm25Only);
}
