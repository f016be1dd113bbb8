//! Terms and what they mean, from whoever keeps the vocabulary.

use async_trait::async_trait;

use crate::{
    concept::{Concept, TermKey},
    error::PortError,
    reader::Reader,
};

/// A vocabulary: the only source of definitions.
#[async_trait]
pub trait Vocabulary: Send + Sync {
    /// What keeps it, as one word for counters and citations.
    fn backend(&self) -> &'static str;

    /// What tells one state of it from another, where that is at hand: an answer of one state says nothing of the next.
    /// None if it holds no term at all.
    async fn state(&self) -> Result<Option<String>, PortError> {
        Ok(Some(String::new()))
    }

    /// Every concept with a label of this key that the reader may see, each once, in the order of their addresses.
    async fn look_up(&self, reader: &Reader, key: &TermKey) -> Result<Vec<Concept>, PortError>;

    /// Concepts that no other is wider than, by their addresses, after one of them and up to a limit; none where the vocabulary
    /// cannot be looked through.
    async fn top(&self, _reader: &Reader, _after: &str, _limit: usize) -> Result<Option<Vec<Concept>>, PortError> {
        Ok(None)
    }

    /// Names of concepts that look like this key, nearest first, up to a limit.
    async fn similar(&self, reader: &Reader, key: &TermKey, limit: usize) -> Result<Vec<String>, PortError>;
}
