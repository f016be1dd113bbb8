//! Settings of an OpenID Connect issuer whose tokens are taken beside keys.

use serde::{Deserialize, Serialize};

/// Which issuer, and what its tokens say of their bearers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OidcSettings {
    pub(crate) issuer: String,
    pub(crate) audience: String,
    #[serde(default)]
    pub(crate) tenant: Option<String>,
    #[serde(default)]
    pub(crate) tenant_claim: Option<String>,
    pub(crate) tags_claim: String,
    #[serde(default)]
    pub(crate) admin_tag: Option<String>,
    #[serde(default)]
    pub(crate) per_minute: Option<u32>,
    #[serde(default = "timeout_ms")]
    pub(crate) timeout_ms: u64,
    #[serde(default = "keys_ttl_s")]
    pub(crate) keys_ttl_s: u64,
}

fn timeout_ms() -> u64 {
    3_000
}

fn keys_ttl_s() -> u64 {
    3_600
}
