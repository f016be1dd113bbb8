//! Draft and evidence → `Verification`: what may be shown, or nothing.
//!
//! Invariant: only this module makes a `VerifiedText`. Each of its sentences stands in a cited passage, character for
//! character, or has passed every rule and the judge against the passages it cites (where the settings say so, another model may
//! stand in for the judge), or is what a document's card says.

mod appeal;
pub mod budget;
pub mod checks;
mod evidence_windows;
mod framing;
pub mod gauntlet;
mod model_sentence;
mod rows;
mod second_judge;
pub mod support;
mod text;
mod verbatim;

use std::sync::Arc;

use vouch_domain::{
    CharSpan,
    ports::{ClaimJudge, Clock, WrittenSentence},
};

use crate::{
    compose::Draft,
    judge::{Evidence, Piece},
    model_registry::JobModel,
    policy::{Unsupported, VerifyPolicy},
};
use second_judge::SecondJudge;
use text::Source;
use verbatim::NotFound;

pub use crate::trace::UnsupportedClaim;
pub(crate) use rows::Rows;
pub use text::{Citation, Claim, VerifiedText};

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

impl Verification {
    /// What may be shown, if anything may.
    #[must_use]
    pub fn passed(self) -> Option<VerifiedText> {
        match self {
            Self::Passed { text, .. } => Some(text),
            Self::Failed(_) => None,
        }
    }
}

/// Checks every sentence of a draft against the pieces it cites.
pub async fn verify(
    draft: &Draft,
    evidence: &Evidence,
    judge: Option<&Arc<dyn ClaimJudge>>,
    policy: &VerifyPolicy,
) -> Verification {
    // An equal share of the time for every sentence, so that a long answer cannot use up what a later one needs.
    let sentences = u32::try_from(draft.sentences().len().max(1)).unwrap_or(u32::MAX);
    let policy = VerifyPolicy { support_timeout: policy.support_timeout / sentences, ..policy.clone() };
    let mut verifier = Verifier::new(evidence, judge, &policy);
    for sentence in draft.sentences() {
        verifier.check(sentence).await;
    }
    verifier.finish(draft.model())
}

/// Checks sentences one by one; what has passed may be shown at once.
pub struct Verifier<'a> {
    evidence: &'a Evidence,
    judge: Option<&'a Arc<dyn ClaimJudge>>,
    second_judge: Option<SecondJudge<'a>>,
    policy: &'a VerifyPolicy,
    claims: Vec<Claim>,
    citations: Vec<Citation>,
    left_out: Vec<UnsupportedClaim>,
    previous: Option<(u32, CharSpan)>,
    /// Whether the sentence before was left out.
    follows_a_gap: bool,
    /// Citations of sentences that passed without them.
    unneeded: usize,
}

impl<'a> Verifier<'a> {
    /// A verifier of one answer.
    #[must_use]
    pub fn new(evidence: &'a Evidence, judge: Option<&'a Arc<dyn ClaimJudge>>, policy: &'a VerifyPolicy) -> Self {
        let (claims, citations, left_out) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            evidence,
            judge,
            second_judge: None,
            policy,
            claims,
            citations,
            left_out,
            previous: None,
            follows_a_gap: false,
            unneeded: 0,
        }
    }

    /// The same, where a model is asked about what the built-in judge alone rejects.
    #[must_use]
    pub fn with_second_judge(self, job_model: Option<&'a JobModel>, clock: &'a Arc<dyn Clock>) -> Self {
        Self { second_judge: job_model.map(|job_model| SecondJudge::new(job_model, clock)), ..self }
    }

    /// Whether a sentence may have to wait for a model, so that the one that writes must have ended before.
    pub(crate) fn may_ask_a_model(&self) -> bool {
        self.second_judge.is_some()
    }

    /// What has passed so far.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The pieces cited so far.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        &self.citations
    }

    /// What did not pass so far.
    #[must_use]
    pub fn left_out(&self) -> &[UnsupportedClaim] {
        &self.left_out
    }

    /// Checks a sentence against the pieces it cites; answers whether it passed.
    pub async fn check(&mut self, sentence: &WrittenSentence) -> bool {
        let passed = match verbatim::find(sentence, self.evidence.pieces()) {
            Ok(place) => Ok(PassedSentence::verbatim(place)),
            Err(NotFound::OtherWords) if self.judge.is_some() => {
                let cited = cited(sentence, self.evidence.pieces());
                paraphrase(&sentence.text, cited, self.judge, self.policy).await.map_err(|rejected| rejected.reason)
            }
            Err(not_found) => Err(not_found.sentence().to_owned()),
        };
        let follows = |verifier: &Self, place: Option<(u32, CharSpan)>| {
            let near = |(before, span): (u32, CharSpan)| {
                place.is_some_and(|(marker, quote)| before == marker && quote.start.abs_diff(span.end) <= 1)
            };
            verifier.previous.is_some_and(near)
        };
        self.take(sentence, passed, follows)
    }

    /// Keeps what passed, or why it did not.
    fn take(
        &mut self,
        sentence: &WrittenSentence,
        passed: Result<PassedSentence<'a>, String>,
        follows: impl Fn(&Self, Option<(u32, CharSpan)>) -> bool,
    ) -> bool {
        let passed = match passed {
            Ok(passed) => passed,
            Err(reason) => {
                self.left_out.push(UnsupportedClaim { text: sentence.text.clone(), reason });
                self.follows_a_gap = true;
                return false;
            }
        };
        let markers: Vec<u32> =
            passed.places.iter().map(|(piece, quote)| cite(piece, *quote, &mut self.citations)).collect();
        let place = markers.first().copied().zip(passed.places.first().map(|(_, quote)| *quote));
        let follows_directly = follows(self, place);
        self.previous = place;
        self.follows_a_gap = false;
        let (text, score, checks) = (sentence.text.clone(), passed.score, passed.checks);
        self.claims.push(Claim { text, markers, score, checks, follows_directly, is_row: false });
        true
    }

    /// How many citations were taken from sentences that stand without them.
    #[must_use]
    pub fn unneeded(&self) -> usize {
        self.unneeded
    }

    /// Hands out what did not pass, so that it can be said again.
    pub(crate) fn take_left_out(&mut self) -> Vec<UnsupportedClaim> {
        self.follows_a_gap = true;
        std::mem::take(&mut self.left_out)
    }

    /// Puts back what did not pass and could not be mended.
    pub(crate) fn leave_out(&mut self, claims: Vec<UnsupportedClaim>) {
        self.left_out.splice(0..0, claims);
    }

    /// What may be shown in the end.
    #[must_use]
    pub fn finish(self, model: &str) -> Verification {
        if self.policy.unsupported == Unsupported::Refuse && !self.left_out.is_empty() {
            return Verification::Failed(self.left_out);
        }
        if self.claims.is_empty() {
            return Verification::Failed(self.left_out);
        }
        let (heading, model) = (None, model.to_owned());
        let text = VerifiedText { heading, claims: self.claims, citations: self.citations, model };
        Verification::Passed { text, left_out: self.left_out }
    }
}

