//! BM25's figures over what one reader may see, so that a hidden passage cannot move a visible score.

use std::collections::BTreeMap;

use tantivy::{
    DocSet, Searcher, TERMINATED, TantivyError, Term,
    query::Bm25StatisticsProvider,
    schema::{Field, IndexRecordOption},
};

use super::schema::{Fields, SHELF, TOKENS};
use crate::embedded::shelves::VisibleShelves;

/// Living passages and their tokens, shelf by shelf.
#[derive(Debug, Default)]
pub(super) struct Totals {
    by_shelf: BTreeMap<u32, Total>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Total {
    passages: u64,
    tokens: u64,
}

impl Totals {
    pub(super) fn count(searcher: &Searcher) -> Result<Self, TantivyError> {
        let mut by_shelf: BTreeMap<u32, Total> = BTreeMap::new();
        for segment in searcher.segment_readers() {
            let shelves = segment.fast_fields().u64(SHELF)?;
            let tokens = segment.fast_fields().u64(TOKENS)?;
            for document in segment.doc_ids_alive() {
                let shelf = shelves.first(document).and_then(|id| u32::try_from(id).ok()).unwrap_or(u32::MAX);
                let total = by_shelf.entry(shelf).or_default();
                total.passages += 1;
                total.tokens += tokens.first(document).unwrap_or(0);
            }
        }
        Ok(Self { by_shelf })
    }

    pub(super) fn shelves(&self) -> impl Iterator<Item = u32> + '_ {
        self.by_shelf.keys().copied()
    }

    /// How many passages a reader may see.
    pub(super) fn passages(&self, visible: &VisibleShelves) -> u64 {
        self.visible(visible).passages
    }

    fn visible(&self, visible: &VisibleShelves) -> Total {
        self.by_shelf.iter().filter(|(shelf, _)| visible.includes(**shelf)).fold(Total::default(), |sum, (_, total)| {
            Total { passages: sum.passages + total.passages, tokens: sum.tokens + total.tokens }
        })
    }
}

/// The figures one search needs.
pub(super) struct VisibleStatistics {
    total: Total,
    frequencies: BTreeMap<Term, u64>,
}

impl VisibleStatistics {
    pub(super) fn read(
        searcher: &Searcher,
        fields: Fields,
        totals: &Totals,
        visible: &VisibleShelves,
        terms: &[Term],
    ) -> Result<Self, TantivyError> {
        let sees_all = totals.shelves().all(|shelf| visible.includes(shelf));
        let mut frequencies = BTreeMap::new();
        for term in terms {
            frequencies.insert(term.clone(), frequency(searcher, fields.words, term, visible, sees_all)?);
        }
        Ok(Self { total: totals.visible(visible), frequencies })
    }

    /// Whether any term stands in anything the reader may see.
    pub(super) fn has_match(&self) -> bool {
        self.frequencies.values().any(|frequency| *frequency > 0)
    }
}

/// How many living, visible passages hold a term.
pub(super) fn frequency(
    searcher: &Searcher,
    words: Field,
    term: &Term,
    visible: &VisibleShelves,
    sees_all: bool,
) -> Result<u64, TantivyError> {
    let mut found = 0;
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(words)?;
        if sees_all && !segment.has_deletes() {
            found += u64::from(inverted.doc_freq(term)?);
            continue;
        }
        let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? else { continue };
        let shelves = segment.fast_fields().u64(SHELF)?;
        let mut document = postings.doc();
        while document != TERMINATED {
            let is_visible =
                || shelves.first(document).and_then(|id| u32::try_from(id).ok()).is_some_and(|id| visible.includes(id));
            found += u64::from(!segment.is_deleted(document) && is_visible());
            document = postings.advance();
        }
    }
    Ok(found)
}

impl Bm25StatisticsProvider for VisibleStatistics {
    fn total_num_tokens(&self, _field: Field) -> Result<u64, TantivyError> {
        Ok(self.total.tokens)
    }

    fn total_num_docs(&self) -> Result<u64, TantivyError> {
        Ok(self.total.passages)
    }

    fn doc_freq(&self, term: &Term) -> Result<u64, TantivyError> {
        Ok(self.frequencies.get(term).copied().unwrap_or(0))
    }
}
