//! An answer as it comes: one event per sentence, one per source, the whole reply last. A later sentence may rest on
//! more of a source than an earlier one: where the words of a citation stand is final in the reply.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::ask::AnswerSentence;

use super::{CitationWire, Reply};

/// An event of a stream.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The request was accepted.
    Start {
        /// Id of the request.
        request_id: String,
    },
    /// A source, sent before the first sentence that cites it.
    Citation {
        /// The source; the place of its quote is final only in the reply.
        citation: Box<CitationWire>,
    },
    /// Verified text; all of it joined is the reply's answer.
    Sentence {
        /// The sentence with its markers, and what separates it from the one before.
        text: String,
        /// Numbers of the citations it rests on.
        markers: Vec<u32>,
        /// How well the sources support it, 0 to 1.
        score: f32,
        /// The checks it passed, such as `numbers` or `judge`.
        checks: Vec<&'static str>,
    },
    /// An answer is being written, and the rest of it is told only once all of it was checked.
    Checking {
        /// The same for a person.
        text: &'static str,
    },
    /// Something to show with the answer.
    Notice {
        /// The notice, for a person.
        text: String,
    },
    /// The end of a stream that failed; sentences sent before stay verified.
    Error {
        /// Stable code, as in a problem.
        code: &'static str,
        /// What went wrong, for a person.
        message: String,
    },
    /// The end of a stream that succeeded.
    Done {
        /// The whole reply.
        reply: Box<Reply>,
    },
}

impl Event {
    /// The event's name.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Citation { .. } => "citation",
            Self::Sentence { .. } => "sentence",
            Self::Checking { .. } => "checking",
            Self::Notice { .. } => "notice",
            Self::Error { .. } => "error",
            Self::Done { .. } => "done",
        }
    }

    /// What is told where an answer must be whole before it is shown.
    #[must_use]
    pub fn checking() -> Self {
        Self::Checking { text: "Checking the answer before it is shown." }
    }

    /// The sources a sentence cites for the first time, then the sentence.
    #[must_use]
    pub fn from_sentence(said: &AnswerSentence<'_>) -> Vec<Self> {
        let citation = |cited| Self::Citation { citation: Box::new(super::citation::citation(cited)) };
        let claim = said.claim;
        let sentence = Self::Sentence {
            text: format!("{}{}", said.lead, claim.with_markers()),
            markers: claim.markers().to_vec(),
            score: claim.score(),
            checks: claim.checks().to_vec(),
        };
        said.citations.iter().map(citation).chain(std::iter::once(sentence)).collect()
    }
}
