//! Draft and evidence → `Verification`: what may be shown, or nothing.
//!
//! Invariant: only this module makes a `VerifiedText`. Each of its sentences stands in a cited passage, character for
//! character, or has passed every rule and the judge against the passages it cites, or is what a document's card says.

pub mod checks;
mod evidence_windows;
mod rows;
pub mod support;
mod verbatim;

use std::{sync::Arc, time::Duration};

use vouch_domain::{
    CharSpan,
    ports::{ClaimJudge, WrittenSentence},
};

use crate::{
    compose::Draft,
    judge::{Evidence, Piece},
    policy::VerifyPolicy,
};
use verbatim::NotFound;

/// A judge less sure than this of the answer is not to point at it.
const HIGHLIGHT_AT_LEAST: f32 = 0.5;

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
    /// From the first to the last cited character, in the document's characters; empty where its card is cited.
    pub quote: CharSpan,
}

impl CitedPiece {
    /// Where the judge sees the answer itself, in the document's characters; none where it sees none in the quote.
    #[must_use]
    pub fn highlight(&self) -> Option<CharSpan> {
        let reading = self.piece.reading.filter(|reading| reading.answerable >= HIGHLIGHT_AT_LEAST)?;
        let start = self.piece.passage.passage.span.start;
        let span = reading.span.map(|span| CharSpan { start: start + span.start, end: start + span.end })?;
        (span.start >= self.quote.start && span.end <= self.quote.end).then_some(span)
    }
}

/// A sentence that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedClaim {
    /// The words.
    pub text: String,
    /// Why it did not pass.
    pub reason: String,
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

/// Checks every sentence of a draft against the pieces it cites.
pub async fn verify(
    draft: &Draft,
    evidence: &Evidence,
    judge: Option<&Arc<dyn ClaimJudge>>,
    policy: &VerifyPolicy,
) -> Verification {
    let mut claims = Vec::new();
    let mut citations: Vec<CitedPiece> = Vec::new();
    let mut left_out = Vec::new();
    let mut previous: Option<(u32, CharSpan)> = None;
    let within = each(policy.support_timeout, draft.sentences().len());
    for sentence in draft.sentences() {
        let passed = match verbatim::find(sentence, evidence.pieces()) {
            Ok((piece, quote)) => Ok(Passed { places: vec![(piece, quote)], score: 1.0, checks: vec!["verbatim"] }),
            Err(NotFound::OtherWords) if judge.is_some() => {
                let policy = VerifyPolicy { support_timeout: within, ..policy.clone() };
                paraphrase(sentence, evidence.pieces(), judge, &policy).await
            }
            Err(not_found) => Err(not_found.sentence().to_owned()),
        };
        match passed {
            Err(reason) => left_out.push(UnsupportedClaim { text: sentence.text.clone(), reason }),
            Ok(passed) => {
                let markers: Vec<u32> =
                    passed.places.iter().map(|(piece, quote)| cite(piece, *quote, &mut citations)).collect();
                let place = markers.first().copied().zip(passed.places.first().map(|(_, quote)| *quote));
                let follows = |(before, span): (u32, CharSpan)| {
                    place.is_some_and(|(marker, quote)| before == marker && quote.start.abs_diff(span.end) <= 1)
                };
                let follows_directly = previous.is_some_and(follows);
                previous = place;
                let (text, score, checks) = (sentence.text.clone(), passed.score, passed.checks);
                claims.push(Claim { text, markers, score, checks, follows_directly });
            }
        }
    }
    if claims.is_empty() {
        return Verification::Failed(left_out);
    }
    let text = VerifiedText { claims, citations, model: draft.model().to_owned() };
    Verification::Passed { text, left_out }
}

/// A sentence that may be shown, and what it rests on.
struct Passed<'a> {
    places: Vec<(&'a Piece, CharSpan)>,
    score: f32,
    checks: Vec<&'static str>,
}

/// An equal share of the time for every sentence, so that a long answer cannot use up what a later one needs.
fn each(whole: Duration, sentences: usize) -> Duration {
    whole / u32::try_from(sentences.max(1)).unwrap_or(u32::MAX)
}

/// A sentence in other words than the passages': it passes where rules and judge find it supported by those it cites.
async fn paraphrase<'a>(
    sentence: &WrittenSentence,
    pieces: &'a [Piece],
    judge: Option<&Arc<dyn ClaimJudge>>,
    policy: &VerifyPolicy,
) -> Result<Passed<'a>, String> {
    let cited: Vec<&Piece> = pieces.iter().filter(|piece| sentence.markers.contains(&piece.marker)).collect();
    let texts: Vec<&str> = cited.iter().map(|piece| piece.passage.passage.text.as_str()).collect();
    let weighed = support::weigh(&sentence.text, &texts, judge, policy).await;
    if !weighed.is_supported {
        return Err(weighed.reasons.join("; "));
    }
    let places = cited.into_iter().map(|piece| (piece, piece.passage.passage.span)).collect();
    Ok(Passed { places, score: weighed.score, checks: weighed.checks })
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
