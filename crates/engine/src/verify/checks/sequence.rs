//! A row of words → where it stands within a longer row.
//!
//! Invariant: the work is linear in both rows together, whatever repeats itself in them (Knuth, Morris and Pratt).

/// A row of words that is looked for.
pub(super) struct Sequence<'a> {
    words: Vec<&'a str>,
    /// For each length that matches, the next shorter one that still does.
    shorter: Vec<usize>,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(words: Vec<&'a str>) -> Self {
        let mut sequence = Self { shorter: vec![0], words };
        let mut matched = 0;
        for at in 1..sequence.words.len() {
            let word = sequence.words.get(at).copied().unwrap_or_default();
            matched = sequence.longer(matched, word);
            sequence.shorter.push(matched);
        }
        sequence
    }

    /// Where in a text the words stand in a row, by the place of the first; overlapping places too.
    pub(super) fn places<'t>(&self, text: impl Iterator<Item = &'t str>) -> impl Iterator<Item = usize> {
        let mut matched = 0;
        text.enumerate().filter_map(move |(at, word)| {
            matched = self.longer(matched, word);
            (matched == self.words.len()).then(|| at + 1 - matched)
        })
    }

    /// How many words match once another one has come.
    fn longer(&self, mut matched: usize, word: &str) -> usize {
        loop {
            if self.words.get(matched).is_some_and(|wanted| *wanted == word) {
                return matched + 1;
            }
            let Some(shorter) = matched.checked_sub(1).and_then(|at| self.shorter.get(at)) else { return 0 };
            matched = *shorter;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sequence;

    #[test]
    fn every_place_is_found_also_where_they_overlap() {
        for (words, text, places) in [
            ("a b", "a b c a b", vec![0, 3]),
            ("a a", "a a a b a a", vec![0, 1, 4]),
            ("a b a c", "a b a b a c", vec![2]),
            ("a b", "b a", vec![]),
        ] {
            let found: Vec<usize> = Sequence::new(words.split(' ').collect()).places(text.split(' ')).collect();
            assert_eq!(found, places, "{words} in {text}");
        }
    }
}
