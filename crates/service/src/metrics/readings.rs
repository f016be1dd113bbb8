//! What the judge read of the last questions, and what came of all of them; for the certificate.

use std::{
    collections::VecDeque,
    sync::{PoisonError, atomic::Ordering},
};

use vouch_engine::trace::{GateName, GateReading};

use super::Metrics;
use crate::certificate::Live;

/// How many readings are kept.
const READINGS_MAX: usize = 500;

/// The last readings, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Readings(VecDeque<f64>);

impl Readings {
    fn push(&mut self, reading: f64) {
        if self.0.len() >= READINGS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(reading);
    }
}

/// How sure the judge was in the end that a passage answers; none where it was not asked.
#[must_use]
pub fn answerability(gates: &[GateReading]) -> Option<f64> {
    let read = gates.iter().rfind(|gate| gate.name == GateName::Answerability);
    read.map(|gate| f64::from(gate.reading))
}

impl Metrics {
    /// Keeps what the judge read of a question.
    pub(super) fn keep_reading(&self, gates: &[GateReading]) {
        if let Some(reading) = answerability(gates) {
            self.readings.lock().unwrap_or_else(PoisonError::into_inner).push(reading);
        }
    }

    /// What became of the questions since the start, and the last readings.
    #[must_use]
    pub fn live(&self) -> (Live, Vec<f64>) {
        let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let live = Live {
            answered: read(&self.tally.answered),
            refused: read(&self.tally.refused),
            answers_suspected: read(&self.tally.answers_suspected),
            refusals_suspected: read(&self.tally.refusals_suspected),
            ..Live::default()
        };
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        (live, readings.0.iter().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{READINGS_MAX, Readings};

    #[test]
    fn the_oldest_readings_go_first() {
        let mut readings = Readings::default();
        for number in 0..READINGS_MAX + 3 {
            readings.push(number as f64);
        }
        assert_eq!((readings.0.len(), readings.0.front().copied()), (READINGS_MAX, Some(3.0)));
    }
}
