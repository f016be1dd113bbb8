//! Draft and evidence → `Verification`: what may be shown, or nothing.
//!
//! Invariant: only this module makes a `VerifiedText`. Each of its sentences stands in a cited passage, character for
//! character, or has passed every rule and the judge against the passages it cites (where the settings say so, another model may
//! stand in for the judge), or is what a document's card says.

mod appeal;
pub mod checks;
mod evidence_windows;
mod fragment;
mod framing;
pub mod gauntlet;
mod item_mark;
mod model_sentence;
pub mod own_words;
mod passed;
mod quoting;
mod rows;
mod second_judge;
pub mod support;
mod text;
mod verbatim;

use std::sync::Arc;

use vouch_domain::{
    CharSpan,
    language::blocks::is_mark,
    ports::{ClaimJudge, Clock, SentenceRole, WrittenSentence},
};

use crate::{
    compose::Draft,
    judge::{Evidence, Piece},
    model_registry::JobModel,
    policy::{OnUnsupported, VerifyPolicy},
};
use item_mark::{ends_with_mark, has_more_items, mark_before};
use passed::{PassedSentence, Rejected};
use second_judge::SecondJudge;
use text::Source;
use verbatim::NotFound;

pub use crate::trace::UnsupportedClaim;
pub(crate) use rows::Rows;
pub use rows::is_row_of;
pub use text::{Citation, Claim, VerifiedText};

