//! Vectors, the model they belong to, and the map from its cosines to a scale that gates may read.

use crate::error::{Fault, PortError};

/// A vector of length one.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Scales the values to length one; a zero or non-finite vector is none at all.
    #[must_use]
    pub fn normalised(mut values: Vec<f32>) -> Option<Self> {
        let length = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
        if !length.is_finite() || length < 1e-12 {
            return None;
        }
        for value in &mut values {
            #[expect(clippy::cast_possible_truncation, reason = "a component of a unit vector fits")]
            let scaled = (f64::from(*value) / length) as f32;
            *value = scaled;
        }
        Some(Self(values))
    }

    /// Takes values that have length one already, as they are; none where they do not.
    #[must_use]
    pub fn of_unit_length(values: Vec<f32>) -> Option<Self> {
        let square = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
        (square.is_finite() && (square - 1.0).abs() < 1e-3).then_some(Self(values))
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// The cosine of the angle to another vector of the same width; 0 where the widths differ.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}

/// Which model made a vector; vectors of two identities are never compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderIdentity {
    /// The model's name, for people.
    pub name: String,
    /// A digest of everything that decides its vectors.
    pub digest: String,
    /// How wide its vectors are.
    pub dimensions: usize,
}

impl EmbedderIdentity {
    /// The vectors of so many texts, as the embedder gave them.
    ///
    /// # Errors
    /// Fails if they are not one per text, or not as wide as this embedder's: nothing could be compared with them.
    pub fn accept(&self, vectors: Vec<Embedding>, texts: usize) -> Result<Vec<Embedding>, PortError> {
        let malformed = |sentence: String| PortError::new("embedder", Fault::Internal, sentence);
        if vectors.len() != texts {
            return Err(malformed(format!("the embedder returned {} vectors for {texts} texts", vectors.len())));
        }
        match vectors.iter().map(|vector| vector.values().len()).find(|width| *width != self.dimensions) {
            Some(width) => Err(malformed(format!(
                "the embedder returned a vector of {width} numbers instead of {}",
                self.dimensions
            ))),
            None => Ok(vectors),
        }
    }
}

/// A monotone, piecewise linear map from one embedder's cosine to the scale the gates' figures assume:
/// unrelated text near 0.1, clearly relevant text above 0.7.
#[derive(Debug, Clone, PartialEq)]
pub struct RelevanceMap {
    knots: Vec<(f32, f32)>,
}

impl RelevanceMap {
    /// Most knots a map may have.
    pub const KNOTS_MAX: usize = 64;

    /// Takes knots of cosine and relevance; both must rise from knot to knot, the relevance within 0 and 1.
    #[must_use]
    pub fn from_knots(knots: Vec<(f32, f32)>) -> Option<Self> {
        let is_rising = knots
            .iter()
            .zip(knots.iter().skip(1))
            .all(|((cosine, relevance), (next_cosine, next))| cosine < next_cosine && relevance <= next);
        let is_bounded = knots.iter().all(|(cosine, relevance)| cosine.is_finite() && (0.0..=1.0).contains(relevance));
        let is_usable = (2..=Self::KNOTS_MAX).contains(&knots.len()) && is_rising && is_bounded;
        is_usable.then_some(Self { knots })
    }

    /// Leaves a cosine as it is, for embedders whose scale is already the assumed one.
    #[must_use]
    pub fn identity() -> Self {
        Self { knots: vec![(0.0, 0.0), (1.0, 1.0)] }
    }

    /// The knots, cosine first.
    #[must_use]
    pub fn knots(&self) -> &[(f32, f32)] {
        &self.knots
    }

    /// The relevance of a raw cosine.
    #[must_use]
    pub fn relevance(&self, cosine: f32) -> f32 {
        let mut below: Option<(f32, f32)> = None;
        for &(knot_cosine, knot_relevance) in &self.knots {
            if cosine <= knot_cosine {
                return match below {
                    None => knot_relevance,
                    Some((low_cosine, low_relevance)) => {
                        let share = (cosine - low_cosine) / (knot_cosine - low_cosine);
                        low_relevance + share * (knot_relevance - low_relevance)
                    }
                };
            }
            below = Some((knot_cosine, knot_relevance));
        }
        below.map_or(0.0, |(_, relevance)| relevance)
    }
}

#[cfg(test)]
mod tests {
    use super::{Embedding, RelevanceMap};

    #[test]
    fn a_zero_vector_is_no_embedding() {
        assert_eq!(Embedding::normalised(vec![0.0; 4]), None);
    }

    #[test]
    fn a_map_that_falls_is_refused() {
        assert_eq!(RelevanceMap::from_knots(vec![(0.0, 0.5), (1.0, 0.4)]), None);
    }

    #[test]
    fn relevance_rises_with_the_cosine_and_stays_within_its_ends() {
        let map = RelevanceMap::from_knots(vec![(0.7, 0.0), (0.8, 0.1), (0.9, 0.9)]);
        let read = |cosine: f32| map.as_ref().map_or(f32::NAN, |map| map.relevance(cosine));
        assert!((read(0.85) - 0.5).abs() < 1e-5);
        assert!(read(0.2).abs() < f32::EPSILON);
        assert!((read(0.99) - 0.9).abs() < f32::EPSILON);
    }
}
