//! Vectors that took time to make, kept from one process to the next.

use async_trait::async_trait;

use crate::{embedding::Embedding, error::PortError};

/// Keeps one list of vectors under the digest of what they were made of. It may be lost at any time: whoever keeps something
/// here can make it again.
#[async_trait]
pub trait KeptVectors: Send + Sync {
    /// The vectors of this digest, in their order; none if others or none are kept, or what is kept cannot be read.
    async fn load(&self, digest: &str) -> Result<Option<Vec<Embedding>>, PortError>;

    /// Keeps vectors of one width in the place of those before.
    async fn save(&self, digest: &str, vectors: &[Embedding]) -> Result<(), PortError>;
}
