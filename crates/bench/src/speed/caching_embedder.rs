//! The embedder with a memory, so that stores of growing size do not embed the same passage again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, PortError, RelevanceMap, ports::Embedder};
use vouch_models::GteSmall;

/// Embeds a text once.
pub(super) struct CachingEmbedder {
    embedder: GteSmall,
    known: Mutex<BTreeMap<String, Embedding>>,
}

impl CachingEmbedder {
    pub(super) fn new(embedder: GteSmall) -> Self {
        Self { embedder, known: Mutex::new(BTreeMap::new()) }
    }
}

#[async_trait]
impl Embedder for CachingEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        self.embedder.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.embedder.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.embedder.likeness_map()
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let missing: Vec<String> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            texts.iter().filter(|text| !known.contains_key(*text)).cloned().collect()
        };
        let vectors = self.embedder.embed(missing.clone()).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(missing.into_iter().zip(vectors));
        Ok(texts.iter().filter_map(|text| known.get(text).cloned()).collect())
    }
}
