//! Settings of an OpenID Connect issuer whose tokens are taken beside keys.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use vouch_adapters::oidc::{self, ClientSettings, TenantOf};

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
    /// The client that people sign in to on the page; without one the page offers no sign-in.
    #[serde(default)]
    pub client_id: Option<String>,
    #[serde(default = "scope")]
    pub scope: String,
    /// The environment variable that holds the client's secret; the secret itself has no place in a file.
    #[serde(default)]
    pub client_secret_variable: Option<String>,
}

fn timeout_ms() -> u64 {
    3_000
}

fn keys_ttl_s() -> u64 {
    3_600
}

fn scope() -> String {
    "openid profile".to_owned()
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
            client_id: self.client_id.clone(),
            tenant,
            tags_claim: self.tags_claim.clone(),
            admin_tag: self.admin_tag.clone(),
            per_minute: self.per_minute,
            timeout: Duration::from_millis(self.timeout_ms),
            keys_ttl: Duration::from_secs(self.keys_ttl_s),
        }
    }
    /// The client that people sign in to, with its secret if it has one.
    pub fn client(&self, secret: Option<String>) -> Option<ClientSettings> {
        Some(ClientSettings { id: self.client_id.clone()?, secret, scope: self.scope.clone() })
    }
}
