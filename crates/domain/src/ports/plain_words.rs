//! Words of the plain language, which documents need not hold to be words.

/// Knows common words.
pub trait PlainWords: Send + Sync {
    /// Whether a word in lower case is a common one as it stands.
    fn knows(&self, word: &str) -> bool;

    /// Whether a word in lower case sounds like a common one, as "realy" does.
    fn sounds_common(&self, word: &str) -> bool;
}
