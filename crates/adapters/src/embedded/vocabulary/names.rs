//! The names of a tenant's terms → those that look most like a misspelt one.
//!
//! Invariant: the names found are those a comparison with every name would find, in the same order. The index is made
//! once per state of the vocabularies; a search looks only at names that share a run of three characters with what is
//! asked, and stops when nobody waits for it.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use vouch_domain::language::{nearest, trigrams};

/// Entries of the index, four bytes each; names beyond are never suggested.
const ENTRIES_MAX: usize = 20_000_000;

/// Names by the runs of three characters they hold.
pub(super) struct Names {
    shown: Vec<String>,
    /// How many runs each name has.
    runs: Vec<u32>,
    holding: HashMap<[char; 3], Vec<u32>>,
}

impl Names {
    pub(super) fn new(mut shown: Vec<String>) -> Self {
        let mut runs = Vec::with_capacity(shown.len());
        let mut holding: HashMap<[char; 3], Vec<u32>> = HashMap::new();
        let mut entries = 0;
        for (number, name) in (0..u32::MAX).zip(&shown) {
            let own = trigrams(name);
            entries += own.len();
            if entries > ENTRIES_MAX {
                break;
            }
            runs.push(u32::try_from(own.len()).unwrap_or(u32::MAX));
            for run in own {
                holding.entry(run).or_default().push(number);
            }
        }
        shown.truncate(runs.len());
        Self { shown, runs, holding }
    }

    /// The names most like a text, nearest first, up to a limit; none if nobody waits for them any longer.
    #[expect(clippy::cast_precision_loss, reason = "a name has few characters")]
    pub(super) fn most_similar(&self, text: &str, limit: usize, waits: &Waits) -> Vec<String> {
        let asked = trigrams(text);
        let mut shared = vec![0_u32; self.shown.len()];
        for run in &asked {
            if waits.is_over() {
                return Vec::new();
            }
            for number in self.holding.get(run).into_iter().flatten() {
                if let Some(count) = usize::try_from(*number).ok().and_then(|number| shared.get_mut(number)) {
                    *count += 1;
                }
            }
        }
        let own = u32::try_from(asked.len()).unwrap_or(u32::MAX);
        let alike = shared.iter().zip(&self.runs).zip(&self.shown).filter(|((shared, _), _)| **shared > 0);
        let alike = alike.map(|((shared, runs), name)| (*shared as f32 / (own + runs - shared) as f32, name.as_str()));
        let mut alike: Vec<(f32, &str)> = alike.collect();
        let order = |a: &(f32, &str), b: &(f32, &str)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1));
        if alike.len() > limit {
            alike.select_nth_unstable_by(limit, order);
            alike.truncate(limit);
        }
        nearest(alike).into_iter().map(str::to_owned).collect()
    }
}

/// Whether anybody still waits for a search.
#[derive(Clone, Default)]
pub(super) struct Waits(Arc<AtomicBool>);

impl Waits {
    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the wait when dropped, with the future that holds it.
    pub(super) fn until_dropped(&self) -> UntilDropped {
        UntilDropped(self.clone())
    }
}

/// See `Waits::until_dropped`.
pub(super) struct UntilDropped(Waits);

impl Drop for UntilDropped {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Waits};
    use vouch_domain::language::most_similar;

    /// Names of one to three words, each another.
    fn names(count: usize) -> Vec<String> {
        let syllables = ["bus", "bar", "volt", "age", "feed", "er", "gate", "ré", "lay", "sect", "ion", "mast"];
        let word = |number: usize, length: usize| -> String {
            (0..length)
                .filter_map(|at| syllables.get((number / 12_usize.pow(u32::try_from(at).ok()?)) % 12))
                .copied()
                .collect()
        };
        (0..count).map(|number| format!("{} {} {number}", word(number, 2 + number % 3), word(number / 7, 2))).collect()
    }

    #[test]
    fn the_index_finds_what_comparing_every_name_finds() {
        let names = names(3_000);
        let index = Names::new(names.clone());
        for asked in ["bussbar", "voltage regulatoin 17", "feeder", "gaterelay 2999", "zzz", "", "a", "bus", "relay ré"]
        {
            for limit in [1, 3, 50] {
                let expected = most_similar(asked, names.iter().map(String::as_str), limit);
                assert_eq!(index.most_similar(asked, limit, &Waits::default()), expected, "{asked} {limit}");
            }
        }
    }

    #[test]
    fn a_search_nobody_waits_for_stops() {
        let index = Names::new(names(100));
        let waits = Waits::default();
        assert!(!index.most_similar("busbar", 3, &waits).is_empty());
        drop(waits.until_dropped());
        assert!(index.most_similar("busbar", 3, &waits).is_empty());
    }

    #[test]
    fn a_term_like_none_looks_at_no_name() {
        let index = Names::new(names(1_000));
        let looked_at: usize = vouch_domain::language::trigrams("xyzzyq")
            .iter()
            .filter_map(|run| index.holding.get(run))
            .map(Vec::len)
            .sum();
        assert_eq!(looked_at, 0);
    }
}
