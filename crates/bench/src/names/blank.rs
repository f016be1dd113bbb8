//! An embedder that sees no meaning: documents are looked up by name here, and 31,000 verses need no vectors for that.

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, Fault, PortError, RelevanceMap, ports::Embedder};

const DIMENSIONS: usize = 8;

pub(super) struct Blank {
    identity: EmbedderIdentity,
    map: RelevanceMap,
}

impl Blank {
    pub(super) fn new() -> Self {
        let name = "blank".to_owned();
        let identity = EmbedderIdentity { digest: name.clone(), name, dimensions: DIMENSIONS };
        Self { identity, map: RelevanceMap::identity() }
    }
}

#[async_trait]
impl Embedder for Blank {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn relevance_map(&self) -> &RelevanceMap {
        &self.map
    }

    fn likeness_map(&self) -> &RelevanceMap {
        &self.map
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let same = || Embedding::normalised(vec![1.0; DIMENSIONS]);
        let vectors: Option<Vec<Embedding>> = texts.iter().map(|_| same()).collect();
        vectors.ok_or_else(|| PortError::new("embedder", Fault::Internal, "no vector"))
    }
}
