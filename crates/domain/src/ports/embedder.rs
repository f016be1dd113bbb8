//! Text → vectors.

use async_trait::async_trait;

use crate::{
    embedding::{EmbedderIdentity, Embedding, RelevanceMap},
    error::PortError,
};

/// Turns text into vectors; the same text always gives the same vector, whatever it is embedded beside.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Which model this is.
    fn identity(&self) -> &EmbedderIdentity;

    /// How its cosines are to be read.
    fn relevance_map(&self) -> &RelevanceMap;

    /// One vector a text, in order.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError>;
}
