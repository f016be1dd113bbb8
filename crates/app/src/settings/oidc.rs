//! Settings of an OpenID Connect issuer whose tokens are taken beside keys.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use vouch_adapters::oidc::{self, TenantOf};

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

impl OidcSettings {
    /// An issuer as its adapter takes it.
    pub fn for_adapter(&self) -> oidc::OidcSettings {
        let tenant = match (&self.tenant, &self.tenant_claim) {
            (_, Some(claim)) => TenantOf::Claim(claim.clone()),
            (tenant, None) => TenantOf::Everybody(tenant.clone().unwrap_or_default()),
        };
        oidc::OidcSettings {
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            tenant,
            tags_claim: self.tags_claim.clone(),
            admin_tag: self.admin_tag.clone(),
            per_minute: self.per_minute,
            timeout: Duration::from_millis(self.timeout_ms),
            keys_ttl: Duration::from_secs(self.keys_ttl_s),
        }
    }
}