/// A sentence that may be shown, and what it rests on.
struct PassedSentence<'a> {
    places: Vec<(&'a Piece, CharSpan)>,
    score: f32,
    /// The share of its words that stand in what it cites.
    overlap: f32,
    checks: Vec<&'static str>,
}

impl<'a> PassedSentence<'a> {
    fn verbatim(place: (&'a Piece, CharSpan)) -> Self {
        Self { places: vec![place], score: 1.0, overlap: 1.0, checks: vec!["verbatim"] }
    }
}

/// A claim in other words that did not pass.
struct Rejected {
    reason: String,
    /// The share of its words that stand in what it cites.
    overlap: f32,
    score: f32,
    checks: Vec<&'static str>,
    /// Whether it was read, no rule objects, and the judge finds it neither supported nor contradicted.
    may_be_appealed: bool,
}

fn cited<'a>(sentence: &WrittenSentence, pieces: &'a [Piece]) -> Vec<&'a Piece> {
    pieces.iter().filter(|piece| sentence.markers.contains(&piece.marker)).collect()
}

/// A claim in other words than the passages': it passes where rules and judge find it supported by those it cites.
async fn paraphrase<'a>(
    claim: &str,
    cited: Vec<&'a Piece>,
    judge: Option<&Arc<dyn ClaimJudge>>,
    policy: &VerifyPolicy,
) -> Result<PassedSentence<'a>, Rejected> {
    let texts: Vec<&str> = cited.iter().map(|piece| piece.passage.passage.text.as_str()).collect();
    let weighed = support::weigh(claim, &texts, judge, policy).await;
    if !weighed.is_supported {
        let is_unopposed = weighed.checked.unread.is_none() && weighed.checked.findings.is_empty();
        let may_be_appealed = weighed.judged.is_some() && is_unopposed && !weighed.is_contradicted;
        let (reason, overlap) = (weighed.reasons.join("; "), weighed.checked.overlap);
        let (score, checks) = (weighed.score, weighed.checks);
        return Err(Rejected { reason, overlap, score, checks, may_be_appealed });
    }
    let places = cited.into_iter().map(|piece| (piece, piece.passage.passage.span)).collect();
    Ok(PassedSentence { places, score: weighed.score, overlap: weighed.checked.overlap, checks: weighed.checks })
}

/// The reader's number for a piece, given at its first use; its quote grows to hold this one too.
fn cite(piece: &Piece, quote: CharSpan, citations: &mut Vec<Citation>) -> u32 {
    for cited in citations.iter_mut() {
        if let Source::Piece(known, known_quote) = &mut cited.source
            && known.marker == piece.marker
        {
            known_quote.start = known_quote.start.min(quote.start);
            known_quote.end = known_quote.end.max(quote.end);
            return cited.marker;
        }
    }
    let marker = u32::try_from(citations.len()).unwrap_or(u32::MAX).saturating_add(1);
    citations.push(Citation { marker, source: Source::Piece(Box::new(piece.clone()), quote) });
    marker
}
