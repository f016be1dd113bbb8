//! An index of vectors behind a breaker.

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{
    Embedding, PassageKey, PortError, Reader,
    ports::{DenseIndex, Generation, LaneHit},
};

use super::Breaker;

/// An index of vectors that is not searched while its breaker is open. Searches alone count.
pub struct GuardedDense {
    index: Arc<dyn DenseIndex>,
    breaker: Arc<Breaker>,
}

impl GuardedDense {
    /// An index behind a breaker.
    #[must_use]
    pub fn new(index: Arc<dyn DenseIndex>, breaker: Arc<Breaker>) -> Self {
        Self { index, breaker }
    }
}

#[async_trait]
impl DenseIndex for GuardedDense {
    async fn refresh(&self) -> Result<Generation, PortError> {
        // Writing takes long and fails for reasons of its own, none of which keeps the index from being searched.
        self.index.refresh().await
    }

    async fn catch_up(&self) -> Result<Generation, PortError> {
        // It counts no more than a refresh; but a question does not wait for a server that is not asked.
        self.breaker.check_closed()?;
        self.index.catch_up().await
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        self.index.generation().await
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        self.breaker.guard(self.index.nearest(reader, vector, limit)).await
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        // The exact vectors are the catalogue's.
        self.index.cosines(vector, keys).await
    }
}
