//! Search by meaning: the nearest vectors among what the reader may see.

use async_trait::async_trait;

use super::{Generation, LaneHit};
use crate::{embedding::Embedding, error::PortError, passage::PassageKey, reader::Reader};

/// An index of vectors, derived from the catalogue.
#[async_trait]
pub trait DenseIndex: Send + Sync {
    /// Brings the index to the catalogue's generation and says which that is, however long that takes.
    async fn refresh(&self) -> Result<Generation, PortError>;

    /// The same before a question: what takes long is not done, and an index that lacks it fails with `Fault::Held`.
    async fn catch_up(&self) -> Result<Generation, PortError> {
        self.refresh().await
    }

    /// The generation that is searched at the moment. An index that is quickly refreshed may do so; one that is not fails with
    /// `Fault::Held` while it is not made yet.
    async fn generation(&self) -> Result<Generation, PortError> {
        self.refresh().await
    }

    /// The passages nearest to a vector, by cosine, best first; what the reader may not see is never scored.
    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError>;

    /// The cosines of these passages to a vector, in the order of the keys; `None` for an unknown passage.
    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError>;
}
