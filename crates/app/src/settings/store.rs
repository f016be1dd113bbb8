//! How long what is no longer current is kept.

use serde::{Deserialize, Serialize};

/// The data folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    pub keep_versions_days: Option<u32>,
}
