//! What passages are found with.

use std::sync::Arc;

use vouch_adapters::embedded::EmbeddedStore;
use vouch_domain::ports::{DenseIndex, Embedder};
use vouch_engine::retrieve::RetrievePorts;
use vouch_models::EnglishWords;

use super::breakers::Breakers;

/// The store's ports, with the index of vectors that the settings name.
pub(super) fn ports(
    store: &EmbeddedStore,
    (dense, embedder): (&Arc<dyn DenseIndex>, &Arc<dyn Embedder>),
    breakers: &Breakers<'_>,
) -> RetrievePorts {
    RetrievePorts {
        catalogue: store.catalogue.clone(),
        register: store.register.clone(),
        lexical: store.lexical.clone(),
        dense: Arc::clone(dense),
        embedder: Arc::clone(embedder),
        breaker: breakers.embeddings.clone(),
        plain_words: Arc::new(EnglishWords),
    }
}
