//! Draft and evidence → `Verification`: what may be shown, or nothing.
//!
//! Invariant: only this module makes a `VerifiedText`, and each of its sentences stands in a cited passage,
//! character for character.

mod verbatim;

use vouch_domain::CharSpan;

use crate::{
    compose::Draft,
    judge::{Evidence, Piece},
};

/// Text that has passed every check; nothing else can be answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedText {
    claims: Vec<Claim>,
    citations: Vec<CitedPiece>,
    model: String,
}

impl VerifiedText {
    /// The sentences, each with its citations.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The pieces cited, in the order of their first use.
    #[must_use]
    pub fn citations(&self) -> &[CitedPiece] {
        &self.citations
    }

    /// Who wrote it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The sentences with their markers, as one text.
    #[must_use]
    pub fn with_markers(&self) -> String {
        let mut text = String::new();
        for claim in &self.claims {
            if !text.is_empty() {
                text.push(if claim.follows_directly { ' ' } else { '\n' });
            }
            // A footnote of the document's own must not pass for one of ours.
            text.push_str(&claim.text.replace("[^", "[\\^"));
            for marker in &claim.markers {
                text.push_str(&format!(" [^{marker}]"));
            }
        }
        text
    }
}

/// One sentence that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The words.
    pub text: String,
    /// The citations it rests on, as shown to the reader.
    pub markers: Vec<u32>,
    /// How well it is supported, 0 to 1.
    pub score: f32,
    /// Which checks it passed.
    pub checks: Vec<&'static str>,
    follows_directly: bool,
}

/// A piece the answer rests on, and where the words stand in its document.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedPiece {
    /// The number shown to the reader.
    pub marker: u32,
    /// The piece.
    pub piece: Piece,
    /// From the first to the last cited character, in the document's characters.
    pub quote: CharSpan,
}

/// A sentence that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedClaim {
    /// The words.
    pub text: String,
    /// Why it did not pass.
    pub reason: &'static str,
}

/// The outcome of the checks.
#[derive(Debug, Clone, PartialEq)]
pub enum Verification {
    /// At least one sentence passed; those that did not are left out and named.
    Passed {
        /// What may be shown.
        text: VerifiedText,
        /// What was left out.
        left_out: Vec<UnsupportedClaim>,
    },
    /// No sentence passed.
    Failed(Vec<UnsupportedClaim>),
}

/// Checks every sentence of a draft against the evidence.
#[must_use]
pub fn verify(draft: &Draft, evidence: &Evidence) -> Verification {
    let mut claims = Vec::new();
    let mut citations: Vec<CitedPiece> = Vec::new();
    let mut left_out = Vec::new();
    let mut previous: Option<(u32, CharSpan)> = None;
    for sentence in draft.sentences() {
        match verbatim::find(sentence, evidence.pieces()) {
            Err(reason) => left_out.push(UnsupportedClaim { text: sentence.text.clone(), reason }),
            Ok((piece, quote)) => {
                let marker = cite(piece, quote, &mut citations);
                let follows_directly =
                    previous.is_some_and(|(before, span)| before == marker && quote.start.abs_diff(span.end) <= 1);
                previous = Some((marker, quote));
                claims.push(Claim {
                    text: sentence.text.clone(),
                    markers: vec![marker],
                    score: 1.0,
                    checks: vec!["verbatim"],
                    follows_directly,
                });
            }
        }
    }
    if claims.is_empty() {
        return Verification::Failed(left_out);
    }
    let text = VerifiedText { claims, citations, model: draft.model().to_owned() };
    Verification::Passed { text, left_out }
}

/// The reader's number for a piece, given at its first use; its quote grows to hold this one too.
fn cite(piece: &Piece, quote: CharSpan, citations: &mut Vec<CitedPiece>) -> u32 {
    if let Some(known) = citations.iter_mut().find(|cited| cited.piece.marker == piece.marker) {
        known.quote.start = known.quote.start.min(quote.start);
        known.quote.end = known.quote.end.max(quote.end);
        return known.marker;
    }
    let marker = u32::try_from(citations.len()).unwrap_or(u32::MAX).saturating_add(1);
    citations.push(CitedPiece { marker, piece: piece.clone(), quote });
    marker
}
