//! What was taken out of a writer's text, counted by kind.

use std::collections::BTreeMap;

/// Why something was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
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

impl DropReason {
    /// The kind as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
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
pub struct DropCounts(BTreeMap<DropReason, usize>);

impl DropCounts {
    pub(in crate::verify) fn count(&mut self, drop: DropReason) {
        *self.0.entry(drop).or_default() += 1;
    }

    pub(crate) fn count_many(&mut self, drop: DropReason, times: usize) {
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
    pub fn iter(&self) -> impl Iterator<Item = (DropReason, usize)> + '_ {
        self.0.iter().map(|(drop, count)| (*drop, *count))
    }

    /// How often a kind occurred.
    #[must_use]
    pub fn get(&self, drop: DropReason) -> usize {
        self.0.get(&drop).copied().unwrap_or_default()
    }
}
