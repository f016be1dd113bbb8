//! Recalls as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;

/// Answers that rest on what no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecallList {
    /// Newest first.
    pub recalls: Vec<RecallWire>,
    /// How many requests of the trail were looked at.
    pub searched: usize,
    /// How many answers could not be compared: their record cannot be read, or they came from another store.
    pub skipped: usize,
    /// Send it as `before` to go on; null where the trail ends.
    pub next: Option<String>,
}

/// An answer that rests on what no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Recall)]
pub struct RecallWire {
    /// Id of the request.
    pub request_id: String,
    /// When it was asked, RFC 3339 in UTC.
    pub timestamp: String,
    /// Id of the caller.
    pub user_id: String,
    /// The question; null if questions are not recorded.
    pub query: Option<String>,
    /// Those of its sources that no longer stand as they were cited.
    pub sources: Vec<RecalledSource>,
}

/// A cited document that no longer says what was cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecalledSource {
    /// Number of the marker in the answer: 1 for `[^1]`.
    pub marker: u32,
    /// Id of the document.
    pub document_id: String,
    /// Its title when it was cited.
    pub title: String,
    /// What became of it.
    pub reason: RecallReason,
    /// The sentences that no longer stand; of a document that is gone or no longer holds, all that were cited.
    pub sentences: Vec<RecalledSentence>,
    /// Address of the document that replaces it now; null if none does.
    pub superseded_by: Option<String>,
    /// Its status now; null if it names none or is gone.
    pub status: Option<String>,
    /// The version that was cited.
    pub version_then: RecalledVersion,
    /// The version there is now; null if the document is gone.
    pub version_now: Option<RecalledVersion>,
}

/// What became of a cited document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecallReason {
    /// It was removed, or is no longer open to the reader.
    Removed,
    /// Another document replaces it.
    Superseded,
    /// Its status says that it no longer holds.
    Withdrawn,
    /// A cited sentence is no longer in its text.
    Changed,
    /// It has changed, and the version that was cited is not kept or not open to the reader.
    Unknown,
}

/// A sentence that no longer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecalledSentence {
    /// The sentence as it was cited.
    pub text: String,
    /// The block that stands in its place; null if there is none.
    pub in_its_place: Option<String>,
    /// Headings above that block, joined by ` › `; null at the top of the document, or if there is no such block.
    pub section: Option<String>,
}

/// A version of a cited document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct RecalledVersion {
    /// Its number, from 1; null if it is not kept or not open to the reader.
    pub number: Option<u32>,
    /// Its author's label; null if it names none.
    pub label: Option<String>,
    /// Its date; null if it names none.
    pub date: Option<String>,
}

impl RecallReason {
    /// As one stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
            Self::Changed => "changed",
            Self::Unknown => "unknown",
        }
    }
}
