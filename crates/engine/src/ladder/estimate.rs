//! A text → at least as many tokens as a model would count in it, for models whose tokenizer is not at hand.
//!
//! Words of a language are one to a few tokens, everything rarer up to a token a byte. The figures were chosen so that no
//! text of the data sets has more tokens than are counted here (docs/decisions/0006).

use vouch_domain::ports::TokenCounter;

/// A word of this many letters may be one token; a longer one is counted in parts of so many.
const LETTERS_A_TOKEN: usize = 3;

/// Counts from above.
#[derive(Debug, Clone, Copy, Default)]
pub struct EstimatedTokens;

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        let (mut tokens, mut letters, mut spaces) = (0_usize, 0_usize, 0_usize);
        for sign in text.chars() {
            if sign.is_ascii_alphabetic() {
                letters += 1;
                spaces = 0;
                continue;
            }
            tokens += letters.div_ceil(LETTERS_A_TOKEN);
            letters = 0;
            if sign == ' ' {
                // One space belongs to the word after it.
                tokens += usize::from(spaces > 0);
                spaces += 1;
                continue;
            }
            spaces = 0;
            tokens += sign.len_utf8();
        }
        tokens + letters.div_ceil(LETTERS_A_TOKEN)
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
    }
}
