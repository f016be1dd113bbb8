//! How long something takes: a mean and how much it varies, drawn by seed.

use serde::{Deserialize, Serialize};

use crate::seed::Seed;

/// Nanoseconds, in which the simulation counts.
pub(super) type Nanos = u64;

/// A time with this mean. Its spread is the deviation as a share of the mean: 0 is always the same, and what is more than that is
/// log-normal, which is how times of work with a long tail are spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceTime {
    pub(super) mean_ms: f64,
    pub(super) spread: f64,
}

impl ServiceTime {
    pub(super) const fn new(mean_ms: f64, spread: f64) -> Self {
        Self { mean_ms, spread }
    }

    /// The time of this many times the work.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { mean_ms: self.mean_ms * factor, ..self }
    }

    /// The mean and spread of times that were measured.
    pub(super) fn of(millis: &[f64]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a count of measurements")]
        let count = millis.len().max(1) as f64;
        let mean = millis.iter().sum::<f64>() / count;
        let variance = millis.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { mean_ms: mean, spread: if mean > 0.0 { variance.sqrt() / mean } else { 0.0 } }
    }

    pub(super) fn draw_ms(self, seed: &mut Seed) -> f64 {
        if self.spread <= 0.0 {
            return self.mean_ms;
        }
        let variance = (1.0 + self.spread * self.spread).ln();
        self.mean_ms * (variance.sqrt() * seed.normal() - variance / 2.0).exp()
    }
}

/// Milliseconds as the simulation counts them.
pub(super) fn nanos(millis: f64) -> Nanos {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration that is not negative")]
    let nanos = (millis.max(0.0) * 1e6) as Nanos;
    nanos
}

/// Time from one arrival to the next where they come at random at this rate.
pub(super) fn exponential_ms(mean_ms: f64, seed: &mut Seed) -> f64 {
    -mean_ms * seed.unit().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_has_the_mean_and_the_spread_it_should_have() {
        for spread in [0.0, 0.5, 1.0, 2.0] {
            let mut seed = Seed::new(1);
            let drawn: Vec<f64> = (0..400_000).map(|_| ServiceTime::new(7.0, spread).draw_ms(&mut seed)).collect();
            let told = ServiceTime::of(&drawn);
            assert!((told.mean_ms / 7.0 - 1.0).abs() < 0.02, "{told:?}");
            assert!((told.spread - spread).abs() <= 0.1 * spread, "{told:?}");
        }
    }
}
