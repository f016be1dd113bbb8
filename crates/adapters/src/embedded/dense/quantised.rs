//! A vector of floats → signed bytes and one scale, so that a product is an integer product.

/// A vector in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuantisedVector {
    pub(super) codes: Vec<i8>,
    pub(super) scale: f32,
}

impl QuantisedVector {
    /// The largest component becomes 127; the rest follow.
    pub(super) fn new(values: &[f32]) -> Self {
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "a quotient by the largest component is within a byte")]
        let codes = values.iter().map(|value| (value / scale).round().clamp(-127.0, 127.0) as i8).collect();
        Self { codes, scale }
    }
}

/// The cosine of two quantised vectors of length one.
pub(super) fn similarity(a: &[i8], a_scale: f32, b: &[i8], b_scale: f32) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the sum of a few hundred byte products fits")]
    let dot = <i8 as simsimd::SpatialSimilarity>::dot(a, b).unwrap_or(0.0) as f32;
    dot * a_scale * b_scale
}

#[cfg(test)]
mod tests {
    use super::{QuantisedVector, similarity};

    #[test]
    fn bytes_keep_the_cosine_to_two_digits() {
        let a: Vec<f32> = (0..384u16).map(|n| (f32::from(n) * 0.37).sin() * 0.072).collect();
        let b: Vec<f32> = (0..384u16).map(|n| (f32::from(n) * 0.37 + 0.5).sin() * 0.072).collect();
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let (qa, qb) = (QuantisedVector::new(&a), QuantisedVector::new(&b));
        assert!((similarity(&qa.codes, qa.scale, &qb.codes, qb.scale) - exact).abs() < 0.005);
    }
}
