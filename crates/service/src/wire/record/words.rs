//! Whether the trail keeps the words of questions and answers.

/// Whether the asker's and the answer's words are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Words {
    /// They are.
    #[default]
    Kept,
    /// Only figures and identifiers are; such a request cannot be asked again.
    LeftOut,
}

impl Words {
    /// A text, where texts are kept.
    pub(super) fn kept<T>(self, text: T) -> Option<T> {
        match self {
            Self::Kept => Some(text),
            Self::LeftOut => None,
        }
    }
}
