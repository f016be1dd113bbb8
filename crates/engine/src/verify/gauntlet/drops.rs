//! What was taken out of a writer's text, counted by kind.

use std::collections::BTreeMap;

/// Why something was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drop {
    /// A footnote whose number was never given.
    NeverMinted,
    /// A source that is not of this turn.
    UnknownSource,
    /// Something said to be done that was not.
    ActionNotDone,
    /// A bracket that is half a citation, or one inside another.
    Malformed,
    /// A citation said twice in one sentence.
    Repeated,
    /// A citation of a passage that does not say it, on a sentence that stands without it.
    Unneeded,
    /// An identifier of the store, or a token of a model's own language.
    Leaked,
    /// What a model says to itself.
    Thinking,
    /// Bytes that are no text, and signs that are not seen.
    NotText,
}

impl Drop {
    /// The kind as one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NeverMinted => "never_minted",
            Self::UnknownSource => "unknown_source",
            Self::ActionNotDone => "action_not_done",
            Self::Malformed => "malformed",
            Self::Repeated => "repeated",
            Self::Unneeded => "unneeded",
            Self::Leaked => "leaked",
            Self::Thinking => "thinking",
            Self::NotText => "not_text",
        }
    }
}

/// How often each kind was taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drops(BTreeMap<Drop, usize>);

impl Drops {
    pub(in crate::verify) fn count(&mut self, drop: Drop) {
        *self.0.entry(drop).or_default() += 1;
    }

    pub(crate) fn count_many(&mut self, drop: Drop, times: usize) {
        if times > 0 {
            *self.0.entry(drop).or_default() += times;
        }
    }

    pub(crate) fn add(&mut self, others: &Self) {
        for (drop, count) in others.iter() {
            *self.0.entry(drop).or_default() += count;
        }
    }

    /// The kinds that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Drop, usize)> + '_ {
        self.0.iter().map(|(drop, count)| (*drop, *count))
    }

    /// How often a kind occurred.
    #[must_use]
    pub fn of(&self, drop: Drop) -> usize {
        self.0.get(&drop).copied().unwrap_or_default()
    }
}
