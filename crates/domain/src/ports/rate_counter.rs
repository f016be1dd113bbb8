//! How often callers may ask, where several servers count together.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::PortError;

/// Whether a request is within its caller's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateOutcome {
    /// It is, and was counted.
    Granted,
    /// It is not; one is again after so long.
    Exceeded(Duration),
}

/// Counts the requests of callers: a bucket per caller that fills evenly and holds a minute's worth.
#[async_trait]
pub trait RateCounter: Send + Sync {
    /// Takes one request from a caller's bucket. Callers are told apart by the whole text.
    async fn take(&self, caller: &str, per_minute: u32) -> Result<RateOutcome, PortError>;
}
