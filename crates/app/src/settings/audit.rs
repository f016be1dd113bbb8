//! How requests are recorded, and for how long.

use serde::{Deserialize, Serialize};

/// The audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    pub keep_days: Option<u32>,
    pub bytes_max: u64,
    pub record_questions: bool,
    pub check_timeout_ms: u64,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { keep_days: Some(90), bytes_max: 1 << 30, record_questions: true, check_timeout_ms: 500 }
    }
}
