//! Search by meaning: the nearest vectors among what the reader may see.

use async_trait::async_trait;

use super::{Generation, LaneHit};
use crate::{embedding::Embedding, error::PortError, passage::PassageKey, reader::Reader};

/// An index of vectors, derived from the catalogue.
#[async_trait]
pub trait DenseIndex: Send + Sync {
    /// Brings the index to the catalogue's generation and says which that is.
    async fn refresh(&self) -> Result<Generation, PortError>;

    /// The passages nearest to a vector, by cosine, best first; what the reader may not see is never scored.
    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError>;

    /// The cosines of these passages to a vector, in the order of the keys; `None` for an unknown passage.
    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError>;
}
