//! A citable part of a document: `Passage` as cut, `EmbeddedPassage` as indexed, `StoredPassage` as found again.

use std::sync::Arc;

use super::document::{PageMark, PageUnit, TimeMark};
use crate::{address::Address, document::DocumentCard, embedding::Embedding};

/// A passage's number in the catalogue; never given twice, not even after a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassageKey(pub u64);

impl PassageKey {
    /// Stands for what is quoted like a passage and is none of the catalogue, such as a term's definition.
    pub const NOT_STORED: Self = Self(u64::MAX);
}

/// A half-open range of Unicode characters in a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CharSpan {
    /// The first character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

/// A few sentences of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its place among the passages of its document, from 0.
    pub ordinal: u32,
    /// The headings above it, outermost first; the passages of a section share them.
    pub section: Arc<[String]>,
    /// Where it stands in its document.
    pub span: CharSpan,
    /// The document's characters at `span`, untouched.
    pub text: String,
    /// The name people call it by, if it has one.
    pub address: Option<Address>,
    /// When its words are spoken, in order; empty for what is not spoken.
    pub times: Vec<TimeMark>,
    /// The pages it stands on, in order; empty for what has no pages.
    pub pages: Vec<PageMark>,
}

impl Passage {
    /// When the word at a character of its text is spoken, in seconds.
    #[must_use]
    pub fn seconds_at(&self, character: usize) -> Option<u32> {
        let before = self.times.iter().take_while(|mark| mark.at <= character);
        before.last().or(self.times.first()).map(|mark| mark.seconds)
    }

    /// The page, slide or row that the word at a character of its text stands on.
    #[must_use]
    pub fn place_at(&self, character: usize) -> Option<PageMark> {
        let before = self.pages.iter().take_while(|mark| mark.at <= character);
        before.last().or(self.pages.first()).copied()
    }

    /// The page or slide that the word at a character of its text stands on; none in a sheet, whose rows are no pages.
    #[must_use]
    pub fn page_at(&self, character: usize) -> Option<u32> {
        let is_page = |mark: &PageMark| matches!(mark.unit, PageUnit::Page | PageUnit::Slide);
        self.place_at(character).filter(is_page).map(|mark| mark.page)
    }
}

/// A passage with its place in meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedPassage {
    /// The passage.
    pub passage: Passage,
    /// Its vector.
    pub embedding: Embedding,
}

/// A passage as the catalogue gives it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPassage {
    /// Its number in the catalogue.
    pub key: PassageKey,
    /// Its document.
    pub document: Arc<DocumentCard>,
    /// The passage.
    pub passage: Passage,
}

impl StoredPassage {
    /// The identifier shown to people and programs: document id and ordinal.
    #[must_use]
    pub fn source_id(&self) -> String {
        format!("{}:{}", self.document.id, self.passage.ordinal)
    }
}
