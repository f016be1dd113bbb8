//! When a service that fails is no longer asked, and when again.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use vouch_engine::policy::BreakerPolicy;

/// The breakers of every service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CircuitBreakerSettings {
    pub embeddings: BreakerSettings,
    pub llm: BreakerSettings,
    pub skosmos: BreakerSettings,
}

/// One breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerSettings {
    pub failure_threshold: u32,
    pub success_threshold: u32,
    pub timeout_seconds: u64,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failure_threshold: 5, success_threshold: 2, timeout_seconds: 30 }
    }
}

impl BreakerSettings {
    pub fn policy(self) -> BreakerPolicy {
        BreakerPolicy {
            failure_threshold: self.failure_threshold,
            success_threshold: self.success_threshold,
            open_for: Duration::from_secs(self.timeout_seconds),
        }
    }
}
