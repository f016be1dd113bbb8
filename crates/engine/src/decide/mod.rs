//! Evidence and verification → `Decision`: an answer, or a refusal that says why.
//!
//! Invariant: `Decision::Answer` holds a `VerifiedText`; there is no other way to answer.

mod after_writing;
mod alternatives;
mod chance;
mod confidence;
mod coverage;
mod cut_lists;
mod general;
mod quality;
mod referral;
mod refusal;
mod staleness;
mod standing;
mod tool_reply;

use vouch_domain::{DocumentId, language::KeyWord};

use crate::{
    judge::Evidence,
    policy::DecidePolicy,
    retrieve::Candidates,
    trace::Fallback,
    verify::{UnsupportedClaim, Verification, VerifiedText},
};

pub use after_writing::gates_after_writing;
pub use alternatives::Suggestion;
pub(crate) use alternatives::section_name;
pub use chance::{Signs, WEIGHED};
pub use confidence::{Confidence, denial_may_refuse, signs};
pub use general::GeneralAnswer;
pub use quality::{Level, RetrievalQuality, TransparencyStatement};
pub use referral::{Referral, ReferralTarget, UnsureOutcome, refer};
pub use refusal::{Refusal, RefusalReason, refuse_with};
pub use tool_reply::{ToolReply, ToolStep};

/// What is said in the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Verified sentences.
    Answer(VerifiedAnswer),
    /// A refusal.
    Refuse(Refusal),
    /// Several things it could be, each as its source says, to choose from.
    Clarify(Clarification),
    /// For a person to answer, with whom to ask.
    Refer(Referral),
    /// From a model's general knowledge, said to be so, with no source at all.
    General(GeneralAnswer),
    /// What a tool says, in the words of the profile.
    Tool(ToolReply),
}

impl Decision {
    /// The same, with what might have been meant before what else is suggested, where there is no answer or a weak one.
    pub(crate) fn with_offers(mut self, offers: Vec<Suggestion>, suggestions_max: usize) -> Self {
        let own = match &mut self {
            Self::Refuse(refusal) => &mut refusal.suggestions,
            Self::Answer(answer) => &mut answer.suggestions,
            Self::Clarify(_) | Self::Refer(_) | Self::General(_) | Self::Tool(_) => return self,
        };
        own.splice(0..0, offers);
        own.truncate(suggestions_max);
        self
    }

    /// The same, with more that the reader of an answer should know.
    pub(crate) fn with_notices(mut self, notices: Vec<String>) -> Self {
        if let Self::Answer(answer) = &mut self {
            answer.notices.extend(notices);
        }
        self
    }
}

/// What a decision rests on besides the text itself.
#[derive(Clone, Copy)]
pub struct Grounds<'a> {
    /// The words of the question that carry its subject.
    pub key_words: &'a [KeyWord],
    /// What was found.
    pub candidates: &'a Candidates,
    /// What of the search was lost.
    pub lost: &'a [Fallback],
    /// What was answered from.
    pub evidence: &'a Evidence,
    /// Whether the question named it word for word.
    pub is_named: bool,
    /// What models made of it.
    pub opinions: ModelOpinions,
    /// How certain its beginning is, where that was found certain enough to be told by itself.
    pub stands: Option<Confidence>,
    /// Whether an editor chose the evidence for these very words: then nothing was searched, and no figure speaks against it.
    pub is_chosen: bool,
}

/// What models made of an answer, or of the passages for it, beside the built-in judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelOpinions {
    /// How well a second model finds the answer supported, of 100.
    pub support: Option<u32>,
    /// Whether the model that was to write found no answer in the passages.
    pub found_no_answer: bool,
}

/// What a question could mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Clarification {
    /// What is asked back.
    pub question: String,
    /// What each of them is, verified as an answer is; none if nothing is known but the names.
    pub text: Option<VerifiedText>,
    /// The choices, each with a question that means it alone.
    pub options: Vec<Suggestion>,
    /// Whether the documents do not answer, and details are asked for that might help.
    pub is_no_context: bool,
}

/// An answer and how certain it is.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedAnswer {
    text: VerifiedText,
    confidence: Confidence,
    notices: Vec<String>,
    stale_sources: Vec<DocumentId>,
    left_out: Vec<UnsupportedClaim>,
    suggestions: Vec<Suggestion>,
}

impl VerifiedAnswer {
    /// The sentences.
    #[must_use]
    pub fn text(&self) -> &VerifiedText {
        &self.text
    }

    /// How certain it is.
    #[must_use]
    pub fn confidence(&self) -> &Confidence {
        &self.confidence
    }

    /// The sentences that could not be verified and are not shown.
    #[must_use]
    pub fn left_out(&self) -> &[UnsupportedClaim] {
        &self.left_out
    }

