//! What was taken out of a writer's text, counted by kind.

use std::collections::BTreeMap;

pub use crate::trace::Removal;

/// How many removals are remembered with their words, and how many characters of each.
const CLAIMS_MAX: usize = 64;
const CLAIM_CHARS_MAX: usize = 64;

/// How often each kind was taken out, and the first of them word for word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DropCounts {
    counts: BTreeMap<Removal, usize>,
    claimed: Vec<DroppedMarker>,
}

/// A citation that was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedMarker {
    /// Why.
    pub kind: Removal,
    /// What was written, cut where it is very long.
    pub claimed: String,
    /// The largest number that was given out.
    pub known_max: u32,
}

impl DropCounts {
    pub(in crate::verify) fn count(&mut self, drop: Removal) {
        *self.counts.entry(drop).or_default() += 1;
    }

    pub(crate) fn count_many(&mut self, drop: Removal, times: usize) {
        if times > 0 {
            *self.counts.entry(drop).or_default() += times;
        }
    }

    /// Counts a citation that is taken out, with what it claims.
    pub(in crate::verify) fn count_marker(&mut self, kind: Removal, claimed: &[u8], known_max: u32) {
        self.count(kind);
        if self.claimed.len() < CLAIMS_MAX {
            let claimed = String::from_utf8_lossy(claimed);
            let claimed = claimed.chars().filter(|c| !c.is_control()).take(CLAIM_CHARS_MAX).collect();
            self.claimed.push(DroppedMarker { kind, claimed, known_max });
        }
    }

    /// The first citations that were taken out.
    #[must_use]
    pub fn claimed(&self) -> &[DroppedMarker] {
        &self.claimed
    }

    pub(crate) fn add(&mut self, others: &Self) {
        let room = CLAIMS_MAX.saturating_sub(self.claimed.len());
        self.claimed.extend(others.claimed.iter().take(room).cloned());
        for (drop, count) in others.iter() {
            *self.counts.entry(drop).or_default() += count;
        }
    }

    /// The kinds that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Removal, usize)> + '_ {
        self.counts.iter().map(|(drop, count)| (*drop, *count))
    }

    /// How often a kind occurred.
    #[must_use]
    pub fn get(&self, drop: Removal) -> usize {
        self.counts.get(&drop).copied().unwrap_or_default()
    }
}
