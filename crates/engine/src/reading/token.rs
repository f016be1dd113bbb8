//! A token, and what stands before it.

use std::ops::Range;

use vouch_domain::language::words::is_stop_word;

/// Longer words in capitals are shouted, and no initials.
pub(crate) const ACRONYM_LETTERS_MAX: usize = 8;

/// What stands between a token and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// Nothing is before it.
    Start,
    /// White space, or a point that only shortens a word.
    Space,
    /// A hyphen, without white space.
    Hyphen,
    /// A slash, without white space.
    Slash,
    /// A colon, without white space.
    Colon,
    /// Nothing: `5` and `km` in `5km`.
    Touching,
    /// A comma, with or without white space.
    Comma,
    /// Any other punctuation.
    Mark,
}

/// One token.
#[derive(Debug, Clone)]
pub(crate) struct Token<'a> {
    /// As written.
    pub raw: &'a str,
    /// Lower case, without accents, possessive or points inside.
    pub fold: String,
    /// What alignment compares: the stem, or the value of a numeral.
    pub key: String,
    /// What stands before it.
    pub joint: Joint,
    /// Where it stands in its text.
    pub range: Range<usize>,
    /// An e-mail address or a URL.
    pub is_address: bool,
}

impl Token<'_> {
    /// Whether it starts with a capital letter.
    pub(crate) fn is_capital(&self) -> bool {
        self.raw.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether it carries a subject of its own.
    pub(crate) fn is_content(&self) -> bool {
        !is_stop_word(&self.fold) && self.fold.chars().any(char::is_alphanumeric)
    }

    /// Whether a digit is in it.
    pub(crate) fn has_digit(&self) -> bool {
        self.fold.chars().any(|c| c.is_ascii_digit())
    }

    /// Whether it is letters that may each stand for a word.
    pub(crate) fn is_acronym(&self) -> bool {
        let letters = self.raw.chars().filter(|c| c.is_alphabetic()).count();
        let is_upper = self.raw.chars().all(|c| c.is_uppercase() || c == '.');
        is_upper && (2..=ACRONYM_LETTERS_MAX).contains(&letters)
    }
}
