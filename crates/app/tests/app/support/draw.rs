//! Chance from a seed: the same draws on every machine.

/// Draws numbers and words.
pub struct Draw(u64);

impl Draw {
    pub fn from(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number (splitmix64).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn of(&mut self, letters: &str) -> char {
        let at = usize::try_from(self.below(letters.len() as u64)).unwrap_or_default();
        letters.chars().nth(at).unwrap_or('x')
    }

    /// Letters that no language puts together.
    pub fn word(&mut self, letters: usize) -> String {
        (0..letters).map(|_| self.of("bcdfghjklmnpqrstvwxz")).collect()
    }

    /// A name that can be spoken.
    pub fn name(&mut self) -> String {
        let mut name = self.of("BDFGKLMNPRSTV").to_string();
        for _ in 0..3 {
            name.extend([self.of("aeiou"), self.of("bdfgklmnprstv")]);
        }
        name
    }

    /// The same word with one letter changed.
    pub fn misspelt(&mut self, word: &str) -> String {
        let at = usize::try_from(self.below(word.chars().count() as u64)).unwrap_or_default();
        let other = |letter: char| if letter == 'q' { 'y' } else { 'q' };
        word.chars().enumerate().map(|(place, letter)| if place == at { other(letter) } else { letter }).collect()
    }
}
