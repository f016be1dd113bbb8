//! Words and their vector → the features a rule is fitted on: the direction of the vector among those of the examples, and the words
//! that the examples use more than once.

use std::collections::BTreeMap;

use vouch_domain::{Embedding, language::words::stem};

/// How much the words count beside the vector, as a share of its length.
const WORDS_SHARE: f32 = 0.6;
/// A word of fewer examples tells nothing.
const EXAMPLES_MIN: usize = 2;
/// How many words of a question are read.
const WORDS_MAX: usize = 60;

/// How a text becomes features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureMap {
    middle: Vec<f32>,
    /// The place of each word, and how much it tells.
    places: BTreeMap<String, (usize, f32)>,
}

impl FeatureMap {
    /// Reads off the examples which words count and where their middle lies.
    pub(super) fn new(texts: &[String], vectors: &[Embedding]) -> Self {
        let width = vectors.first().map_or(0, |vector| vector.values().len());
        let mut middle = vec![0.0_f32; width];
        for vector in vectors {
            middle.iter_mut().zip(vector.values()).for_each(|(sum, value)| *sum += value);
        }
        let all = share(vectors.len());
        middle.iter_mut().for_each(|sum| *sum /= all.max(1.0));
        let mut holders: BTreeMap<String, usize> = BTreeMap::new();
        for text in texts {
            for word in words(text) {
                *holders.entry(word).or_insert(0) += 1;
            }
        }
        let telling = holders.into_iter().filter(|(_, count)| *count >= EXAMPLES_MIN).enumerate();
        let places = telling.map(|(place, (word, count))| (word, (place, (1.0 + all / share(count)).ln()))).collect();
        Self { middle, places }
    }

    /// The features of a text.
    pub(super) fn features(&self, text: &str, vector: &Embedding) -> Vec<f32> {
        let mut features: Vec<f32> =
            vector.values().iter().zip(&self.middle).map(|(value, mean)| value - mean).collect();
        scale(&mut features, 1.0);
        let mut said = vec![0.0_f32; self.places.len()];
        for word in words(text) {
            if let Some((place, weight)) = self.places.get(&word)
                && let Some(value) = said.get_mut(*place)
            {
                *value = *weight;
            }
        }
        scale(&mut said, WORDS_SHARE);
        features.extend(said);
        features
    }
}

/// Its words in their stem and pairs of them, each once.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let bare = lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let single: Vec<String> = bare.take(WORDS_MAX).map(|word| stem(word).to_string()).collect();
    let pairs = single.iter().zip(single.iter().skip(1)).map(|(one, next)| format!("{one} {next}"));
    let mut all: Vec<String> = pairs.chain(single.iter().cloned()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Brings values to a length.
fn scale(values: &mut [f32], to: f32) {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 1e-9 {
        values.iter_mut().for_each(|value| *value *= to / length);
    }
}

fn share(count: usize) -> f32 {
    u16::try_from(count).map_or(f32::from(u16::MAX), f32::from)
}
