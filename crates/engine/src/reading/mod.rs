//! A text → its sentences, with their tokens, dates and figures.
//!
//! Invariant: claim and evidence are read the same way, and every word of both is read: what is no sentence to a reader of
//! documents, such as a comment or the words of an image, is still something a claim says.

pub mod budget;
pub(crate) mod calendar;
pub(crate) mod figures;
pub(crate) mod measures;
pub(crate) mod name_forms;
pub(crate) mod name_spans;
pub(crate) mod numerals;
pub(crate) mod token;
pub(crate) mod tokens;

use std::ops::Range;

use vouch_domain::language::sentence_ranges;

use budget::Budget;
use calendar::Date;
use figures::Figure;
use token::Token;

/// One sentence, read.
#[derive(Debug)]
pub(crate) struct Sentence<'a> {
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
    pub(crate) fn folds(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.fold.as_str())
    }

    /// Whether the token at this place belongs to a date.
    pub(crate) fn is_dated(&self, at: usize) -> bool {
        let next = self.dates.partition_point(|date| date.range.end <= at);
        self.dates.get(next).is_some_and(|date| date.range.contains(&at))
    }

    /// The words between the first and the last token of a range, as written.
    pub(crate) fn words(&self, range: &Range<usize>) -> String {
        let first = self.tokens.get(range.start);
        let last = range.end.checked_sub(1).and_then(|last| self.tokens.get(last));
        match (first, last) {
            (Some(first), Some(last)) => self.text.get(first.range.start..last.range.end).unwrap_or("").to_owned(),
            _ => String::new(),
        }
    }
}

/// The sentences of each text by itself.
pub(crate) fn texts<'s, 'a>(sentences: &'s [Sentence<'a>]) -> impl Iterator<Item = &'s [Sentence<'a>]> {
    sentences.chunk_by(|one, next| one.source == next.source)
}

/// The sentences of several texts, as far as the budget goes.
pub(crate) fn sentences<'a>(texts: &[&'a str], budget: &Budget) -> Vec<Sentence<'a>> {
    let mut found = Vec::new();
    for (source, text) in texts.iter().enumerate() {
        for range in every_word(text) {
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

/// The sentences of a text and, in their places, the words between them.
fn every_word(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut read_until = 0;
    for sentence in sentence_ranges(text).into_iter().chain(std::iter::once(text.len()..text.len())) {
        let between = text.get(read_until..sentence.start).unwrap_or_default();
        if between.contains(char::is_alphabetic) {
            found.push(read_until..sentence.start);
        }
        read_until = sentence.end;
        if !sentence.is_empty() {
            found.push(sentence);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::every_word;

    #[test]
    fn words_that_are_no_sentence_are_read_and_marks_of_a_list_are_not() {
        let text = "<!-- It is 30 m. -->\n1. The mast is tall.\n![It is 40 m](x.png)";
        let read: Vec<&str> = every_word(text).into_iter().filter_map(|range| text.get(range)).map(str::trim).collect();
        assert_eq!(read, ["<!-- It is 30 m. -->\n1.", "The mast is tall.", "![It is 40 m](x.png)"]);
    }
}