/// Said of a sentence of the documents that stands in for one of a model.
const QUOTED: &str = "quoted";
/// What stands between two sentences on one line, and between two that are not.
const SAME_LINE: &str = " ";
const NEXT_LINE: &str = "\n";
/// The longest that may stand between two sentences of a document without being one, such as the rule below a table's header.
const LEAD_CHARS_MAX: usize = 120;

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
    /// What a model is asked, and what becomes of its sentences that do not pass.
    question: &'a str,
    on_unsupported: OnUnsupported,
    claims: Vec<Claim>,
    citations: Vec<Citation>,
    left_out: Vec<UnsupportedClaim>,
    /// Citations of which only context was shown so far.
    context_only: Vec<u32>,
    previous: Option<(u32, CharSpan)>,
    /// Whether the sentence before was left out.
    follows_a_gap: bool,
    /// Citations of sentences that passed without them.
    unneeded: usize,
    /// What the documents answer without a model, in the order it is read.
    answer: Vec<WrittenSentence>,
    /// The sentences of the documents that a model's own words stand for, by piece, in the document's characters.
    said: Vec<(u32, CharSpan)>,
    /// Sentences of a model in whose place those of the documents are shown.
    replaced: Vec<UnsupportedClaim>,
    /// What stands in the answer character for character, by piece, in the document's characters.
    quoted: Vec<(u32, CharSpan)>,
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
            question: "",
            on_unsupported: OnUnsupported::Drop,
            claims,
            citations,
            left_out,
            context_only: Vec::new(),
            previous: None,
            follows_a_gap: false,
            unneeded: 0,
            answer: Vec::new(),
            said: Vec::new(),
            replaced: Vec::new(),
            quoted: Vec::new(),
        }
    }

    /// The same for what a model answers to a question.
    #[must_use]
    pub fn for_model(self, question: &'a str, on_unsupported: OnUnsupported) -> Self {
        Self { question, on_unsupported, ..self }
    }

    /// The same where this is what the documents answer without a model. What is quoted of it is quoted whole, and what of it a model
    /// leaves out follows in the end: whoever has a model is told no less.
    #[must_use]
    pub(crate) fn with_answer(self, draft: &Draft) -> Self {
        Self { answer: draft.sentences().to_vec(), ..self }
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

    /// Sentences of a model in whose place those of the documents are shown, with the reason.
    #[must_use]
    pub fn replaced(&self) -> &[UnsupportedClaim] {
        &self.replaced
    }

    /// Checks a sentence against the pieces it cites; answers whether it passed.
    pub async fn check(&mut self, sentence: &WrittenSentence) -> bool {
        if let Some(piece) = verbatim::find_heading(sentence, self.evidence.pieces()) {
            return self.take(sentence, Ok(PassedSentence::heading(piece)), |_, _| NEXT_LINE.to_owned());
        }
        let passed = match verbatim::find(sentence, self.evidence.pieces()) {
            Ok(place) => Ok(PassedSentence::verbatim(place)),
            Err(NotFound::OtherWords) if self.judge.is_some() => {
                let cited = cited(sentence, self.evidence.pieces());
                paraphrase(&sentence.text, cited, self.judge, self.policy).await.map_err(|rejected| rejected.reason)
            }
            Err(not_found) => Err(not_found.sentence().to_owned()),
        };
        self.take(sentence, passed, Self::lead_in_document)
    }

    /// Keeps what passed, or why it did not.
    fn take(
        &mut self,
        sentence: &WrittenSentence,
        passed: Result<PassedSentence<'a>, String>,
        lead: impl Fn(&Self, Option<(u32, &Piece, CharSpan)>) -> String,
    ) -> bool {
        let passed = match passed {
            Ok(passed) => passed,
            Err(reason) => {
                self.left_out.push(UnsupportedClaim { text: sentence.text.clone(), reason });
                self.follows_a_gap = true;
                return false;
            }
        };
        if passed.is_verbatim {
            self.quoted.extend(passed.places.iter().map(|(piece, quote)| (piece.marker, *quote)));
        }
        let places = passed.places.iter();
        let markers: Vec<u32> = places.map(|(piece, quote)| self.cite(piece, *quote, sentence.role)).collect();
        let first = markers.first().copied().zip(passed.places.first());
        let place = first.map(|(marker, (piece, quote))| (marker, *piece, *quote));
        let lead = lead(self, place);
        self.mark_first_item(&lead);
        // Nothing goes on in the line of a heading.
        self.previous = place.filter(|(_, _, quote)| quote.start < quote.end).map(|(marker, _, quote)| (marker, quote));
        self.follows_a_gap = false;
        let (text, score, mut checks) = (sentence.text.clone(), passed.score, passed.checks);
        self.said.extend(passed.source.iter().copied());
        let is_quoted = passed.stands_in;
        checks.extend(is_quoted.then_some(QUOTED));
        self.claims.push(Claim { text, markers, score, checks, lead, role: sentence.role, is_row: false, is_quoted });
        true
    }

    /// The reader's number for a piece, given at its first use. Its quote grows to hold every sentence that answers; context is its quote
    /// only until one does.
    fn cite(&mut self, piece: &Piece, quote: CharSpan, role: SentenceRole) -> u32 {
        for cited in &mut self.citations {
            if let Source::Piece(known, known_quote) = &mut cited.source
                && known.marker == piece.marker
            {
                let is_context = self.context_only.contains(&cited.marker);
                if role == SentenceRole::Answer && is_context {
                    *known_quote = quote;
                    self.context_only.retain(|marker| *marker != cited.marker);
                } else if role == SentenceRole::Answer || is_context {
                    known_quote.start = known_quote.start.min(quote.start);
                    known_quote.end = known_quote.end.max(quote.end);
                }
                return cited.marker;
            }
        }
        let marker = u32::try_from(self.citations.len()).unwrap_or(u32::MAX).saturating_add(1);
        if role == SentenceRole::Context {
            self.context_only.push(marker);
        }
        self.citations.push(Citation { marker, source: Source::Piece(Box::new(piece.clone()), quote) });
        marker
    }

    /// What stands in the document between the claim before and this one, if that is white space and marks alone.
    fn lead_in_document(&self, place: Option<(u32, &Piece, CharSpan)>) -> String {
        let between = self.previous.zip(place).and_then(|((before, span), (marker, piece, quote))| {
            let passage = &piece.passage.passage;
            let from = span.end.checked_sub(passage.span.start).filter(|_| before == marker)?;
            let length = quote.start.checked_sub(span.end).filter(|length| *length <= LEAD_CHARS_MAX)?;
            Some(passage.text.chars().skip(from).take(length).collect::<String>())
        });
        match between {
            Some(between) if between.is_empty() => SAME_LINE.to_owned(),
            Some(between) if is_mark(&between) => between,
            Some(_) | None => line_lead(place),
        }
    }

    /// Where an item follows on the sentence before and that is the first of the list that is shown, it gets its mark back.
    fn mark_first_item(&mut self, lead: &str) {
        let before = self.previous.filter(|_| ends_with_mark(lead));
        let Some((marker, span)) = before else { return };
        let cited = self.citations.iter().find(|cited| cited.marker == marker);
        let mark = cited.and_then(Citation::piece).and_then(|piece| mark_before(piece, span));
        if let (Some(mark), Some(first)) = (mark, self.claims.last_mut())
            && first.lead == NEXT_LINE
        {
            first.lead.push_str(mark.text);
        }
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

    /// What might be shown if nothing followed.
    pub(crate) fn so_far(&self, model: &str) -> Verification {
        let (claims, citations) = (self.claims.clone(), self.citations.clone());
        Self { claims, citations, ..Self::new(self.evidence, self.judge, self.policy) }.finish(model)
    }

    /// What may be shown in the end.
    #[must_use]
    pub fn finish(self, model: &str) -> Verification {
        if self.on_unsupported == OnUnsupported::Refuse && !self.left_out.is_empty() {
            return Verification::Failed(self.left_out);
        }
        // Context alone answers nothing.
        if self.claims.iter().all(|claim| claim.role == SentenceRole::Context) {
            return Verification::Failed(self.left_out);
        }
        let (heading, model) = (None, model.to_owned());
        let text = VerifiedText { heading, claims: self.claims, citations: self.citations, model };
        Verification::Passed { text, left_out: self.left_out }
    }
}

/// What stands before a sentence that begins a line: the number of its item, since that says which it is, and any mark where more
/// items of the list follow in the same words.
fn line_lead(place: Option<(u32, &Piece, CharSpan)>) -> String {
    let mark = place.and_then(|(_, piece, quote)| {
        let text = &piece.passage.passage.text;
        let from = quote.start.checked_sub(piece.passage.passage.span.start)?;
        let words: String = text.chars().skip(from).take(quote.end.saturating_sub(quote.start)).collect();
        mark_before(piece, quote).filter(|mark| mark.is_number || has_more_items(&words))
    });
    format!("{NEXT_LINE}{}", mark.map_or("", |mark| mark.text))
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
    let (score, overlap, checks) = (weighed.score, weighed.checked.overlap, weighed.checks);
    Ok(PassedSentence { places, score, overlap, checks, is_verbatim: false, stands_in: false, source: None })
}
