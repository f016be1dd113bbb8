//! An embedder that counts words: texts that share words are near.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, Fault, PortError, RelevanceMap, language::key_terms, ports::Embedder};

const DIMENSIONS: usize = 256;

/// Counts words into a vector.
#[derive(Debug, Clone)]
pub struct FakeEmbedder {
    identity: EmbedderIdentity,
    map: RelevanceMap,
    is_down: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

impl FakeEmbedder {
    /// An embedder of this name; its name is its identity.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let identity =
            EmbedderIdentity { name: name.to_owned(), digest: format!("digest of {name}"), dimensions: DIMENSIONS };
        Self { identity, map: RelevanceMap::identity(), is_down: Arc::default(), asked: Arc::default() }
    }

    /// One that cannot be reached.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: Arc::new(AtomicBool::new(true)), ..Self::named("down") }
    }

    /// Takes it down, or brings it back; clones of it go with it.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    /// How often it was asked.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// The vector of a text.
    #[must_use]
    pub fn vector(text: &str) -> Embedding {
        let mut values = vec![0f32; DIMENSIONS];
        for term in key_terms(text) {
            let hash = blake3::hash(term.as_bytes());
            let at = usize::from(hash.as_bytes().first().copied().unwrap_or(0));
            if let Some(value) = values.get_mut(at % DIMENSIONS) {
                *value += 1.0;
            }
        }
        Embedding::normalised(values).unwrap_or_else(|| {
            let mut first = vec![0f32; DIMENSIONS];
            first.iter_mut().take(1).for_each(|value| *value = 1.0);
            Embedding::normalised(first).expect("a vector of length one")
        })
    }
}

#[async_trait]
impl Embedder for FakeEmbedder {
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
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_down.load(Ordering::SeqCst) {
            return Err(PortError::new("embedder", Fault::Unavailable, "the embedder is down"));
        }
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}
