//! The figures of the breakers.

use super::{SettingError, check_range};
use crate::settings::{BreakerSettings, CircuitBreakerSettings};

const COUNT_MAX: u32 = 1_000;
const SECONDS_MAX: u64 = 86_400;

pub(super) fn check(settings: &CircuitBreakerSettings) -> Result<(), SettingError> {
    let CircuitBreakerSettings { embeddings, llm, skosmos } = settings;
    one("circuit_breaker.embeddings", embeddings)?;
    one("circuit_breaker.llm", llm)?;
    one("circuit_breaker.skosmos", skosmos)
}

fn one(key: &'static str, settings: &BreakerSettings) -> Result<(), SettingError> {
    check_range(key, settings.failure_threshold, 1, COUNT_MAX)?;
    check_range(key, settings.success_threshold, 1, COUNT_MAX)?;
    check_range(key, settings.timeout_seconds, 1, SECONDS_MAX)
}
