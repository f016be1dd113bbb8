//! One breaker per service, all of them known to whoever shows their state.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use vouch_domain::ports::Clock;
use vouch_engine::{
    breaker::{Breaker, BreakerState},
    policy::BreakerPolicy,
};
use vouch_service::metrics::ServiceState;

use crate::settings::CircuitBreakerSettings;

/// The first model server, as its breaker is called.
const LLM: &str = "llm";

/// The breakers of one process.
pub(super) struct Breakers<'a> {
    pub(super) embeddings: Arc<Breaker>,
    pub(super) all: Vec<Arc<Breaker>>,
    servers: BTreeMap<String, Arc<Breaker>>,
    settings: &'a CircuitBreakerSettings,
    clock: &'a Arc<dyn Clock>,
}

impl<'a> Breakers<'a> {
    /// The embedder always has one.
    pub(super) fn new(settings: &'a CircuitBreakerSettings, clock: &'a Arc<dyn Clock>) -> Self {
        let embeddings = breaker("embeddings".to_owned(), settings.embeddings, clock);
        let all = vec![Arc::clone(&embeddings)];
        Self { embeddings, all, servers: BTreeMap::new(), settings, clock }
    }

    /// The vocabulary's server.
    pub(super) fn skosmos(&mut self) -> Arc<Breaker> {
        self.add("skosmos".to_owned(), self.settings.skosmos)
    }

    /// The server of vectors, with the figures of the embedder's.
    pub(super) fn dense(&mut self) -> Arc<Breaker> {
        self.add("dense".to_owned(), self.settings.embeddings)
    }

    /// The reranker's server, with the figures of models.
    pub(super) fn reranker(&mut self) -> Arc<Breaker> {
        self.add("reranker".to_owned(), self.settings.llm)
    }

    /// A model server's, the same for every job it does.
    pub(super) fn llm(&mut self, server: &str) -> Arc<Breaker> {
        if let Some(known) = self.servers.get(server) {
            return Arc::clone(known);
        }
        let service = if self.servers.is_empty() { LLM.to_owned() } else { format!("llm:{server}") };
        let fresh = self.add(service, self.settings.llm);
        self.servers.insert(server.to_owned(), Arc::clone(&fresh));
        fresh
    }

    /// Those of model servers.
    pub(super) fn of_models(self) -> Vec<Arc<Breaker>> {
        self.all.into_iter().filter(is_of_a_model).collect()
    }

    fn add(&mut self, service: String, policy: BreakerPolicy) -> Arc<Breaker> {
        let fresh = breaker(service, policy, self.clock);
        self.all.push(Arc::clone(&fresh));
        fresh
    }
}

/// Every breaker of a process, for whoever shows their state; those of models may be exchanged.
#[derive(Clone)]
pub struct BreakerBoard(Arc<RwLock<Vec<Arc<Breaker>>>>);

impl BreakerBoard {
    pub(super) fn new(breakers: Vec<Arc<Breaker>>) -> Self {
        Self(Arc::new(RwLock::new(breakers)))
    }

    /// The state of each.
    pub(super) fn states(&self) -> Vec<ServiceState> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().map(state).collect()
    }

    /// How often each has opened.
    pub fn trips(&self) -> BTreeMap<String, u64> {
        let breakers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        breakers.iter().map(|one| (one.service().to_owned(), one.counts().trips)).collect()
    }

    /// Says that another server has found a service to fail.
    pub fn warn(&self, service: &str, opened_ago: Duration) {
        let breakers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        breakers.iter().filter(|one| one.service() == service).for_each(|one| one.warn(opened_ago));
    }

    /// Other model servers in the place of those before.
    pub(super) fn replace_models(&self, fresh: Vec<Arc<Breaker>>) {
        let mut breakers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        breakers.retain(|one| !is_of_a_model(one));
        breakers.extend(fresh);
    }
}

fn is_of_a_model(breaker: &Arc<Breaker>) -> bool {
    breaker.service() == LLM || breaker.service().starts_with("llm:")
}

fn breaker(service: String, policy: BreakerPolicy, clock: &Arc<dyn Clock>) -> Arc<Breaker> {
    Arc::new(Breaker::new(service, policy, Arc::clone(clock)))
}

/// A breaker as the figures show it.
fn state(breaker: &Arc<Breaker>) -> ServiceState {
    let counts = breaker.counts();
    ServiceState {
        service: breaker.service().to_owned(),
        state: match breaker.state() {
            BreakerState::Closed => 0,
            BreakerState::HalfOpen => 1,
            BreakerState::Open => 2,
        },
        trips: counts.trips,
        requests: counts.requests,
        failures: counts.failures,
        fallbacks: counts.failures + counts.turned_away,
    }
}
