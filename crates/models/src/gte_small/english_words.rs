//! Common English words: those that the embedder's tokenizer knows whole.

use vouch_domain::ports::PlainWords;

use crate::tokenizer::tokenizer;

/// Some twenty thousand words that are frequent in English text.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnglishWords;

impl PlainWords for EnglishWords {
    fn knows(&self, word: &str) -> bool {
        let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase());
        is_word && tokenizer().is_some_and(|tokenizer| tokenizer.token_to_id(word).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::{EnglishWords, PlainWords};

    #[test]
    fn common_words_are_known_and_slips_of_the_hand_are_not() {
        for word in ["days", "mission", "stature", "default", "price"] {
            assert!(EnglishWords.knows(word), "{word}");
        }
        for word in ["defualt", "parantal", "brach", "retension", "varnasrama", "##ing"] {
            assert!(!EnglishWords.knows(word), "{word}");
        }
    }
}
