//! Requests counted in memory, on a clock that stands still.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    ports::{RateCounter, RateOutcome},
};

/// Buckets that never fill again.
#[derive(Debug, Default)]
pub struct FakeRates {
    taken: Mutex<BTreeMap<String, u32>>,
}

#[async_trait]
impl RateCounter for FakeRates {
    async fn take(&self, caller: &str, per_minute: u32) -> Result<RateOutcome, PortError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.entry(caller.to_owned()).or_default();
        if *own >= per_minute {
            let wait = Duration::from_secs(60) / per_minute.max(1);
            return Ok(RateOutcome::Exceeded(wait));
        }
        *own += 1;
        Ok(RateOutcome::Granted)
    }
}
