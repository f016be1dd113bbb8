//! Single words of the index: who holds a rare one, and which known one an unknown one is meant for.

use tantivy::{DocSet, Searcher, TERMINATED, TantivyError, Term, schema::IndexRecordOption};
use vouch_domain::{
    PassageKey,
    language::{
        KeyWord, Nearness,
        spelling::{QueryWord, sound},
    },
    ports::{RARE_SHARE, Spelling},
};

use super::{
    schema::{Fields, KEY, SHELF},
    statistics::{Totals, frequency},
};
use crate::embedded::shelves::VisibleShelves;

/// Letters of which either may begin the same word.
const HEARD_ALIKE: &[(char, char)] = &[('v', 'w'), ('o', 'u'), ('e', 'i'), ('i', 'y')];

/// How a word may begin, as written or as heard; the dictionary is sorted by it.
fn initials(term: &str) -> Vec<char> {
    let mut initials: Vec<char> = term.chars().take(1).chain(sound(term).chars().take(1)).collect();
    for (left, right) in HEARD_ALIKE {
        if initials.contains(left) || initials.contains(right) {
            initials.extend([left, right]);
        }
    }
    initials.sort_unstable();
    initials.dedup();
    initials
}

/// The words of one reader's index.
pub(super) struct Dictionary<'a> {
    searcher: &'a Searcher,
    fields: Fields,
    visible: &'a VisibleShelves,
    sees_all: bool,
    passages: u64,
}

impl<'a> Dictionary<'a> {
    pub(super) fn new(searcher: &'a Searcher, fields: Fields, totals: &Totals, visible: &'a VisibleShelves) -> Self {
        let sees_all = totals.shelves().all(|shelf| visible.includes(shelf));
        Self { searcher, fields, visible, sees_all, passages: totals.passages(visible) }
    }

    fn frequency(&self, term: &str) -> Result<u64, TantivyError> {
        frequency(self.searcher, self.fields.words, &self.word(term), self.visible, self.sees_all)
    }

    /// The passages of words that only a few passages hold, rarest word first.
    pub(super) fn rare(&self, words: &[KeyWord], holders_max: u64) -> Result<Vec<PassageKey>, TantivyError> {
        let mut rare = Vec::new();
        let holders_max = holders_max.min(self.passages / RARE_SHARE as u64);
        for word in words {
            let frequency = self.frequency(&word.term)?;
            if (1..=holders_max).contains(&frequency) {
                rare.push((frequency, word.term.as_str()));
            }
        }
        rare.sort_unstable();
        let mut keys = Vec::new();
        for (_, term) in rare {
            for key in self.holders(term)? {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        Ok(keys)
    }

    /// For every word nobody holds, the nearest that somebody does; of equally near ones the commonest.
    pub(super) fn spellings(&self, words: &[KeyWord]) -> Result<Vec<Spelling>, TantivyError> {
        let mut found = Vec::new();
        for word in words {
            if self.frequency(&word.term)? > 0 {
                found.extend(self.marked(word)?);
                continue;
            }
            let mut best: Option<((usize, u64, String), Nearness)> = None;
            for (nearness, term) in self.near(&word.term)? {
                let frequency = self.frequency(&term)?;
                let place = (nearness.slips(), u64::MAX - frequency, term);
                if frequency > 0 && best.as_ref().is_none_or(|(known, _)| place < *known) {
                    best = Some((place, nearness));
                }
            }
            let Some(((_, _, term), nearness)) = best else { continue };
            found.extend(self.first_holding(&self.word(&term))?.map(|holder| Spelling {
                asked: word.word.clone(),
                heard: sound(&term),
                holder,
                nearness: Some(nearness),
            }));
        }
        Ok(found)
    }

    /// A word written with marks that sounds like a known one, in the first passage that holds it.
    fn marked(&self, word: &KeyWord) -> Result<Option<Spelling>, TantivyError> {
        let heard = sound(&word.term);
        let term = Term::from_field_text(self.fields.sounds, &heard);
        Ok(self.first_holding(&term)?.map(|holder| Spelling {
            asked: word.word.clone(),
            heard,
            holder,
            nearness: None,
        }))
    }

    /// Every word of the index that may be another spelling of a term, whoever may see it.
    fn near(&self, term: &str) -> Result<Vec<(Nearness, String)>, TantivyError> {
        let Some(asked) = QueryWord::new(term) else { return Ok(Vec::new()) };
        let initials = initials(term);
        let mut found: Vec<(Nearness, String)> = Vec::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.words)?;
            for initial in &initials {
                let (from, to) =
                    (initial.to_string(), char::from_u32(*initial as u32 + 1).unwrap_or(char::MAX).to_string());
                let mut stream = inverted.terms().range().ge(&from).lt(&to).into_stream()?;
                while stream.advance() {
                    let Ok(known) = std::str::from_utf8(stream.key()) else { continue };
                    if let Some(nearness) = asked.nearness_to(known) {
                        found.push((nearness, known.to_owned()));
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn word(&self, term: &str) -> Term {
        Term::from_field_text(self.fields.words, term)
    }

    /// The living, visible passages that hold a word, by key.
    fn holders(&self, term: &str) -> Result<Vec<PassageKey>, TantivyError> {
        let mut keys = Vec::new();
        self.each_holding(&self.word(term), |key| keys.push(key))?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// The first of those that hold a term.
    fn first_holding(&self, term: &Term) -> Result<Option<PassageKey>, TantivyError> {
        let mut first: Option<PassageKey> = None;
        self.each_holding(term, |key| first = Some(first.map_or(key, |known| known.min(key))))?;
        Ok(first)
    }

    fn each_holding(&self, term: &Term, mut tell: impl FnMut(PassageKey)) -> Result<(), TantivyError> {
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(term.field())?;
            let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? else { continue };
            let (shelves, numbers) = (segment.fast_fields().u64(SHELF)?, segment.fast_fields().u64(KEY)?);
            let mut document = postings.doc();
            while document != TERMINATED {
                let shelf = shelves.first(document).and_then(|id| u32::try_from(id).ok());
                let is_visible = !segment.is_deleted(document) && shelf.is_some_and(|id| self.visible.includes(id));
                if is_visible && let Some(key) = numbers.first(document) {
                    tell(PassageKey(key));
                }
                document = postings.advance();
            }
        }
        Ok(())
    }
}
