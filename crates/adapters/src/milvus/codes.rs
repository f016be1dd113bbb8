//! A vector → a code of bits, so that the bits in which two codes differ grow with the angle between their vectors.
//!
//! Each bit says on which side of a plane through the origin the vector lies. The planes are the same for every vector of every
//! store: a signed Hadamard transform, taken twice, with signs from a fixed seed. Nothing is learned from the vectors, so a
//! passage's code depends on that passage alone.
//!
//! Invariant: the same vector has the same code on every machine; a change here needs another `FORM`.

/// Which planes these are; part of the name of what holds their codes.
pub(super) const FORM: u32 = 1;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// How often the signed transform is taken, so that one large component is spread over all.
const PASSES: usize = 2;

/// The planes for vectors of one width.
pub(super) struct Codes {
    width: usize,
    bits: usize,
    /// The signs of every pass of every round.
    signs: Vec<Vec<f32>>,
}

impl Codes {
    /// For vectors of so many components; the number of bits must be divisible by eight.
    pub(super) fn new(dimensions: usize, bits: usize) -> Self {
        let width = dimensions.max(1).next_power_of_two();
        let mut state = SEED;
        let mut sign = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            if state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 63 == 0 { 1.0 } else { -1.0 }
        };
        let passes = bits.div_ceil(width) * PASSES;
        let signs = (0..passes).map(|_| (0..width).map(|_| sign()).collect()).collect();
        Self { width, bits, signs }
    }

    pub(super) fn bits(&self) -> usize {
        self.bits
    }

    /// The code, eight bits to a byte, the first highest.
    pub(super) fn code(&self, vector: &[f32]) -> Vec<u8> {
        let mut code = Vec::with_capacity(self.bits.div_ceil(8));
        for round in self.signs.chunks(PASSES) {
            let mut values = vector.to_vec();
            values.resize(self.width, 0.0);
            for signs in round {
                values.iter_mut().zip(signs).for_each(|(value, sign)| *value *= sign);
                transform(&mut values);
            }
            let bytes = values.chunks(8).map(|eight| {
                eight.iter().zip((0..8).rev()).fold(0u8, |byte, (value, place)| byte | u8::from(*value > 0.0) << place)
            });
            code.extend(bytes);
        }
        code.truncate(self.bits.div_ceil(8));
        code
    }
}

/// The Walsh-Hadamard transform, in place and not scaled.
fn transform(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_mut(half * 2) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::Codes;

    fn differing(a: &[u8], b: &[u8]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn bits_that_differ_grow_with_the_angle() {
        let codes = Codes::new(384, 1_024);
        let base: Vec<f32> = (0..384u16).map(|n| (f32::from(n) * 0.37).sin()).collect();
        let turned = |by: f32| -> Vec<f32> {
            base.iter().zip(0..384u16).map(|(value, n)| value + by * (f32::from(n) * 1.71).cos()).collect()
        };
        let own = codes.code(&base);
        assert_eq!(own.len(), 128);
        let apart: Vec<u32> = [0.0, 0.2, 0.6, 2.0].map(|by| differing(&own, &codes.code(&turned(by)))).to_vec();
        assert_eq!(apart.first(), Some(&0));
        assert!(apart.is_sorted_by(|a, b| a < b), "{apart:?}");
        let opposite: Vec<f32> = base.iter().map(|value| -value).collect();
        assert!(differing(&own, &codes.code(&opposite)) > 1_000);
    }

    #[test]
    fn a_code_has_as_many_bits_as_asked_for_whatever_the_width() {
        for (dimensions, bits) in [(3, 64), (8, 8), (384, 512), (384, 2_048), (1_536, 1_024)] {
            assert_eq!(Codes::new(dimensions, bits).code(&vec![0.5; dimensions]).len(), bits / 8);
        }
    }
}
