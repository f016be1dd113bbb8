//! One breaker per service, all of them known to whoever shows their state.

use std::{collections::BTreeMap, sync::Arc};

use vouch_domain::ports::Clock;
use vouch_engine::{
    breaker::{Breaker, BreakerState},
    policy::BreakerPolicy,
};
use vouch_service::metrics::ServiceState;

use crate::settings::CircuitBreakerSettings;

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

    /// The reranker's server, with the figures of models.
    pub(super) fn reranker(&mut self) -> Arc<Breaker> {
        self.add("reranker".to_owned(), self.settings.llm)
    }

    /// A model server's, the same for every job it does.
    pub(super) fn llm(&mut self, server: &str) -> Arc<Breaker> {
        if let Some(known) = self.servers.get(server) {
            return Arc::clone(known);
        }
        let service = if self.servers.is_empty() { "llm".to_owned() } else { format!("llm:{server}") };
        let fresh = self.add(service, self.settings.llm);
        self.servers.insert(server.to_owned(), Arc::clone(&fresh));
        fresh
    }

    fn add(&mut self, service: String, policy: BreakerPolicy) -> Arc<Breaker> {
        let fresh = breaker(service, policy, self.clock);
        self.all.push(Arc::clone(&fresh));
        fresh
    }
}

fn breaker(service: String, policy: BreakerPolicy, clock: &Arc<dyn Clock>) -> Arc<Breaker> {
    Arc::new(Breaker::new(service, policy, Arc::clone(clock)))
}

/// A breaker as the figures show it.
pub(super) fn state(breaker: &Arc<Breaker>) -> ServiceState {
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
