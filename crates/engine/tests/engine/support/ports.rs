//! A store → the ports that retrieval searches: everything in this store, an embedder that counts words, a stopped clock.

use std::sync::Arc;

use vouch_engine::{breaker::Breaker, retrieve::RetrievePorts};
use vouch_testkit::fakes::{FakeEmbedder, FakePlainWords, MemoryStore, StoppedClock};

pub fn ports(store: &Arc<MemoryStore>) -> RetrievePorts {
    RetrievePorts {
        catalogue: store.clone(),
        register: store.clone(),
        lexical: store.clone(),
        dense: store.clone(),
        embedder: Arc::new(FakeEmbedder::named("fake")),
        breaker: Arc::new(Breaker::with_default_policy("embeddings", Arc::new(StoppedClock::at(0)))),
        plain_words: Arc::new(FakePlainWords::default()),
    }
}
