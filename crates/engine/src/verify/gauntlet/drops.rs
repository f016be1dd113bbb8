//! What was taken out of a writer's text, counted by kind.

use std::collections::BTreeMap;

pub use crate::trace::Removal;

/// How often each kind was taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DropCounts(BTreeMap<Removal, usize>);

impl DropCounts {
    pub(in crate::verify) fn count(&mut self, drop: Removal) {
        *self.0.entry(drop).or_default() += 1;
    }

    pub(crate) fn count_many(&mut self, drop: Removal, times: usize) {
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
    pub fn iter(&self) -> impl Iterator<Item = (Removal, usize)> + '_ {
        self.0.iter().map(|(drop, count)| (*drop, *count))
    }

    /// How often a kind occurred.
    #[must_use]
    pub fn get(&self, drop: Removal) -> usize {
        self.0.get(&drop).copied().unwrap_or_default()
    }
}
