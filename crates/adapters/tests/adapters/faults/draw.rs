//! Chance from a seed: the same draws on every machine.

/// Draws numbers (splitmix64).
pub struct Draw(u64);

impl Draw {
    /// The draws of one seed and one purpose.
    pub fn of(seed: u64, purpose: u64) -> Self {
        let mut draw = Self(seed ^ purpose.rotate_left(32));
        draw.next();
        draw
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit; 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or_default()
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len())).copied()
    }
}
