//! How much a worker may take, as settings and as arguments of its program.

use std::time::Duration;

/// How much a worker may take for one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerLimits {
    /// How long it may take.
    pub time: Duration,
    /// How much memory it may have, its program included.
    pub memory_bytes: u64,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory_bytes: 2 << 30 }
    }
}

impl WorkerLimits {
    /// The arguments that tell a worker its limits.
    pub(super) fn arguments(self) -> [String; 2] {
        [self.time.as_millis().to_string(), self.memory_bytes.to_string()]
    }

    /// The limits in a worker's arguments; what cannot be read is as by default.
    pub(super) fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut next = || arguments.next().and_then(|argument| argument.parse::<u64>().ok());
        let usual = Self::default();
        let time = next().map_or(usual.time, Duration::from_millis);
        Self { time, memory_bytes: next().unwrap_or(usual.memory_bytes) }
    }
}
