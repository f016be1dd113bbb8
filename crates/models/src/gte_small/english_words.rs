//! Common English words: those that the embedder's tokenizer knows whole.

use std::{collections::HashSet, sync::LazyLock};

use vouch_domain::{language::spelling::sound, ports::PlainWords};

use crate::tokenizer::tokenizer;

/// How the common words sound that are long enough to be misspelt.
static SOUNDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let known = tokenizer().map(|tokenizer| tokenizer.get_vocab(false)).unwrap_or_default();
    known.keys().filter(|word| word.len() >= LETTERS_MIN && is_word(word)).map(|word| sound(word)).collect()
});

const LETTERS_MIN: usize = 4;

/// Some twenty thousand words that are frequent in English text.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnglishWords;

impl PlainWords for EnglishWords {
    fn knows(&self, word: &str) -> bool {
        is_word(word) && tokenizer().is_some_and(|tokenizer| tokenizer.token_to_id(word).is_some())
    }

    fn sounds_common(&self, word: &str) -> bool {
        is_word(word) && SOUNDS.contains(&sound(word))
    }
}

fn is_word(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
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

    #[test]
    fn a_word_that_sounds_like_a_common_one_is_told_from_one_that_does_not() {
        for word in ["realy", "recieve", "acros"] {
            assert!(EnglishWords.sounds_common(word), "{word}");
        }
        for word in ["defualt", "retension", "varnasrama", ""] {
            assert!(!EnglishWords.sounds_common(word), "{word}");
        }
    }
}
