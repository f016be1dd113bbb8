//! Bytes → documents; a bad document is a sentence, never a panic and never half a document.

use crate::document::{Document, RawDocument};

/// Why a source, or one document in it, could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct ParseError {
    /// Where in the source, such as `line 7`; empty for the whole of it.
    pub place: String,
    /// What is wrong, for the person who can fix it.
    pub sentence: String,
}

/// What is said of a source without words, such as a page of front matter alone.
pub const NO_TEXT: &str = "it contains no text";

/// Reads one source, which may hold many documents.
pub trait Parser: Send + Sync {
    /// The documents of a source, or what is wrong with each.
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>>;

    /// What a source is read by, in words that change whenever the same bytes may give other documents; none where they
    /// always may, so that every source is read again.
    fn recipe(&self) -> Option<String>;
}
