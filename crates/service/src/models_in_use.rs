//! What a change of models in a running process came to.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// The models in use after the settings were read again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelsInUse {
    /// The model of every job that has one.
    pub models: BTreeMap<String, String>,
    /// Sections of the settings that have changed too and need a restart.
    pub restart_needed: Vec<String>,
}
