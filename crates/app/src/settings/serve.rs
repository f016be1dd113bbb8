//! How the API is served.

use serde::{Deserialize, Serialize};

use super::OidcSettings;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeSettings {
    pub listen: String,
    pub require_keys: bool,
    pub running_max: usize,
    pub waiting_max: usize,
    pub timeout_ms: u64,
    pub body_bytes_max: usize,
    pub file_bytes_max: usize,
    pub oidc: Option<OidcSettings>,
    /// Questions that the page offers to begin with.
    pub examples: Vec<String>,
    pub logs: LogForm,
    pub log_questions: bool,
    pub otlp_endpoint: Option<String>,
    pub connections_max: usize,
    pub connections_per_address: usize,
    pub head_timeout_ms: u64,
    pub client_timeout_ms: u64,
    pub half_closed_ms: u64,
    pub shutdown_ms: u64,
}

/// How a server writes what it notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogForm {
    /// One JSON object a line
    Json,
    /// For people
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
            file_bytes_max: 32 << 20,
            oidc: None,
            examples: Vec::new(),
            logs: LogForm::Json,
            log_questions: false,
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
