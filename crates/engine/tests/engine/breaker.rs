//! A service that fails again and again: when it is no longer asked, when again, and what answers are worth meanwhile.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Embedding, Fault, ModelError, PassageKey, PortError, Question, Reader,
    ports::{CompletionRequest, DenseIndex, Generation, LaneHit, LanguageModel},
};
use vouch_engine::{
    ask::{Engine, Response},
    breaker::{Breaker, BreakerState, GuardedDense, GuardedModel},
    decide::Decision,
    policy::{BreakerPolicy, GatePolicy, Policies},
    retrieve::RetrievePorts,
    trace::Fallback,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeEmbedder, FakeJudge, Script, ScriptedGenerator, ScriptedModel, Step, StoppedClock},
};

use crate::support::{
    engines::{engine_over, filled},
    ports::ports,
};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

fn breaker() -> (Arc<Breaker>, Arc<StoppedClock>) {
    let clock = Arc::new(StoppedClock::at(0));
    (Arc::new(Breaker::with_default_policy("embeddings", clock.clone())), clock)
}

fn fail(breaker: &Arc<Breaker>, times: usize) {
    for _ in 0..times {
        breaker.try_acquire().expect("leave to ask").failed();
    }
}

#[test]
fn five_failures_in_a_row_open_it_and_four_do_not() {
    let (breaker, _) = breaker();
    fail(&breaker, 4);
    breaker.try_acquire().expect("leave to ask").succeeded();
    fail(&breaker, 4);
    assert_eq!(breaker.state(), BreakerState::Closed);
    fail(&breaker, 1);
    assert_eq!((breaker.state(), breaker.counts().trips), (BreakerState::Open, 1));
    assert!(breaker.try_acquire().is_none());
}

