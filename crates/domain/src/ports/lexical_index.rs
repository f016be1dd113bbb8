//! Search by words: BM25 among what the reader may see.

use async_trait::async_trait;

use super::{Generation, LaneHit};
use crate::{error::PortError, reader::Reader};

/// An index of words, derived from the catalogue.
#[async_trait]
pub trait LexicalIndex: Send + Sync {
    /// Brings the index to the catalogue's generation and says which that is.
    async fn refresh(&self) -> Result<Generation, PortError>;

    /// The passages that share words with the text, best first. What the reader may not see is never scored and
    /// counts in no statistic, so it cannot move a score.
    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError>;
}
