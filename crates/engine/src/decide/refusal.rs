//! Why there is no answer, in one sentence and with the gate's figure.

use super::alternatives::{self, Suggestion};
use crate::trace::{GateName, GateReading};
use crate::{
    policy::DecidePolicy,
    retrieve::Candidates,
    verify::{UnsupportedClaim, VerifiedText},
};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum RefusalReason {
    /// A gate stopped the question.
    Gate(GateReading),
    /// Nothing could be searched, or what the question names could not be looked up.
    Unsearchable {
        /// What failed.
        failure: String,
    },
    /// A deadline ended the reading before the judge had read everything, and nothing it has read answers.
    NotReadInTime {
        /// How many passages were read.
        read: usize,
        /// How many were to be read.
        given: usize,
    },
    /// No passage was found that the reader may see, or none that is near enough.
    NothingFound {
        /// How many were found and left out.
        left_out: usize,
        /// Whether a part of the search was down, so that there may be more.
        is_partial: bool,
    },
    /// The writer found nothing to say in the evidence.
    NothingToSay,
    /// The planner found no thesis in the evidence.
    NoThesis,
    /// Nothing the writer said could be verified.
    NothingVerified(Vec<UnsupportedClaim>),
    /// No vocabulary defines the term.
    TermUnknown {
        /// The term.
        term: String,
        /// Whether the vocabulary has the term, without saying what it means.
        is_listed: bool,
        /// How many documents found for it use the words.
        mentions: usize,
        /// Whether the documents were searched for an answer, too.
        is_searched: bool,
    },
    /// The vocabulary did not answer in time.
    TermLate {
        /// The term.
        term: String,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The vocabulary could not be asked.
    TermFailed {
        /// The term.
        term: String,
        /// What happened.
        sentence: String,
    },
    /// No document has the address.
    EntityMissing {
        /// The address as it was written.
        written: String,
    },
    /// No document of the kind fits.
    NothingListed {
        /// The kind.
        kind: String,
        /// What was wanted of them beside their kind, in words that follow it; empty if nothing was.
        conditions: String,
    },
}

impl RefusalReason {
    /// The reason as one word for programs.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Gate(reading) => reading.name.as_str(),
            Self::Unsearchable { .. } => "search_unavailable",
            Self::NotReadInTime { .. } => "not_read_in_time",
            Self::NothingFound { .. } => "nothing_found",
            Self::NothingToSay => "nothing_to_say",
            Self::NoThesis => "no_thesis",
            Self::NothingVerified(_) => "nothing_verified",
            Self::TermUnknown { .. } => "terminology_not_found",
            Self::TermLate { .. } => "terminology_timeout",
            Self::TermFailed { .. } => "terminology_error",
            Self::EntityMissing { .. } => "entity_not_found",
            Self::NothingListed { .. } => "no_results",
        }
    }

    /// Whether nothing was found that answers, so that more of the asker might help.
    pub(crate) fn lacks_context(&self) -> bool {
        matches!(self, Self::NothingFound { .. }) || self.is_silence_of_documents()
    }

    /// Whether no answer was found in the documents at hand, and not one that was found was held back or could not be looked for.
    pub(crate) fn is_silence_of_documents(&self) -> bool {
        match self {
            Self::Gate(reading) => reading.name != GateName::Confidence,
            Self::NothingToSay => true,
            Self::Unsearchable { .. }
            | Self::NotReadInTime { .. }
            | Self::NothingFound { .. }
            | Self::NoThesis
            | Self::NothingVerified(_)
            | Self::TermUnknown { .. }
            | Self::TermLate { .. }
            | Self::TermFailed { .. }
            | Self::EntityMissing { .. }
            | Self::NothingListed { .. } => false,
        }
    }

    /// The reason as a sentence for people, with its figure.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Gate(reading) => format!("gate {}: {}", reading.name, reading.sentence),
            Self::Unsearchable { failure } => format!("gate search: the search failed ({failure})"),
            Self::NotReadInTime { read, given } => format!(
                "gate reading: {read} of {given} passages could be read in time; ask again when the machine is less busy"
            ),
            Self::NothingFound { left_out: 0, is_partial: false } => {
                "gate evidence: 0 passages found, at least 1 is needed".to_owned()
            }
            Self::NothingFound { left_out: 0, is_partial: true } => {
                "gate evidence: no passage found, and a part of the search was down".to_owned()
            }
            Self::NothingFound { left_out, .. } => {
                format!("gate evidence: none of the {left_out} passages found is close enough")
            }
            Self::NothingToSay => "gate evidence: 0 sentences of the evidence address the question".to_owned(),
            Self::NoThesis => "gate outline: the notes support 0 theses, 1 is needed".to_owned(),
            Self::NothingVerified(claims) => {
                format!("gate claims: 0 of {} sentences could be verified", claims.len())
            }
            Self::TermUnknown { term, is_listed, mentions, is_searched } => {
                let known = if *is_listed {
                    format!("the vocabulary lists \"{term}\" but does not say what it means")
                } else {
                    format!("no vocabulary defines \"{term}\"")
                };
                match mentions {
                    _ if *is_searched => {
                        format!("gate terminology: {known}, and no certain answer was found in the documents")
                    }
                    0 => format!("gate terminology: {known}"),
                    1 => format!("gate terminology: {known}; 1 document mentions it without defining it"),
                    _ => format!("gate terminology: {known}; {mentions} documents mention it without defining it"),
                }
            }
            Self::TermLate { term, waited_ms } => format!(
                "gate terminology: unable to verify \"{term}\", the vocabulary did not answer within {waited_ms} ms"
            ),
            Self::TermFailed { term, sentence } => {
                format!("gate terminology: unable to verify \"{term}\", {sentence}")
            }
            Self::EntityMissing { written } => format!("gate entity: no document is called \"{written}\""),
            Self::NothingListed { kind, conditions } => format!("gate list: 0 documents of kind {kind}{conditions}"),
        }
    }
}

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The standard sentence of the profile.
    pub message: String,
    /// Why.
    pub reason: RefusalReason,
    /// What the reader might ask instead.
    pub suggestions: Vec<Suggestion>,
    /// What comes nearest in the documents, verified as an answer is, and none.
    pub nearest: Option<VerifiedText>,
}

/// Refuses with what can be asked instead, and nothing else.
#[must_use]
pub fn refuse_with(reason: RefusalReason, mut suggestions: Vec<Suggestion>, policy: &DecidePolicy) -> Refusal {
    suggestions.truncate(policy.suggestions_max);
    Refusal { message: policy.refusal_message.clone(), reason, suggestions, nearest: None }
}

pub(super) fn refuse(reason: RefusalReason, candidates: &Candidates, policy: &DecidePolicy) -> Refusal {
    let suggestions = alternatives::suggest(candidates, policy.suggestions_max);
    Refusal { message: policy.refusal_message.clone(), reason, suggestions, nearest: None }
}
