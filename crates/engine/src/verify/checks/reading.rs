//! A text → its sentences, with their tokens, dates and figures.
//!
//! Invariant: claim and evidence are read the same way.

use std::ops::Range;

use vouch_domain::language::sentence_ranges;

use super::{
    super::budget::Budget,
    calendar::{self, Date},
    figures::{self, Figure},
    token::Token,
    tokens,
};

/// One sentence, read.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    text: &'a str,
    /// Its tokens, in order.
    pub tokens: Vec<Token<'a>>,
    /// Its dates.
    pub dates: Vec<Date>,
    /// Its figures, those inside dates left out.
    pub figures: Vec<Figure>,
    /// Which of the texts it is from.
    pub source: usize,
}

impl Sentence<'_> {
    /// Its words, folded, in order.
    pub(super) fn folds(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.fold.as_str())
    }

    /// Whether the token at this place belongs to a date.
    pub(super) fn is_dated(&self, at: usize) -> bool {
        let next = self.dates.partition_point(|date| date.range.end <= at);
        self.dates.get(next).is_some_and(|date| date.range.contains(&at))
    }

    /// The words between the first and the last token of a range, as written.
    pub(super) fn words(&self, range: &Range<usize>) -> String {
        let first = self.tokens.get(range.start);
        let last = range.end.checked_sub(1).and_then(|last| self.tokens.get(last));
        match (first, last) {
            (Some(first), Some(last)) => self.text.get(first.range.start..last.range.end).unwrap_or("").to_owned(),
            _ => String::new(),
        }
    }
}

/// The sentences of each text by itself.
pub(super) fn texts<'s, 'a>(sentences: &'s [Sentence<'a>]) -> impl Iterator<Item = &'s [Sentence<'a>]> {
    sentences.chunk_by(|one, next| one.source == next.source)
}

/// The sentences of several texts, as far as the budget goes.
pub(super) fn sentences<'a>(texts: &[&'a str], budget: &Budget) -> Vec<Sentence<'a>> {
    let mut found = Vec::new();
    for (source, text) in texts.iter().enumerate() {
        for range in sentence_ranges(text) {
            let Some(text) = text.get(range).filter(|text| budget.spend(text.len())) else { continue };
            let tokens = tokens::tokens(text);
            let dates = calendar::dates(&tokens);
            let taken: Vec<Range<usize>> = dates.iter().map(|date| date.range.clone()).collect();
            let figures = figures::figures(&tokens, &taken);
            found.push(Sentence { text, tokens, dates, figures, source });
        }
    }
    found
}
