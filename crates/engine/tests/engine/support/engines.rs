//! Documents → a store that holds them → an engine over it, the only one that tests assemble.
//!
//! A test names the ports and policies it is about and takes the rest from here, so that a new port is added in one place:
//!
//! ```ignore
//! Engine { writer: Arc::new(Aloud), policies, ..engine_over(&filled(documents).await) }
//! ```
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::ports::{Catalogue, KeptDocument, LexicalIndex};
use vouch_engine::{ask::Engine, model_registry::ModelRegistry, policy::Policies};
use vouch_testkit::fakes::{FakeJudge, MemoryStore, ScriptedGenerator, StoppedClock};

use super::ports::ports;

/// A store with these documents, which came in one by one, in this order.
pub async fn filled(documents: Vec<KeptDocument>) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::default());
    for document in documents {
        store.upsert(vec![document]).await.expect("the document is kept");
    }
    LexicalIndex::refresh(store.as_ref()).await.expect("the index is fresh");
    store
}

/// An engine with the usual policies. Its judge finds every passage relevant and no claim supported, its writer says
/// nothing, and it has no vocabulary, no memory, no model and no directory.
pub fn engine_over(store: &Arc<MemoryStore>) -> Engine {
    Engine {
        retrieve: ports(store),
        terms: None,
        memory: None,
        passage_judge: Some(Arc::new(FakeJudge::always(0.9, 0.0))),
        reranker: None,
        claim_judge: None,
        writer: Arc::new(ScriptedGenerator::saying(&[])),
        model_registry: ModelRegistry::default(),
        agents: None,
        toolbox: None,
        directory: None,
        clock: Arc::new(StoppedClock::at(0)),
        policies: Policies::default(),
    }
}
