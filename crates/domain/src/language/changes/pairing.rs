//! Blocks of two texts that have no partner of the same words → those that are one block in two wordings.
//!
//! Blocks between the same neighbours are weighed first and paired easily; blocks far apart only where nearly all of
//! their words are the same.

use std::collections::{BTreeMap, HashMap, HashSet};

/// How alike two blocks are that stand between the same neighbours, and two that do not; of 1000.
const LIKE_NEAR: usize = 250;
const LIKE_FAR: usize = 600;
/// Most pairs that are weighed in one group.
const PAIRS_MAX: usize = 250_000;
/// Most words that are compared in all.
const WORDS_MAX: usize = 4_000_000;

/// A block without a partner of the same words.
pub(super) struct Loose<'a> {
    /// Its place in its text.
    pub(super) at: usize,
    /// Its words in the order of the alphabet.
    words: Vec<&'a str>,
}

/// The blocks of both texts that a block stands between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

impl<'a> Loose<'a> {
    pub(super) fn new(at: usize, key: &'a str) -> Self {
        let mut words: Vec<&str> = key.split(' ').collect();
        words.sort_unstable();
        Self { at, words }
    }
}

type Placed<'a, 'b> = (Gap, &'b Loose<'a>);

/// Earlier blocks and the later ones they became, and whether there was too much to weigh.
pub(super) fn pair(old: &[Placed<'_, '_>], new: &[Placed<'_, '_>]) -> (HashMap<usize, usize>, bool) {
    let mut work = Work::default();
    work.by_group(old, new, |gap| gap.before, LIKE_NEAR);
    work.by_group(old, new, |gap| gap.after, LIKE_NEAR);
    work.by_group(old, new, |_| None, LIKE_FAR);
    (work.pairs, work.is_cut)
}

#[derive(Default)]
struct Work {
    pairs: HashMap<usize, usize>,
    taken: HashSet<usize>,
    words: usize,
    is_cut: bool,
}

impl Work {
    /// Pairs what is in the same group, best first.
    fn by_group(
        &mut self,
        old: &[Placed<'_, '_>],
        new: &[Placed<'_, '_>],
        group: fn(&Gap) -> Option<usize>,
        like_min: usize,
    ) {
        let mut groups: BTreeMap<Option<usize>, (Vec<&Loose<'_>>, Vec<&Loose<'_>>)> = BTreeMap::new();
        for (gap, one) in old.iter().filter(|(_, one)| !self.pairs.contains_key(&one.at)) {
            groups.entry(group(gap)).or_default().0.push(one);
        }
        for (gap, one) in new.iter().filter(|(_, one)| !self.taken.contains(&one.at)) {
            groups.entry(group(gap)).or_default().1.push(one);
        }
        for (old, new) in groups.into_values() {
            self.within(&old, &new, like_min);
        }
    }

    fn within(&mut self, old: &[&Loose<'_>], new: &[&Loose<'_>], like_min: usize) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        let length = |side: &[&Loose<'_>]| side.iter().map(|one| one.words.len()).sum::<usize>();
        let words = length(old).saturating_mul(new.len()).saturating_add(length(new).saturating_mul(old.len()));
        if old.len().saturating_mul(new.len()) > PAIRS_MAX || self.words.saturating_add(words) > WORDS_MAX {
            self.is_cut = true;
            return;
        }
        self.words += words;
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for one in old {
            for other in new {
                let like = likeness(&one.words, &other.words);
                if like >= like_min {
                    found.push((1_000 - like, one.at, other.at));
                }
            }
        }
        found.sort_unstable();
        for (_, one, other) in found {
            if !self.pairs.contains_key(&one) && !self.taken.contains(&other) {
                self.pairs.insert(one, other);
                self.taken.insert(other);
            }
        }
    }
}

/// How many words of two sorted lists are the same, of 1000.
fn likeness(a: &[&str], b: &[&str]) -> usize {
    let (mut a_rest, mut b_rest, mut shared) = (a, b, 0_usize);
    while let (Some((one, a_next)), Some((other, b_next))) = (a_rest.split_first(), b_rest.split_first()) {
        match one.cmp(other) {
            std::cmp::Ordering::Equal => (a_rest, b_rest, shared) = (a_next, b_next, shared + 1),
            std::cmp::Ordering::Less => a_rest = a_next,
            std::cmp::Ordering::Greater => b_rest = b_next,
        }
    }
    (2_000 * shared).checked_div(a.len() + b.len()).unwrap_or(0)
}
