//! What was found by comparing documents, as other programs see it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{Finding, FindingSide, timestamp};

/// Two documents that should be looked at together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = OpenFinding)]
pub struct OpenFindingWire {
    /// Its id, to dismiss it by.
    pub id: String,
    /// `versions`: two versions of one document that are both in force; `duplicate`: two documents that are nearly the same;
    /// `contradiction`: two sentences that may give another figure, date or name for the same thing.
    pub kind: &'static str,
    /// Whether it is a guess, more often wrong than right, as every contradiction is.
    pub is_guess: bool,
    /// How alike they are, of 100: the words of documents, the sentences of versions, the subjects of sentences.
    #[schema(minimum = 0, maximum = 100)]
    pub likeness: u8,
    /// When it was found.
    pub found_at: String,
    /// The two sides.
    pub sides: Vec<FindingSideWire>,
}

/// One side of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FindingSide)]
pub struct FindingSideWire {
    /// Id of the document.
    pub document: String,
    /// Its title.
    pub title: String,
    /// The day it was last changed, by its author's word; null if it does not say.
    pub date: Option<String>,
    /// The sentence, word for word. Of versions a line for each of the first places in which they differ, those of both sides
    /// in the same order; null for a document that is nearly another's.
    pub sentence: Option<String>,
}

impl OpenFindingWire {
    /// A finding as it is shown to who may see both sides.
    #[must_use]
    pub fn new(finding: &Finding) -> Self {
        Self {
            id: finding.id.clone(),
            kind: finding.kind.as_str(),
            is_guess: finding.kind.is_guess(),
            likeness: finding.likeness,
            found_at: timestamp(finding.found_ms),
            sides: finding.sides.iter().map(side).collect(),
        }
    }
}

fn side(side: &FindingSide) -> FindingSideWire {
    FindingSideWire {
        document: side.document.id.as_str().to_owned(),
        title: side.document.title.clone(),
        date: side.document.date.clone(),
        sentence: Some(side.sentence.clone()).filter(|sentence| !sentence.is_empty()),
    }
}
