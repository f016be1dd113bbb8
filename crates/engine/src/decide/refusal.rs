//! Why there is no answer, in one sentence and with the gate's figure.

use vouch_domain::GateReading;

use super::alternatives::{self, Suggestion};
use crate::{policy::DecidePolicy, retrieve::Candidates, verify::UnsupportedClaim};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum RefusalReason {
    /// A gate stopped the question.
    Gate(GateReading),
    /// No passage was found that the reader may see.
    NothingFound,
    /// The writer found nothing to say in the evidence.
    NothingToSay,
    /// Nothing the writer said could be verified.
    NothingVerified(Vec<UnsupportedClaim>),
}

impl RefusalReason {
    /// The reason as one word for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Gate(reading) => reading.name,
            Self::NothingFound => "nothing_found",
            Self::NothingToSay => "nothing_to_say",
            Self::NothingVerified(_) => "nothing_verified",
        }
    }

    /// The reason as a sentence for people, with its figure.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Gate(reading) => format!("gate {}: {}", reading.name, reading.sentence),
            Self::NothingFound => "gate evidence: 0 passages found, at least 1 is needed".to_owned(),
            Self::NothingToSay => "gate evidence: 0 sentences of the evidence speak to the question".to_owned(),
            Self::NothingVerified(claims) => {
                format!("gate claims: 0 of {} sentences could be verified", claims.len())
            }
        }
    }
}

/// An honest no.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The standard sentence of the profile.
    pub message: String,
    /// Why.
    pub reason: RefusalReason,
    /// What the reader might ask instead.
    pub suggestions: Vec<Suggestion>,
}

pub(super) fn refuse(reason: RefusalReason, candidates: &Candidates, policy: &DecidePolicy) -> Refusal {
    let suggestions = alternatives::suggest(candidates, policy.suggestions_max);
    Refusal { message: policy.refusal_message.clone(), reason, suggestions }
}
