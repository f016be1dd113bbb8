//! What settings come to, so that those of a client and of the process that runs its command can be compared.

use crate::settings::{AuditSettings, BackgroundSettings, LoadedSettings, ServeSettings, Settings};

/// As much of settings as answers and documents depend on, to be compared.
pub(crate) fn settings_digest(loaded: &LoadedSettings) -> String {
    let (serve, audit, jobs) = (ServeSettings::default(), AuditSettings::default(), BackgroundSettings::default());
    let settings = Settings { serve, audit, jobs, ..loaded.settings.clone() };
    blake3::hash(&serde_json::to_vec(&settings).unwrap_or_default()).to_hex().to_string()
}
