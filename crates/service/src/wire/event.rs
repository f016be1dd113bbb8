//! An answer as it comes: one event a sentence, one a source, the whole reply last. A later sentence may rest on more of a
//! source than an earlier one: where the words of a citation stand is final in the reply.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::ask::Said;

use super::{CitationWire, Reply};

/// One event of a stream.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub enum Event {
    Start {
        request_id: String,
    },
    Citation {
        citation: Box<CitationWire>,
    },
    /// Text that has been verified; joined, these are the reply's answer.
    Sentence {
        text: String,
        markers: Vec<u32>,
        score: f32,
        checks: Vec<&'static str>,
    },
    Notice {
        text: String,
    },
    /// The end of a stream that failed; what was told before stays true.
    Error {
        code: &'static str,
        message: String,
    },
    Done {
        reply: Box<Reply>,
    },
}

impl Event {
    /// The event's name.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Citation { .. } => "citation",
            Self::Sentence { .. } => "sentence",
            Self::Notice { .. } => "notice",
            Self::Error { .. } => "error",
            Self::Done { .. } => "done",
        }
    }

    /// The sources a sentence cites for the first time, then the sentence.
    #[must_use]
    pub fn of(said: &Said<'_>) -> Vec<Self> {
        let citation = |cited| Self::Citation { citation: Box::new(super::reply::citation(cited)) };
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
