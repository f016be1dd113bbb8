//! Words and their vector → what speaks for each class: how near its nearest examples are, and how much more often it uses the
//! words than the examples do as a whole.

use std::collections::BTreeMap;

use vouch_domain::{Embedding, language::words::stem};

/// What speaks for one class: its nearest example, its three nearest, and its words.
pub(super) type Signs = [f64; 3];

/// How many examples make the second sign.
const NEAREST: usize = 3;
/// Brings the signs to one scale, so that they are fitted in few steps.
const NEAR_SCALE: f64 = 4.0;
/// How many examples' worth of doubt a word's share starts with.
const WORD_DOUBT: f64 = 5.0;
/// From here on two examples are the same.
const SAME: f32 = 0.9999;
/// How many words of a question are read.
const WORDS_MAX: usize = 60;

/// One example.
pub(super) struct Example {
    pub(super) text: String,
    pub(super) vector: Embedding,
    pub(super) class: usize,
}

/// The examples, as questions are held against them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureMap {
    middle: Vec<f32>,
    /// Where each example lies, seen from their middle, and its class.
    places: Vec<(Vec<f32>, usize)>,
    /// In how many examples of each class each word stands.
    words: BTreeMap<String, Vec<f64>>,
    /// How many examples each class has.
    counts: Vec<f64>,
}

impl FeatureMap {
    /// Reads the examples of so many classes.
    pub(super) fn new(examples: &[Example], classes: usize) -> Self {
        let width = examples.first().map_or(0, |one| one.vector.values().len());
        let mut middle = vec![0.0_f32; width];
        for one in examples {
            middle.iter_mut().zip(one.vector.values()).for_each(|(sum, value)| *sum += value);
        }
        let all = share(examples.len()).max(1.0);
        middle.iter_mut().for_each(|sum| *sum /= all);
        let mut own = Self { middle, places: Vec::new(), words: BTreeMap::new(), counts: vec![0.0; classes] };
        for one in examples {
            own.places.push((own.place(&one.vector), one.class));
            if let Some(count) = own.counts.get_mut(one.class) {
                *count += 1.0;
            }
            for word in words(&one.text) {
                let counts = own.words.entry(word).or_insert_with(|| vec![0.0; classes]);
                if let Some(count) = counts.get_mut(one.class) {
                    *count += 1.0;
                }
            }
        }
        own
    }

    /// What speaks for each class. An example is held against the others alone: `but` is its number.
    pub(super) fn signs(&self, text: &str, vector: &Embedding, but: Option<usize>) -> Vec<Signs> {
        let mut nearest = vec![[-1.0_f32; NEAREST]; self.counts.len()];
        let place = self.place(vector);
        for (number, (own, class)) in self.places.iter().enumerate() {
            let likeness = dot(&place, own);
            // What stands for another class in the same words would teach that the nearest is wrong.
            let is_itself = but.is_some_and(|but| but == number || likeness > SAME);
            if let Some(best) = nearest.get_mut(*class).filter(|_| !is_itself) {
                keep_best(best, likeness);
            }
        }
        let own_class = but.and_then(|number| self.places.get(number)).map(|(_, class)| *class);
        let spoken = self.spoken(text, own_class);
        let near = nearest.iter().map(|best| {
            let mean = best.iter().copied().map(f64::from).sum::<f64>() / 3.0;
            (f64::from(best.first().copied().unwrap_or(-1.0)), mean)
        });
        near.zip(spoken).map(|((first, mean), words)| [first * NEAR_SCALE, mean * NEAR_SCALE, words]).collect()
    }

    /// By how much each class uses the words more than all do, as a logarithm; words of no example say nothing.
    fn spoken(&self, text: &str, own_class: Option<usize>) -> Vec<f64> {
        let own = |class: usize| if own_class == Some(class) { 1.0 } else { 0.0 };
        let left_out = if own_class.is_some() { 1.0 } else { 0.0 };
        let all = self.counts.iter().sum::<f64>() - left_out;
        let mut spoken = vec![0.0; self.counts.len()];
        for word in words(text) {
            let Some(counts) = self.words.get(&word) else { continue };
            let holders = counts.iter().sum::<f64>() - left_out;
            if holders < 1.0 {
                continue;
            }
            let rate = holders / all.max(1.0);
            for (class, ((sum, count), size)) in spoken.iter_mut().zip(counts).zip(&self.counts).enumerate() {
                let share = (count - own(class) + WORD_DOUBT * rate) / (size - own(class) + WORD_DOUBT);
                *sum += (share / rate).ln();
            }
        }
        spoken
    }

    /// Where a vector lies, seen from the middle of the examples.
    fn place(&self, vector: &Embedding) -> Vec<f32> {
        let mut place: Vec<f32> = vector.values().iter().zip(&self.middle).map(|(value, mean)| value - mean).collect();
        let length = dot(&place, &place).sqrt();
        if length > 1e-9 {
            place.iter_mut().for_each(|value| *value /= length);
        }
        place
    }
}

/// Keeps the highest values, the highest first.
fn keep_best(best: &mut [f32; NEAREST], mut value: f32) {
    for kept in best {
        if value > *kept {
            std::mem::swap(kept, &mut value);
        }
    }
}

/// Its words in their stem, each once.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let bare = lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut all: Vec<String> = bare.take(WORDS_MAX).map(|word| stem(word).to_string()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn share(count: usize) -> f32 {
    u16::try_from(count).map_or(f32::from(u16::MAX), f32::from)
}
