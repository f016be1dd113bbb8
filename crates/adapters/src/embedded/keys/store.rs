//! Keys as whoever looks after a machine keeps them, wherever they are kept.

use async_trait::async_trait;
use vouch_domain::{
    KeyCard, PortError,
    ports::{Authenticator, KeyRing},
};

use super::NewKey;

/// Keeps keys.
#[async_trait]
pub trait KeyStore: Authenticator + KeyRing {
    /// Makes a key; answers its id and its secret, which cannot be shown again.
    async fn make(&self, key: NewKey) -> Result<(String, String), PortError>;

    /// Revokes a key; answers whether it existed and was still valid.
    async fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, PortError>;

    /// Every key, oldest first.
    async fn cards(&self) -> Result<Vec<KeyCard>, PortError>;
}
