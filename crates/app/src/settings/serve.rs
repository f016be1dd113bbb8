//! How the API is served.

use serde::{Deserialize, Serialize};

use super::OidcSettings;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServeSettings {
    pub(crate) listen: String,
    pub(crate) require_keys: bool,
    pub(crate) running_max: usize,
    pub(crate) waiting_max: usize,
    pub(crate) timeout_ms: u64,
    pub(crate) body_bytes_max: usize,
    pub(crate) oidc: Option<OidcSettings>,
    pub(crate) logs: LogForm,
    pub(crate) otlp_endpoint: Option<String>,
    pub(crate) connections_max: usize,
    pub(crate) connections_per_address: usize,
    pub(crate) head_timeout_ms: u64,
    pub(crate) client_timeout_ms: u64,
    pub(crate) half_closed_ms: u64,
    pub(crate) shutdown_ms: u64,
}

/// How a server writes what it notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogForm {
    Json,
    Text,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            require_keys: false,
            running_max: 4,
            waiting_max: 64,
            timeout_ms: 120_000,
            body_bytes_max: 1 << 20,
            oidc: None,
            logs: LogForm::Json,
            otlp_endpoint: None,
            connections_max: 1_024,
            connections_per_address: 256,
            head_timeout_ms: 10_000,
            client_timeout_ms: 30_000,
            half_closed_ms: 10_000,
            shutdown_ms: 10_000,
        }
    }
}
