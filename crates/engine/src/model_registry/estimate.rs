//! A text → at least as many tokens as a model would count in it, for models whose tokenizer is not at hand.
//!
//! Words of a language are one to a few tokens, everything rarer up to one token per byte. The figures were chosen so
//! that no text of the data sets has more tokens than are counted here (docs/decisions/0006).

use vouch_domain::ports::TokenCounter;

/// This many small letters of a word are one token.
const LETTERS_A_TOKEN: usize = 3;
/// This many letters of a word with a capital are: names are rarer than words.
const NAME_LETTERS_A_TOKEN: usize = 2;
/// One more for every this many, for formulas.
const MARGIN: usize = 32;

/// An upper bound on tokens.
#[derive(Debug, Clone, Copy, Default)]
pub struct EstimatedTokens;

/// Letters in a row.
#[derive(Default)]
struct Letters {
    count: usize,
    has_capital: bool,
}

impl Letters {
    fn tokens(&self) -> usize {
        self.count.div_ceil(if self.has_capital { NAME_LETTERS_A_TOKEN } else { LETTERS_A_TOKEN })
    }
}

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        let (mut tokens, mut letters, mut spaces) = (0_usize, Letters::default(), 0_usize);
        for sign in text.chars() {
            if sign.is_ascii_alphabetic() {
                letters.count += 1;
                letters.has_capital |= sign.is_ascii_uppercase();
                spaces = 0;
                continue;
            }
            tokens += std::mem::take(&mut letters).tokens();
            if sign == ' ' {
                // One space belongs to the word after it.
                tokens += usize::from(spaces > 0);
                spaces += 1;
                continue;
            }
            spaces = 0;
            tokens += sign.len_utf8();
        }
        tokens += letters.tokens();
        tokens + tokens / MARGIN
    }
}

#[cfg(test)]
mod tests {
    use super::{EstimatedTokens, TokenCounter};

    #[test]
    fn words_digits_and_signs_are_counted_from_above() {
        let count = |text: &str| EstimatedTokens.count(text);
        assert_eq!((count(""), count("a"), count("leave"), count("annual leave")), (0, 1, 2, 4));
        assert_eq!((count("2026-11"), count("é"), count("漢字"), count("a\n\nb")), (7, 2, 6, 4));
        assert_eq!((count("Nogah"), count(&"a ".repeat(64))), (3, 66));
    }
}
