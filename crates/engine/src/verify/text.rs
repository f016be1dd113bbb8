//! Text that may be shown: sentences that passed, rows of the catalogue, and what they cite.
//!
//! Invariant: only `verify` makes any of these, and nobody changes them afterwards.

use std::sync::Arc;

use vouch_domain::{
    CharSpan, DocumentCard,
    ports::{Reading, SentenceRole},
};

use crate::judge::Piece;

/// A judge less certain than this of the answer is not to point at it.
const HIGHLIGHT_AT_LEAST: f32 = 0.5;

/// Text that has passed every check; nothing else can be answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedText {
    pub(super) heading: Option<String>,
    pub(super) claims: Vec<Claim>,
    pub(super) citations: Vec<Citation>,
    pub(super) model: String,
}

impl VerifiedText {
    /// What stands above a list: how many rows of which kind. It is no claim and cites nothing.
    #[must_use]
    pub fn heading(&self) -> Option<&str> {
        self.heading.as_deref()
    }

    /// The sentences and rows, each with its citations.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// What is cited, in the order of first use.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        &self.citations
    }

    /// Who wrote it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether every line is a row of the catalogue.
    #[must_use]
    pub fn is_from_catalogue(&self) -> bool {
        self.claims.iter().all(Claim::is_row)
    }

    /// The whole text with its markers.
    #[must_use]
    pub fn with_markers(&self) -> String {
        let mut text = self.heading.clone().unwrap_or_default();
        for claim in &self.claims {
            text.push_str(if text.is_empty() { claim.opening() } else { claim.lead() });
            text.push_str(&claim.with_markers());
        }
        text
    }
}

/// One sentence that was checked, or one row of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub(super) text: String,
    pub(super) markers: Vec<u32>,
    pub(super) score: f32,
    pub(super) checks: Vec<&'static str>,
    pub(super) lead: String,
    pub(super) role: SentenceRole,
    pub(super) is_row: bool,
    pub(super) is_quoted: bool,
}

impl Claim {
    /// The words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The citations it rests on, as shown to the reader.
    #[must_use]
    pub fn markers(&self) -> &[u32] {
        &self.markers
    }

    /// How well it is supported, 0 to 1.
    #[must_use]
    pub fn score(&self) -> f32 {
        self.score
    }

    /// Which checks it passed.
    #[must_use]
    pub fn checks(&self) -> &[&'static str] {
        &self.checks
    }

    /// Whether it is what a document's card says, and not a sentence of a document.
    #[must_use]
    pub fn is_row(&self) -> bool {
        self.is_row
    }

    /// Whether it is the document's own sentence, shown in place of what a model wrote.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        self.is_quoted
    }

    /// What stands between this sentence and the one before it.
    #[must_use]
    pub fn lead(&self) -> &str {
        &self.lead
    }

    /// What stands before this sentence where it is the first: the mark of the item it begins, such as `1. `.
    #[must_use]
    pub fn opening(&self) -> &str {
        self.lead.trim_start()
    }

    /// Whether it answers, or is there so that the answer can be read.
    #[must_use]
    pub fn role(&self) -> SentenceRole {
        self.role
    }

    /// The words with their citations.
    #[must_use]
    pub fn with_markers(&self) -> String {
        // A footnote of the document's own must not pass for one of ours.
        let mut text = self.text.replace("[^", "[\\^");
        for marker in &self.markers {
            text.push_str(&format!(" [^{marker}]"));
        }
        text
    }
}

/// What a claim rests on, under the number shown to the reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Citation {
    pub(super) marker: u32,
    pub(super) source: Source,
}

/// A place in a document, or the document's card.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// A piece of the evidence, from the first to the last cited character, in the document's characters.
    Piece(Box<Piece>, CharSpan),
    /// A card, as the row made of it says.
    Card(Arc<DocumentCard>, String),
}

impl Citation {
    /// The number shown to the reader.
    #[must_use]
    pub fn marker(&self) -> u32 {
        self.marker
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &DocumentCard {
        match &self.source {
            Source::Piece(piece, _) => &piece.passage.document,
            Source::Card(card, _) => card,
        }
    }

    /// The piece of the evidence; none if a card is cited.
    #[must_use]
    pub fn piece(&self) -> Option<&Piece> {
        match &self.source {
            Source::Piece(piece, _) => Some(piece),
            Source::Card(..) => None,
        }
    }

    /// The words of the passage, or of the row made of the card.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.source {
            Source::Piece(piece, _) => &piece.passage.passage.text,
            Source::Card(_, row) => row,
        }
    }

    /// The cited characters, in the document's characters; none if a card is cited.
    #[must_use]
    pub fn quote(&self) -> Option<CharSpan> {
        match &self.source {
            Source::Piece(_, quote) => Some(*quote),
            Source::Card(..) => None,
        }
    }

    /// How near it is to the question, 0 to 1; a card that was asked for is as near as can be.
    #[must_use]
    pub fn relevance(&self) -> f32 {
        self.piece().map_or(1.0, |piece| piece.similarity.relevance)
    }

    /// What the judge made of it, if one has read it.
    #[must_use]
    pub fn reading(&self) -> Option<Reading> {
        self.piece().and_then(|piece| piece.reading)
    }

    /// Its name: the document and the place of the passage in it.
    #[must_use]
    pub fn source_id(&self) -> String {
        match &self.source {
            Source::Piece(piece, _) => piece.passage.source_id(),
            Source::Card(card, _) => format!("{}:0", card.id.as_str()),
        }
    }

    /// Where the judge sees the answer itself, in the document's characters; none if it sees none in the quote.
    #[must_use]
    pub fn highlight(&self) -> Option<CharSpan> {
        let Source::Piece(piece, quote) = &self.source else { return None };
        let reading = piece.reading.filter(|reading| reading.answerable >= HIGHLIGHT_AT_LEAST)?;
        let start = piece.passage.passage.span.start;
        let span = reading.span.map(|span| CharSpan { start: start + span.start, end: start + span.end })?;
        (span.start >= quote.start && span.end <= quote.end).then_some(span)
    }
}
