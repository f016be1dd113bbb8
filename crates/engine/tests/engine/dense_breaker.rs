//! A server of vectors behind a breaker, as questions of several parts meet it: all that a question searches there at once is
//! one request, which is late where its lane is.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Embedding, Fault, PassageKey, PortError, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};
use vouch_engine::{
    ask::Engine,
    breaker::{Breaker, BreakerState, GuardedDense},
    retrieve::LaneChoice,
    trace::Fallback,
};
use vouch_testkit::fakes::{MemoryStore, StoppedClock};

use crate::support::{engine_over, filled, handbook, question};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);
/// Longer than anything takes that is not silent.
const A_MOMENT: Duration = Duration::from_millis(10);

#[derive(Clone, Copy)]
enum Manner {
    Answers,
    Fails(Fault),
    IsSilent,
}

/// An index behind a server, which never answers on the spot.
struct FarIndex {
    store: Arc<MemoryStore>,
    manner: Mutex<Manner>,
}

#[async_trait]
impl DenseIndex for FarIndex {
    async fn refresh(&self) -> Result<Generation, PortError> {
        DenseIndex::refresh(self.store.as_ref()).await
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        tokio::task::yield_now().await;
        let manner = *self.manner.lock().expect("a lock");
        match manner {
            Manner::Answers => self.store.nearest(reader, vector, limit).await,
            Manner::Fails(fault) => Err(PortError::new("dense", fault, "not now")),
            Manner::IsSilent => std::future::pending().await,
        }
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        self.store.cosines(vector, keys).await
    }
}

struct Scene {
    engine: Engine,
    index: Arc<FarIndex>,
    breaker: Arc<Breaker>,
    clock: Arc<StoppedClock>,
}

async fn scene(manner: Manner) -> Scene {
    let clock = Arc::new(StoppedClock::at(0));
    let breaker = Arc::new(Breaker::with_default_policy("dense", clock.clone()));
    let store = filled(handbook()).await;
    let mut engine = engine_over(&store);
    let index = Arc::new(FarIndex { store, manner: Mutex::new(manner) });
    engine.retrieve.dense = Arc::new(GuardedDense::new(index.clone(), Arc::clone(&breaker)));
    Scene { engine, index, breaker, clock }
}

impl Scene {
    fn turn(&self, manner: Manner) {
        *self.index.manner.lock().expect("a lock") = manner;
    }

    /// Searches for a question of several parts → what stood in for lanes that were down.
    async fn search(&self) -> Vec<Fallback> {
        let found = self.engine.search(&question(), LaneChoice::All).await.expect("words are searched in any case");
        assert!(found.rewrites().len() > 1, "{:?}", found.rewrites());
        found.fallbacks()
    }

    /// Searches and leaves before anything is late.
    async fn search_and_leave(&self) {
        assert!(tokio::time::timeout(A_MOMENT, self.search()).await.is_err(), "nobody waited for it");
    }

    /// What the breaker says, with the requests that it let through and those that failed.
    fn told(&self) -> (BreakerState, u64, u64) {
        let counts = self.breaker.counts();
        (self.breaker.state(), counts.requests, counts.failures)
    }
}

#[tokio::test]
async fn a_server_that_has_recovered_is_asked_again_by_questions_of_several_parts() {
    let scene = scene(Manner::Fails(Fault::Unavailable)).await;
    for _ in 0..5 {
        assert_eq!(scene.search().await, [Fallback::Bm25Only]);
    }
    assert_eq!(scene.told(), (BreakerState::Open, 5, 5), "a question is one request");
    assert_eq!(scene.search().await, [Fallback::Bm25Only, Fallback::CircuitOpen]);
    scene.clock.advance(HALF_A_MINUTE);
    scene.turn(Manner::IsSilent);
    scene.search_and_leave().await;
    assert_eq!(scene.told(), (BreakerState::HalfOpen, 6, 5), "one nobody waited for makes room");
    scene.turn(Manner::Answers);
    for _ in 0..2 {
        assert_eq!(scene.search().await, []);
    }
    assert_eq!(scene.told(), (BreakerState::Closed, 8, 5));
}

#[tokio::test]
async fn a_server_that_falls_silent_is_no_longer_asked_and_one_nobody_waited_for_has_not_failed() {
    let mut scene = scene(Manner::IsSilent).await;
    for _ in 0..6 {
        scene.search_and_leave().await;
    }
    assert_eq!(scene.told(), (BreakerState::Closed, 6, 0));
    scene.engine.policies.retrieve.lane_timeout = A_MOMENT;
    for _ in 0..5 {
        assert_eq!(scene.search().await, [Fallback::Bm25Only]);
    }
    assert_eq!(scene.told(), (BreakerState::Open, 11, 5));
    assert_eq!(scene.search().await, [Fallback::Bm25Only, Fallback::CircuitOpen]);
}

#[tokio::test]
async fn what_is_no_failure_of_the_server_opens_nothing() {
    for fault in [Fault::Held, Fault::Invalid, Fault::OtherEmbedder] {
        let scene = scene(Manner::Fails(fault)).await;
        for _ in 0..6 {
            assert_eq!(scene.search().await, [Fallback::Bm25Only], "{fault:?}");
        }
        assert_eq!(scene.told(), (BreakerState::Closed, 6, 0), "{fault:?}");
    }
}
