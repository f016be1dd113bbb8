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

    /// How the cosines of two questions are to be read: 0.85 and more is the same question, paraphrases lie near 0.65,
    /// other questions on the same subject near 0.49.
    fn likeness_map(&self) -> &RelevanceMap;

    /// One vector per text, in order.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError>;
}
