//! The clock, so that tests can control it.

use std::time::Duration;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Time since some fixed moment; never goes back.
    fn since_start(&self) -> Duration;
}
