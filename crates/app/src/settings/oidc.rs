//! Settings of an OpenID Connect issuer whose tokens are taken beside keys.

use serde::{Deserialize, Serialize};

/// Which issuer, and what its tokens say of their bearers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcSettings {
    pub issuer: String,
    pub audience: String,
    #[serde(default)]
    pub tenant: Option<String>,
    #[serde(default)]
    pub tenant_claim: Option<String>,
    pub tags_claim: String,
    #[serde(default)]
    pub admin_tag: Option<String>,
    #[serde(default)]
    pub per_minute: Option<u32>,
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    #[serde(default = "keys_ttl_s")]
    pub keys_ttl_s: u64,
}

fn timeout_ms() -> u64 {
    3_000
}

fn keys_ttl_s() -> u64 {
    3_600
}
