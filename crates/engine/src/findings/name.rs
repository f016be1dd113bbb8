//! The title of a document → what it is called without its year or version.
//!
//! Invariant: only what is written as a year or a version is left out. Other numbers belong to the name: "level 1" and
//! "level 2" are two things, and so are the third and the fourth of a series.

use std::collections::BTreeSet;

use vouch_domain::{
    DocumentCard,
    language::words::{is_stop_word, terms},
};

use super::signature::digest;
use crate::reading::{
    calendar::{Date, dates},
    token::Token,
    tokens::tokens,
};

/// Words before a number, or after an ordinal, that make it a version.
const VERSION_WORDS: &[&str] = &["version", "edition", "revision", "rev", "release", "v"];
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2099;

/// A title, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Name {
    /// Its words as they are compared, without stop words.
    pub(super) words: Vec<String>,
    /// Its years and versions.
    pub(super) versions: Vec<String>,
    /// Whether it names a day, as minutes and reports do.
    pub(super) has_day: bool,
}

impl Name {
    pub(super) fn of(title: &str) -> Self {
        let tokens = tokens(title);
        let dates = dates(&tokens);
        let mut name = Self { has_day: dates.iter().any(|date| date.day.is_some()), ..Self::default() };
        for (at, token) in tokens.iter().enumerate() {
            if is_of_version(&tokens, &dates, at) {
                name.versions.push(token.fold.clone());
            } else if !is_stop_word(&token.fold) && token.fold.chars().any(char::is_alphanumeric) {
                name.words.push(token.key.clone());
            }
        }
        name
    }

    /// What documents of this name are looked up by; nothing where it has no word.
    pub(super) fn digest(&self) -> Option<u64> {
        (!self.words.is_empty()).then(|| digest(&format!("title\n{}", self.words.join(" "))))
    }

    /// Whether two titles are the same but for years and versions.
    pub(super) fn is_same_but_for_version(&self, other: &Self) -> bool {
        !self.words.is_empty() && self.words == other.words
    }
}

/// Whether the token at a place is part of a year or a version.
fn is_of_version(tokens: &[Token<'_>], dates: &[Date], at: usize) -> bool {
    if dates.iter().any(|date| date.range.contains(&at)) {
        return true;
    }
    let Some(token) = tokens.get(at) else { return false };
    let is_version_word = |token: &Token<'_>| VERSION_WORDS.contains(&token.fold.as_str());
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let after = tokens.get(at + 1);
    if is_version_word(token) {
        return before.is_some_and(is_number) || after.is_some_and(is_number);
    }
    let is_beside_word = before.is_some_and(is_version_word) || after.is_some_and(is_version_word);
    is_number(token) && (is_beside_word || is_version(&token.fold, at))
}

fn is_number(token: &Token<'_>) -> bool {
    let digits = token.fold.trim_end_matches(char::is_alphabetic);
    token.fold.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
        || version_number(&token.fold).is_some()
}

/// What follows the letter in "v2" or "q3".
fn version_number(word: &str) -> Option<&str> {
    let number = word.strip_prefix(['v', 'q'])?;
    number.starts_with(|c: char| c.is_ascii_digit()).then_some(number)
}

/// Whether a number is a year, or written as versions are: "v2", "1.4". At the start of a title it numbers a chapter.
fn is_version(word: &str, at: usize) -> bool {
    let is_year = word.parse().is_ok_and(|year: u32| YEARS.contains(&year));
    let is_dotted = at > 0 && word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_year || is_dotted || version_number(word).is_some()
}

/// The words of where a document lies that say what it is, those of numbers and endings left out.
pub(super) fn words_of_place(card: &DocumentCard, other: &DocumentCard) -> BTreeSet<String> {
    let place = if card.source == other.source { card.id.as_str() } else { card.source.as_str() };
    let (folder, file) = place.rsplit_once('/').unwrap_or(("", place));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let words = format!("{folder}/{stem}").replace(|c: char| !c.is_alphanumeric(), " ");
    terms(&words).into_iter().filter(|word| !word.chars().any(|c| c.is_ascii_digit())).collect()
}