    /// What the reader might have meant instead, where the answer is weak.
    #[must_use]
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.suggestions
    }

    /// Whether so little speaks for it that the reader may have meant something else.
    pub(crate) fn is_weak(&self) -> bool {
        Level::from_score(f64::from(self.confidence.overall) / 100.0) == Level::Low
    }

    /// What the reader should know, such as an old source.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The cited documents that are older than the profile allows, by id; there is a notice for each.
    #[must_use]
    pub fn stale_sources(&self) -> &[DocumentId] {
        &self.stale_sources
    }
}

/// Refuses before anything is written, where the evidence does not allow an answer.
#[must_use]
pub fn refuse_early(candidates: &Candidates, evidence: &Evidence, policy: &DecidePolicy) -> Option<Refusal> {
    let reason = if let Some(failure) = candidates.failure() {
        RefusalReason::Unsearchable { failure }
    } else if candidates.items().is_empty() {
        nothing_found(candidates)
    } else if let Some(report) =
        evidence.judge_report().filter(|report| report.is_cut && evidence.refused_by().is_some())
    {
        RefusalReason::NotReadInTime { read: report.readings.len(), given: report.given }
    } else if let Some(gate) = evidence.refused_by() {
        RefusalReason::Gate(gate.clone())
    } else if evidence.pieces().is_empty() {
        nothing_found(candidates)
    } else {
        return None;
    };
    Some(refusal::refuse(reason, candidates, policy))
}

fn nothing_found(candidates: &Candidates) -> RefusalReason {
    let is_partial = !candidates.fallbacks().is_empty();
    RefusalReason::NothingFound { left_out: candidates.items().len(), is_partial }
}

/// Said of an answer where a deadline cut the reading.
const NOT_ALL_READ: &str =
    "Not every passage was read in time. Ask again when the machine is less busy: the answer may then be different.";

fn is_cut(evidence: &Evidence) -> bool {
    evidence.judge_report().is_some_and(|report| report.is_cut)
}

/// What the reader should know of the documents cited, and which of them are stale. A list names documents and quotes none, so
/// their age is no caveat.
fn notices(
    text: &VerifiedText,
    evidence: &Evidence,
    policy: &DecidePolicy,
    now_ms: u64,
) -> (Vec<String>, Vec<DocumentId>) {
    if text.heading().is_some() {
        return (Vec::new(), Vec::new());
    }
    let stale = staleness::stale_sources(text, policy, now_ms).into_iter();
    let (mut notices, stale_sources): (Vec<_>, Vec<_>) = stale.map(|stale| (stale.notice, stale.document)).unzip();
    notices.extend(standing::notices(text, evidence));
    notices.extend(cut_lists::notices(text));
    (notices, stale_sources)
}

/// Whether an answer may still be refused for its confidence, once every sentence has passed, where this of the search was lost.
#[must_use]
pub fn confidence_may_refuse(lost: &[Fallback], policy: &DecidePolicy) -> bool {
    confidence::may_be_too_low(lost, policy)
}

/// Answers with what passed, or refuses.
#[must_use]
pub fn decide(verification: Verification, grounds: Grounds<'_>, policy: &DecidePolicy, now_ms: u64) -> Decision {
    let Grounds { key_words, candidates, lost, evidence, is_named, opinions, stands, is_chosen } = grounds;
    match verification {
        Verification::Failed(left_out) if left_out.is_empty() => {
            Decision::Refuse(refusal::refuse(RefusalReason::NothingToSay, candidates, policy))
        }
        Verification::Failed(left_out) => {
            Decision::Refuse(refusal::refuse(RefusalReason::NothingVerified(left_out), candidates, policy))
        }
        Verification::Passed { text, left_out } => {
            let signs = signs(&text, key_words, evidence);
            let confidence =
                confidence::confidence(&text, signs, (is_named, opinions), policy.confidence).with_fallbacks(lost);
            let least = confidence::least(lost, policy);
            let confidence = stands.map_or(confidence, |known| confidence.not_below(known, least, opinions));
            // Where a model has doubts about what was written, what was chosen is quoted instead.
            let is_certain = is_chosen && opinions == ModelOpinions::default();
            let confidence = if is_certain { confidence.of_choice() } else { confidence };
            if let Some(reading) = confidence::gate(&confidence, least, opinions, policy).filter(|gate| !gate.passed) {
                return Decision::Refuse(refusal::refuse(RefusalReason::Gate(reading), candidates, policy));
            }
            let (mut notices, stale_sources) = notices(&text, evidence, policy, now_ms);
            if is_cut(evidence) {
                notices.push(NOT_ALL_READ.to_owned());
            }
            if !left_out.is_empty() {
                notices.push(format!("{} sentence(s) could not be verified and were left out.", left_out.len()));
            }
            let suggestions = Vec::new();
            Decision::Answer(VerifiedAnswer { text, confidence, notices, stale_sources, left_out, suggestions })
        }
    }
}
