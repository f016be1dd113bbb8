//! What the judge read of the last questions; for the certificate.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use vouch_engine::trace::{GateName, GateReading};

/// How many readings are kept.
const READINGS_MAX: usize = 500;

/// The last readings, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<VecDeque<f64>>);

impl Readings {
    /// Keeps what the judge read of a question, where it was asked.
    pub(super) fn keep(&self, gates: &[GateReading]) {
        if let Some(reading) = answerability(gates) {
            self.push(reading);
        }
    }

    /// All that are kept.
    pub(super) fn all(&self) -> Vec<f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    fn push(&self, reading: f64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= READINGS_MAX {
            kept.pop_front();
        }
        kept.push_back(reading);
    }
}

/// How sure the judge was in the end that a passage answers; none where it was not asked.
#[must_use]
pub fn answerability(gates: &[GateReading]) -> Option<f64> {
    let read = gates.iter().rfind(|gate| gate.name == GateName::Answerability);
    read.map(|gate| f64::from(gate.reading))
}

#[cfg(test)]
mod tests {
    use super::{READINGS_MAX, Readings};

    #[test]
    fn the_oldest_readings_go_first() {
        let readings = Readings::default();
        for number in 0..READINGS_MAX + 3 {
            readings.push(number as f64);
        }
        let kept = readings.all();
        assert_eq!((kept.len(), kept.first().copied()), (READINGS_MAX, Some(3.0)));
    }
}
