//! Which figure each document stated at which generation.

use std::collections::BTreeMap;

use super::{ferries, truth::PassageRow};

/// A figure and the generations at which it held: from `born` until before `died`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) figure: u64,
    pub(super) born: u64,
    pub(super) died: Option<u64>,
}

/// The figures of every name, in the order in which they came to hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    spans: BTreeMap<String, Vec<Span>>,
}

impl Timeline {
    pub(super) fn new(passages: &[PassageRow]) -> Self {
        let mut spans: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for row in passages {
            for (name, figure) in ferries::figures(&row.text) {
                spans.entry(name).or_default().push(Span { figure, born: row.born, died: row.died });
            }
        }
        spans.values_mut().for_each(|spans| spans.sort_by_key(|span| (span.born, span.figure)));
        Self { spans }
    }

    /// Whether the document of this name stated the figure at a generation.
    pub(super) fn states(&self, name: &str, figure: u64, generation: u64) -> bool {
        self.at(name, generation).any(|stated| stated == figure)
    }

    /// What it stated then; nothing if it was not there.
    pub(super) fn figure_at(&self, name: &str, generation: u64) -> Option<u64> {
        self.at(name, generation).next()
    }

    /// Every figure that it ever stated.
    pub(super) fn of(&self, name: &str) -> &[Span] {
        self.spans.get(name).map_or(&[], Vec::as_slice)
    }

    /// The same with every change one generation later: what a check that works must not accept.
    pub(super) fn one_later(&self) -> Self {
        let mut later = self.clone();
        for span in later.spans.values_mut().flatten() {
            span.born += 1;
            span.died = span.died.map(|died| died + 1);
        }
        later
    }

    fn at(&self, name: &str, generation: u64) -> impl Iterator<Item = u64> {
        let holds = move |span: &&Span| span.born <= generation && span.died.is_none_or(|died| generation < died);
        self.of(name).iter().filter(holds).map(|span| span.figure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_holds_from_its_birth_until_before_its_death() {
        let row = |figure: u64, born: u64, died: Option<u64>| PassageRow { text: ferries::text(0, figure), born, died };
        let timeline = Timeline::new(&[row(10, 2, Some(5)), row(11, 5, Some(7)), row(12, 9, None)]);
        let name = ferries::name(0);
        let stated: Vec<_> = (1..=9).map(|generation| timeline.figure_at(&name, generation)).collect();
        let expected = [None, Some(10), Some(10), Some(10), Some(11), Some(11), None, None, Some(12)];
        assert_eq!(stated, expected);
        assert!(!timeline.one_later().states(&name, 10, 2) && timeline.one_later().states(&name, 10, 5));
    }
}
