//! Other ways to ask for the same.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::words! {
    /// Why a rewrite is asked; the order is that in which they are kept where there are too many.
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RewriteKind {
        /// The asker's own words.
        #[serde(skip_deserializing)]
        Original = "original",
        /// With the subject of the turn before.
        Subject = "subject",
        /// With a word as the documents spell it.
        Spelling = "spelling",
        /// One of several questions in one.
        SubQuestion = "sub_question",
        /// One item of a list.
        Item = "item",
        /// With another label of a term.
        Synonym = "synonym",
        /// As a statement, the way an answer is worded.
        Statement = "statement",
        /// As a model would ask for it.
        #[serde(skip_deserializing)]
        Planned = "planned",
    }
}

impl RewriteKind {
    /// Whether a passage may be weighed by it: it is still the question. A statement lies nearer to any text and
    /// would make everything look more relevant than it is, and a model may have asked for something else.
    #[must_use]
    pub fn is_a_question(self) -> bool {
        !matches!(self, Self::Statement | Self::Planned)
    }
}

/// One way to ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TraceRewrite)]
pub struct Rewrite {
    /// Why it is asked.
    #[schema(value_type = String)]
    pub kind: RewriteKind,
    /// Its words.
    pub text: String,
}
