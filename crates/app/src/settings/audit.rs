//! How requests are recorded, and for how long.

use serde::{Deserialize, Serialize};

/// The audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AuditSettings {
    pub(crate) keep_days: Option<u32>,
    pub(crate) bytes_max: u64,
    pub(crate) record_questions: bool,
    pub(crate) check_timeout_ms: u64,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { keep_days: Some(90), bytes_max: 1 << 30, record_questions: true, check_timeout_ms: 500 }
    }
}
