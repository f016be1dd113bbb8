//! A text → its sentences, with their tokens, dates and figures.
//!
//! Invariant: claim and evidence are read the same way.

use std::ops::Range;

use vouch_domain::language::sentence_ranges;

use super::{
    calendar::{self, Date},
    figures::{self, Figure},
    tokens::{self, Token},
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

/// The sentences of several texts.
pub(super) fn sentences<'a>(texts: &[&'a str]) -> Vec<Sentence<'a>> {
    let mut found = Vec::new();
    for (source, text) in texts.iter().enumerate() {
        for range in sentence_ranges(text) {
            let Some(text) = text.get(range) else { continue };
            let tokens = tokens::tokens(text);
            let dates = calendar::dates(&tokens);
            let taken: Vec<Range<usize>> = dates.iter().map(|date| date.range.clone()).collect();
            let figures = figures::figures(&tokens, &taken);
            found.push(Sentence { text, tokens, dates, figures, source });
        }
    }
    found
}
