//! Evidence and verification → `Decision`: an answer, or a refusal that says why.
//!
//! Invariant: `Decision::Answer` holds a `VerifiedText`; there is no other way to answer.

mod alternatives;
mod confidence;
mod coverage;
mod cut_lists;
mod general;
mod quality;
mod referral;
mod refusal;
mod staleness;
mod supersession;

use crate::{
    judge::Evidence,
    policy::DecidePolicy,
    retrieve::Candidates,
    verify::{Verification, VerifiedText},
};

pub use alternatives::Suggestion;
pub use confidence::{Confidence, certain};
pub use general::GeneralAnswer;
pub use quality::{Level, RetrievalQuality, TransparencyStatement};
pub use referral::{Referral, RouteTarget, Unsure, refer};
pub use refusal::{Refusal, RefusalReason, refuse_with};

/// What is said in the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Verified sentences.
    Answer(VerifiedAnswer),
    /// An honest no.
    Refuse(Refusal),
    /// Several things it could be, each as its source says, to choose from.
    Clarify(Clarification),
    /// For a person to answer, with whom to ask.
    Route(Referral),
    /// From a model's general knowledge, said to be so, with no source at all.
    General(GeneralAnswer),
}

/// What a decision rests on beside the text itself.
#[derive(Clone, Copy)]
pub struct Grounds<'a> {
    /// What was found.
    pub candidates: &'a Candidates,
    /// What was answered from.
    pub evidence: &'a Evidence,
    /// How well a second model finds the answer supported, of 100.
    pub second_opinion: Option<u32>,
}

/// What a question could mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Clarification {
    /// What is asked back.
    pub question: String,
    /// What each of them is, verified as an answer is; none where nothing is known but the names.
    pub text: Option<VerifiedText>,
    /// The choices, each with a question that means it alone.
    pub options: Vec<Suggestion>,
}

/// An answer and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedAnswer {
    /// The sentences.
    pub text: VerifiedText,
    /// How sure it is.
    pub confidence: Confidence,
    /// What the reader should know, such as an old source.
    pub notices: Vec<String>,
}

/// Refuses before anything is written, where the evidence does not allow an answer.
#[must_use]
pub fn refuse_early(candidates: &Candidates, evidence: &Evidence, policy: &DecidePolicy) -> Option<Refusal> {
    let reason = if let Some(failure) = candidates.failure() {
        RefusalReason::Unsearchable { failure }
    } else if candidates.items().is_empty() {
        RefusalReason::NothingFound
    } else if let Some(gate) = evidence.refused_by() {
        RefusalReason::Gate(gate.clone())
    } else if evidence.pieces().is_empty() {
        RefusalReason::NothingFound
    } else {
        return None;
    };
    Some(refusal::refuse(reason, candidates, policy))
}

/// What the reader should know of the documents cited.
#[must_use]
pub fn notices(text: &VerifiedText, policy: &DecidePolicy, now_ms: u64) -> Vec<String> {
    let mut notices = staleness::notices(text, policy, now_ms);
    notices.extend(supersession::notices(text));
    notices.extend(cut_lists::notices(text));
    notices
}

/// Answers with what passed, or refuses.
#[must_use]
pub fn decide(verification: Verification, grounds: Grounds<'_>, policy: &DecidePolicy, now_ms: u64) -> Decision {
    let Grounds { candidates, evidence, second_opinion } = grounds;
    match verification {
        Verification::Failed(left_out) if left_out.is_empty() => {
            Decision::Refuse(refusal::refuse(RefusalReason::NothingToSay, candidates, policy))
        }
        Verification::Failed(left_out) => {
            Decision::Refuse(refusal::refuse(RefusalReason::NothingVerified(left_out), candidates, policy))
        }
        Verification::Passed { text, left_out } => {
            let confidence = confidence::confidence(&text, evidence, second_opinion).under(&candidates.fallbacks());
            if let Some(reading) = confidence::too_low(&confidence, policy) {
                return Decision::Refuse(refusal::refuse(RefusalReason::Gate(reading), candidates, policy));
            }
            let mut notices = notices(&text, policy, now_ms);
            if !left_out.is_empty() {
                notices.push(format!("{} sentence(s) could not be verified and were left out.", left_out.len()));
            }
            Decision::Answer(VerifiedAnswer { text, confidence, notices })
        }
    }
}
