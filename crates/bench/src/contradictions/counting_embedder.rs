//! An embedder that only counts: documents are compared without the vectors of their passages, and what these would have
//! cost follows from a sample.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, PortError, RelevanceMap, ports::Embedder};
use vouch_models::GteSmall;

/// Of so many passages one is embedded to see how long that takes.
const STEP: usize = 50;
const SAMPLE_MAX: usize = 200;

/// Gives every passage the same vector.
pub(super) struct CountingEmbedder {
    embedder: GteSmall,
    dimensions: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    passages: usize,
    sample: Vec<String>,
}

impl CountingEmbedder {
    pub(super) async fn new(embedder: GteSmall) -> Result<Self, PortError> {
        let vectors = embedder.embed(vec!["a".to_owned()]).await?;
        let dimensions = vectors.first().map_or(1, |vector| vector.values().len());
        Ok(Self { embedder, dimensions, seen: Mutex::default() })
    }

    /// How long it takes to embed everything that was seen, by a sample of it.
    pub(super) async fn time(&self) -> Result<Duration, PortError> {
        let (passages, sample) = {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            (seen.passages, seen.sample.clone())
        };
        let started = Instant::now();
        let sampled = self.embedder.embed(sample).await?.len().max(1);
        #[expect(clippy::cast_precision_loss, reason = "counts of passages")]
        let share = passages as f64 / sampled as f64;
        Ok(started.elapsed().mul_f64(share))
    }
}

#[async_trait]
impl Embedder for CountingEmbedder {
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
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for text in &texts {
            if seen.passages.is_multiple_of(STEP) && seen.sample.len() < SAMPLE_MAX {
                seen.sample.push(text.clone());
            }
            seen.passages += 1;
        }
        Ok(texts.iter().filter_map(|_| Embedding::normalised(vec![1.0; self.dimensions])).collect())
    }
}
