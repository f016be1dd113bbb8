//! Other ways to ask for the same.

/// Why a rewrite is asked; the order is that in which they are kept where there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RewriteKind {
    /// The asker's own words.
    Original,
    /// With the subject of the turn before.
    Subject,
    /// With a word as the documents spell it.
    Spelling,
    /// One of several questions in one.
    SubQuestion,
    /// One item of a list.
    Item,
    /// With another label of a term.
    Synonym,
    /// As a statement, the way an answer is worded.
    Statement,
    /// As a model would ask for it.
    Planned,
}

impl RewriteKind {
    /// The kind as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Subject => "subject",
            Self::Spelling => "spelling",
            Self::SubQuestion => "sub_question",
            Self::Item => "item",
            Self::Synonym => "synonym",
            Self::Statement => "statement",
            Self::Planned => "planned",
        }
    }

    /// Whether a passage may be weighed by it: it is still the question. A statement lies nearer to any text and
    /// would make everything look more relevant than it is, and a model may have asked for something else.
    #[must_use]
    pub fn is_a_question(self) -> bool {
        !matches!(self, Self::Statement | Self::Planned)
    }
}

/// One way to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// Why it is asked.
    pub kind: RewriteKind,
    /// Its words.
    pub text: String,
}
