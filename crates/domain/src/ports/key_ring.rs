//! The keys there are, to be looked through and revoked; none is made here.

use async_trait::async_trait;

use crate::{error::PortError, key_card::KeyCard};

/// Knows every key without its secret.
#[async_trait]
pub trait KeyRing: Send + Sync {
    /// The keys of a tenant, oldest first.
    async fn keys_of(&self, tenant: &str) -> Result<Vec<KeyCard>, PortError>;

    /// Ends a tenant's key at this moment (milliseconds since 1970); answers whether it was there and still valid.
    async fn revoke_of(&self, tenant: &str, id: &str, now_ms: u64) -> Result<bool, PortError>;
}
