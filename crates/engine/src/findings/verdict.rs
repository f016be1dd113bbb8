//! The figures of a pair, and what a judge reads in it → how likely the two claims contradict each other.
//!
//! The weights are those of a logistic model, fitted by `training/contradictions.py` on planted contradictions and on the
//! alarms of public corpora. They are log-odds, so that a weight can be read: what it adds for one more of its figure.

use vouch_domain::ports::Support;

use super::subject::SUBJECT_FIGURES;

const FIGURES: usize = SUBJECT_FIGURES.len();

/// Weights of the words alone, and where they come out at zero.
const WORDS: [f64; FIGURES] = [
    5.209, -0.408, 2.333, -0.905, -0.375, -0.175, 0.692, -0.576, -1.621, -0.533, -3.975, -2.692, -1.631, -7.030, 4.133,
    -1.751, -0.466, -0.510, -1.550, 0.099, 0.609, -1.787, -1.295, 1.405,
];
const WORDS_BIAS: f64 = -4.649;
/// Weights where a judge has read the pair, the last two for its lesser and its greater reading.
const READ: [f64; FIGURES] = [
    2.719, 0.477, 1.457, -0.349, -0.559, 0.024, 0.343, 0.030, -2.491, -0.260, -5.132, -1.046, -0.107, -3.902, 3.374,
    -2.300, -0.276, -0.003, -0.847, 0.511, 1.602, -1.477, -0.566, 0.990,
];
const READ_LESSER: f64 = 0.737;
const READ_GREATER: f64 = 0.637;
const READ_BIAS: f64 = -4.401;

/// From here on a pair is worth a judge's time.
const WORTH_READING: f64 = -6.0;
/// From here on it is told to people, by the words alone and with a judge's reading.
const TOLD_BY_WORDS: f64 = 0.5;
const TOLD_WHEN_READ: f64 = -0.2;

/// What speaks for a contradiction, by the words of the two claims alone.
pub(super) fn by_words(figures: &[f64; FIGURES]) -> f64 {
    WORDS_BIAS + weighed(&WORDS, figures)
}

pub(super) fn is_worth_reading(by_words: f64) -> bool {
    by_words >= WORTH_READING
}

/// Whether a pair is a contradiction; without readings by the words alone.
pub(super) fn is_told(figures: &[f64; FIGURES], readings: Option<[Support; 2]>) -> bool {
    let Some([one, other]) = readings else { return by_words(figures) >= TOLD_BY_WORDS };
    let (one, other) = (log_odds(one.supported), log_odds(other.supported));
    let read = READ_BIAS + weighed(&READ, figures) + READ_LESSER * one.min(other) + READ_GREATER * one.max(other);
    read >= TOLD_WHEN_READ
}

fn weighed(weights: &[f64; FIGURES], figures: &[f64; FIGURES]) -> f64 {
    weights.iter().zip(figures).map(|(weight, figure)| weight * figure).sum()
}

fn log_odds(chance: f32) -> f64 {
    let chance = f64::from(chance).clamp(1e-4, 1.0 - 1e-4);
    (chance / (1.0 - chance)).ln()
}
