//! A seed and what the throw is for → numbers that look random.
//!
//! Invariant: the same seed and the same words give the same throws, on every machine.

/// A splitmix64 generator.
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    /// Dice for one use: the seed mixed with the words it is for.
    pub(super) fn new(seed: u64, words: &[&str]) -> Self {
        let mixed = words.iter().flat_map(|word| word.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self { state: seed ^ mixed }
    }

    /// A number below `end`; 0 where there is none.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        mixed.checked_rem(end).unwrap_or(0)
    }

    /// The same things in another order.
    pub(super) fn shuffled<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        let mut last = things.len();
        while last > 1 {
            let other = self.below(last as u64) as usize;
            last -= 1;
            things.swap(last, other);
        }
        things
    }
}
