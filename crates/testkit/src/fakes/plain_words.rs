//! A language of the words it was given.

use vouch_domain::{language::spelling::sound, ports::PlainWords};

/// Knows these words and no others.
#[derive(Debug, Clone, Copy, Default)]
pub struct FakePlainWords(pub &'static [&'static str]);

impl PlainWords for FakePlainWords {
    fn knows(&self, word: &str) -> bool {
        self.0.contains(&word)
    }

    fn sounds_common(&self, word: &str) -> bool {
        self.0.iter().any(|known| sound(known) == sound(word))
    }
}
