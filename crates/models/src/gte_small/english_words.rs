//! Common English words: those that the embedder's tokenizer knows whole.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;
use vouch_domain::ports::PlainWords;

use super::TOKENIZER;

static WORDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let read: Option<TokenizerJson> = serde_json::from_slice(TOKENIZER).ok();
    let tokens = read.into_iter().flat_map(|read| read.model.vocab.into_keys());
    tokens.filter(|token| token.chars().all(|c| c.is_ascii_lowercase())).collect()
});

#[derive(Deserialize)]
struct TokenizerJson {
    model: ModelJson,
}

#[derive(Deserialize)]
struct ModelJson {
    vocab: std::collections::BTreeMap<String, u32>,
}

/// Some twenty thousand words that are frequent in English text.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnglishWords;

impl PlainWords for EnglishWords {
    fn knows(&self, word: &str) -> bool {
        WORDS.contains(word)
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
