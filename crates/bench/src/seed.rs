//! Random numbers that are the same on every machine.

/// A small generator (xorshift64*).
#[derive(Debug, Clone)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) fn new(seed: u64) -> Self {
        // Seeds that are near each other are to give numbers that are not.
        let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(if mixed == 0 { 1 } else { mixed })
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or(0)
    }

    /// Evenly between -1 and 1.
    pub(crate) fn centred(&mut self) -> f32 {
        let high = u16::try_from(self.next() >> 48).unwrap_or(0);
        f32::from(high) / 32_768.0 - 1.0
    }

    /// Evenly between 0 and 1, neither of them.
    pub(crate) fn unit(&mut self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or(0);
        (f64::from(high) + 0.5) / 4_294_967_296.0
    }

    /// Normally distributed, mean 0 and deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        let (one, other) = (self.unit(), self.unit());
        (-2.0 * one.ln()).sqrt() * (2.0 * std::f64::consts::PI * other).cos()
    }
}
