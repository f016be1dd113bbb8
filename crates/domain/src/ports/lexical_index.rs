//! Search by words: BM25 among what the reader may see.

use async_trait::async_trait;

use super::{Generation, LaneHit};
use crate::{error::PortError, language::Nearness, passage::PassageKey, reader::Reader};

/// A word, and one of the documents' that it may be meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The word as it was asked, folded.
    pub asked: String,
    /// The sound of the word it is read as.
    pub heard: String,
    /// A passage that holds that word.
    pub holder: PassageKey,
    /// How near it is to the word as it was asked; none if that stands in the documents too.
    pub nearness: Option<Nearness>,
}

/// A word that more than one in this many passages hold is not rare, however few they are.
pub const RARE_SHARE: usize = 20;

/// An index of words, derived from the catalogue.
#[async_trait]
pub trait LexicalIndex: Send + Sync {
    /// Brings the index to the catalogue's generation and says which that is.
    async fn refresh(&self) -> Result<Generation, PortError>;

    /// The generation that is searched at the moment. One that cannot be told is brought about.
    async fn generation(&self) -> Result<Generation, PortError> {
        self.refresh().await
    }

    /// The passages that share words with the text, best first. What the reader may not see is never scored and
    /// counts in no statistic, so it cannot move a score.
    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError>;

    /// Every passage that holds a rare word of the text, the rarest word first, then by key. Rare is a word that at most
    /// so many visible passages hold, and no more than one in `RARE_SHARE` of them.
    async fn rare(&self, reader: &Reader, text: &str, holders_max: usize) -> Result<Vec<PassageKey>, PortError>;

    /// For each word of the text that no visible passage holds: the visible word most like it, if one is near enough to
    /// be another spelling. For any other: a visible word written with marks that sounds the same, if there is one.
    async fn spellings(&self, reader: &Reader, text: &str) -> Result<Vec<Spelling>, PortError>;
}