#[test]
fn where_another_server_found_a_service_to_fail_the_first_failure_here_opens_and_nothing_else_does() {
    let (breaker, _) = self::breaker();
    breaker.warn(Duration::from_secs(10));
    assert_eq!(breaker.state(), BreakerState::Closed, "another's word alone opens nothing");
    breaker.try_acquire().expect("leave to ask").succeeded();
    fail(&breaker, 1);
    assert_eq!(breaker.state(), BreakerState::Open);
    let (breaker, _) = self::breaker();
    breaker.warn(HALF_A_MINUTE);
    fail(&breaker, 1);
    assert_eq!(breaker.state(), BreakerState::Closed, "by then the other asks it again");
    // A warning is over when the other asks again.
    let (breaker, own_clock) = self::breaker();
    breaker.warn(Duration::from_secs(10));
    own_clock.advance(Duration::from_secs(20));
    fail(&breaker, 4);
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn after_half_a_minute_exactly_one_probe_is_let_through() {
    let (breaker, clock) = breaker();
    fail(&breaker, 5);
    clock.advance(HALF_A_MINUTE - Duration::from_millis(1));
    assert!(breaker.try_acquire().is_none());
    clock.advance(Duration::from_millis(1));
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    let probe = breaker.try_acquire().expect("a probe");
    assert!((0..100).all(|_| breaker.try_acquire().is_none()), "one at a time");
    probe.succeeded();
    assert_eq!(breaker.state(), BreakerState::HalfOpen, "one success is not enough");
    breaker.try_acquire().expect("a second probe").succeeded();
    assert_eq!(breaker.state(), BreakerState::Closed);
    assert_eq!(breaker.counts().turned_away, 101);
}

#[test]
fn of_many_threads_that_come_at_once_one_gets_the_probe() {
    let (breaker, clock) = breaker();
    fail(&breaker, 5);
    clock.advance(HALF_A_MINUTE);
    let start = std::sync::Barrier::new(16);
    let leaves: Vec<_> = std::thread::scope(|scope| {
        let ask = || {
            start.wait();
            breaker.try_acquire()
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    assert_eq!(leaves.iter().flatten().count(), 1);
}

#[test]
fn a_failed_probe_opens_it_again_and_one_nobody_waited_for_makes_room() {
    let (breaker, clock) = breaker();
    fail(&breaker, 5);
    clock.advance(HALF_A_MINUTE);
    drop(breaker.try_acquire().expect("a probe"));
    breaker.try_acquire().expect("room for the next").failed();
    assert_eq!((breaker.state(), breaker.counts().trips), (BreakerState::Open, 2));
    clock.advance(HALF_A_MINUTE);
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
}

#[test]
fn late_failures_of_a_storm_do_not_count_once_it_is_over() {
    let (breaker, clock) = breaker();
    let under_way: Vec<_> = (0..20).map(|_| breaker.try_acquire().expect("leave to ask")).collect();
    fail(&breaker, 5);
    clock.advance(HALF_A_MINUTE);
    breaker.try_acquire().expect("a probe").succeeded();
    breaker.try_acquire().expect("a probe").succeeded();
    under_way.into_iter().for_each(|permit| permit.failed());
    assert_eq!((breaker.state(), breaker.counts().trips), (BreakerState::Closed, 1));
}

#[tokio::test]
async fn what_was_asked_wrongly_says_nothing_of_the_service() {
    let (breaker, _) = breaker();
    for _ in 0..20 {
        let refused: Result<(), PortError> =
            breaker.guard(async { Err(PortError::new("embedder", Fault::Invalid, "too long")) }).await;
        assert!(refused.is_err());
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

fn completion_request() -> CompletionRequest {
    CompletionRequest {
        model: "m".to_owned(),
        messages: Vec::new(),
        temperature: 0.0,
        context_window: 100,
        response_tokens_max: 10,
        response_bytes_max: 1_000,
        first_token_timeout: Duration::from_secs(1),
        gap_timeout: Duration::from_secs(1),
        timeout: Duration::from_secs(1),
        schema: None,
        tools: Vec::new(),
    }
}

#[tokio::test]
async fn a_model_server_that_accepts_and_then_breaks_off_is_no_longer_asked_either() {
    let (breaker, _) = breaker();
    let broken = ModelError::Connection { sentence: "broke off".to_owned() };
    let script = Script::saying(["The "]).then(Step::Fail(broken));
    let server = Arc::new(ScriptedModel::named("m", vec![script; 6]));
    let model = GuardedModel::new(server, Arc::clone(&breaker));
    for _ in 0..5 {
        let mut completion = model.stream_completion(completion_request()).await.expect("it accepts");
        while let Ok(Some(_)) = completion.next().await {}
    }
    let refused = model.stream_completion(completion_request()).await.err().expect("it is not asked");
    assert!(matches!(refused, ModelError::CircuitOpen { .. }), "{refused}");
    assert_eq!(refused.code(), "llm_connection");
}

/// An engine whose embedder can be taken down.
struct Scene {
    engine: Engine,
    embedder: FakeEmbedder,
    breaker: Arc<Breaker>,
    clock: Arc<StoppedClock>,
}

const FACT: &str = "The mast height is two metres.";

async fn scene(judge: FakeJudge) -> Scene {
    let (breaker, clock) = breaker();
    let store = filled(vec![kept(card("mast", &[]), &[FACT])]).await;
    let embedder = FakeEmbedder::named("fake");
    let mut policies = Policies::default();
    policies.judge.gates = vec![GatePolicy::Answerability { at_least: 0.3 }];
    let engine = Engine {
        retrieve: RetrievePorts {
            embedder: Arc::new(embedder.clone()),
            breaker: Arc::clone(&breaker),
            ..ports(&store)
        },
        passage_judge: Some(Arc::new(judge)),
        writer: Arc::new(ScriptedGenerator::saying(&[(FACT, &[1])])),
        clock: clock.clone(),
        policies,
        ..engine_over(&store)
    };
    Scene { engine, embedder, breaker, clock }
}

impl Scene {
    async fn ask(&self) -> Response {
        self.engine.ask(&Question::new("What is the mast height?", everyone())).await.expect("the question is walked")
    }
}

#[tokio::test]
async fn without_the_embedder_questions_are_answered_by_words_with_a_fifth_less_confidence() {
    let scene = scene(FakeJudge::always(0.9, 0.9)).await;
    let whole = scene.ask().await;
    let Decision::Answer(whole) = &whole.decision else { panic!("{:?}", whole.decision) };
    scene.embedder.set_down(true);
    let degraded = scene.ask().await;
    assert_eq!(degraded.trace.fallbacks, [Fallback::Bm25Only]);
    let Decision::Answer(answer) = &degraded.decision else { panic!("{:?}", degraded.decision) };
    assert_eq!(answer.text().with_markers(), whole.text().with_markers());
    let share = f64::from(answer.confidence().overall) / f64::from(answer.confidence().undiminished);
    assert!((share - 0.8).abs() < 0.01, "{:?}", answer.confidence());
}

#[tokio::test]
async fn a_storm_opens_the_circuit_every_question_is_still_answered_and_recovery_closes_it() {
    let scene = scene(FakeJudge::always(0.9, 0.9)).await;
    scene.embedder.set_down(true);
    for asked in 1..=20 {
        let response = scene.ask().await;
        assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
        let both = [Fallback::Bm25Only, Fallback::CircuitOpen];
        let flags = if asked <= 5 { &both[..1] } else { &both[..] };
        assert_eq!(response.trace.fallbacks, flags, "question {asked}");
    }
    assert_eq!(scene.embedder.asked(), 5, "after five failures nobody asks it");
    assert_eq!((scene.breaker.state(), scene.breaker.counts().turned_away), (BreakerState::Open, 15));
    scene.embedder.set_down(false);
    scene.clock.advance(HALF_A_MINUTE);
    for _ in 0..2 {
        assert!(scene.ask().await.trace.fallbacks.is_empty());
    }
    assert_eq!(scene.breaker.state(), BreakerState::Closed);
    assert_eq!(scene.embedder.asked(), 7);
}

#[tokio::test]
async fn conf_05_what_is_too_unsure_under_fallback_is_not_shown() {
    let mut scene = scene(FakeJudge::always(0.9, 0.9)).await;
    scene.engine.policies.decide.fallback_confidence_at_least = 90;
    assert!(matches!(scene.ask().await.decision, Decision::Answer(_)), "with everything up the figure does not count");
    scene.embedder.set_down(true);
    let response = scene.ask().await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(refusal.reason.as_str(), "confidence");
}

#[tokio::test]
async fn words_alone_are_no_evidence_where_the_judge_does_not_find_the_answer() {
    let scene = scene(FakeJudge::always(0.05, 0.05)).await;
    scene.embedder.set_down(true);
    let response = scene.ask().await;
    assert!(matches!(response.decision, Decision::Refuse(_)), "{:?}", response.decision);
}

#[tokio::test]
async fn without_a_judge_words_alone_are_no_evidence_at_all() {
    let mut scene = scene(FakeJudge::always(0.9, 0.9)).await;
    scene.engine.passage_judge = None;
    scene.engine.policies.judge.gates = Vec::new();
    scene.embedder.set_down(true);
    assert!(matches!(scene.ask().await.decision, Decision::Refuse(_)));
}

#[tokio::test]
async fn figures_of_its_own_decide_when_it_opens() {
    let clock = Arc::new(StoppedClock::at(0));
    let policy = BreakerPolicy { failure_threshold: 2, success_threshold: 1, open_for: Duration::from_secs(1) };
    let breaker = Arc::new(Breaker::new("skosmos", policy, clock.clone()));
    fail(&breaker, 2);
    assert_eq!(breaker.state(), BreakerState::Open);
    clock.advance(Duration::from_secs(1));
    breaker.try_acquire().expect("a probe").succeeded();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

/// An index of vectors that can do nothing, and counts how often it was asked to be brought up.
struct FailingIndex {
    search: Fault,
    brought_up: Arc<AtomicUsize>,
}

fn failing<T>(fault: Fault) -> Result<T, PortError> {
    Err(PortError::new("dense", fault, "not now"))
}

#[async_trait]
impl DenseIndex for FailingIndex {
    async fn refresh(&self) -> Result<Generation, PortError> {
        self.brought_up.fetch_add(1, Ordering::SeqCst);
        failing(Fault::Timeout)
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        failing(Fault::Unavailable)
    }

    async fn nearest(&self, _: &Reader, _: &Embedding, _: usize) -> Result<Vec<LaneHit>, PortError> {
        failing(self.search)
    }

    async fn cosines(&self, _: &Embedding, _: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        failing(Fault::Internal)
    }
}

#[tokio::test]
async fn of_an_index_of_vectors_searches_count_and_bringing_it_up_does_not() {
    let vector = FakeEmbedder::vector("mast");
    let brought_up = Arc::<AtomicUsize>::default();
    for (search, state) in [(Fault::Held, BreakerState::Closed), (Fault::Unavailable, BreakerState::Open)] {
        let (breaker, _) = breaker();
        let index = Arc::new(FailingIndex { search, brought_up: Arc::clone(&brought_up) });
        let guarded = GuardedDense::new(index, Arc::clone(&breaker));
        for _ in 0..10 {
            assert!(guarded.refresh().await.is_err() && guarded.catch_up().await.is_err());
            assert!(guarded.generation().await.is_err());
        }
        assert_eq!((breaker.state(), breaker.counts().requests), (BreakerState::Closed, 0));
        for _ in 0..5 {
            assert!(guarded.nearest(&everyone(), &vector, 3).await.is_err());
        }
        assert_eq!(breaker.state(), state, "{search:?}");
        // A question does not wait for a server that is not asked; others may bring it up.
        brought_up.store(0, Ordering::SeqCst);
        let waited = guarded.catch_up().await.expect_err("it fails").fault;
        assert_eq!(waited == Fault::CircuitOpen, state == BreakerState::Open, "{waited:?}");
        assert_eq!(brought_up.load(Ordering::SeqCst), usize::from(state == BreakerState::Closed));
        assert_eq!(guarded.refresh().await.expect_err("it fails").fault, Fault::Timeout);
    }
}
