//! Every path gives the portable one's bits, on odd shapes and at the ends of every range; the approximations keep to
//! their bounds; a text's rows depend on nothing but the text.

mod bounds;
mod files;
mod paths;
mod texts;
mod tiny;

/// Numbers that look random and are the same every time.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// From 0 up to and without `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(0) % end.max(1)
    }

    /// From −1 to 1.
    pub(super) fn float(&mut self) -> f32 {
        (self.next() & 0xffff) as f32 / 32_767.5 - 1.0
    }
}

/// How often something random is tried; under Miri each try takes a thousand times as long.
pub(super) const fn tries(usual: usize) -> usize {
    if cfg!(miri) { usual.div_ceil(40) } else { usual }
}
