//! The machine's clock behind the `Clock` port.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use vouch_domain::ports::Clock;

/// The time of this machine.
#[derive(Debug, Clone)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    fn since_start(&self) -> Duration {
        self.started.elapsed()
    }
}
