//! A clock that moves only when it is told to.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use vouch_domain::ports::Clock;

/// Stands still.
#[derive(Debug, Default)]
pub struct StoppedClock {
    now_ms: AtomicU64,
}

impl StoppedClock {
    /// A clock that shows this time.
    #[must_use]
    pub fn at(now_ms: u64) -> Self {
        Self { now_ms: AtomicU64::new(now_ms) }
    }

    /// Moves the clock on.
    pub fn advance(&self, by: Duration) {
        self.now_ms.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
    }
}

impl Clock for StoppedClock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn since_start(&self) -> Duration {
        Duration::from_millis(self.now_ms())
    }
}
