//! Claims of a tenant → what each of their words weighs.

use std::collections::BTreeMap;

use super::signature::digest;

/// Claims with less in common are not read.
const COMMON_MIN: f64 = 0.7;

/// How rare words are among the claims of a tenant.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: BTreeMap<u64, u64>,
    claims: u64,
}

impl Rarity {
    pub(super) fn new(counts: impl IntoIterator<Item = (u64, u64)>, claims: u64) -> Self {
        Self { counts: counts.into_iter().collect(), claims }
    }

    /// What a word weighs: 1 where it stands in one claim alone, less where it stands in many.
    #[expect(clippy::cast_precision_loss, reason = "counts of claims are far below 2^52")]
    fn weight(&self, term: u64) -> f64 {
        let claims = self.claims.max(20) as f64;
        let count = self.counts.get(&term).copied().unwrap_or(1).max(1) as f64;
        (1.0 + claims / count).ln() / (1.0 + claims).ln()
    }

    /// Whether two claims may be of the same thing, by the digests of their terms alone: reading them takes longer.
    pub(super) fn may_be_alike(&self, one: &[u64], other: &[u64]) -> bool {
        let common: f64 = one.iter().filter(|term| other.contains(term)).map(|term| self.weight(*term)).sum();
        common >= COMMON_MIN
    }

    pub(super) fn sum<'t>(&self, terms: impl IntoIterator<Item = &'t String>) -> f64 {
        terms.into_iter().map(|term| self.weight(digest(term))).sum()
    }
}
