//! A caller's secret → who they are.

use async_trait::async_trait;

use crate::{caller::Caller, error::PortError};

/// Authenticates callers. No secret is kept, logged or part of an error, and comparison takes constant time.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Whether this authenticator knows anybody at all; if none does, no authentication is required.
    async fn is_required(&self) -> Result<bool, PortError>;

    /// The caller with this secret at this moment (milliseconds since 1970); none if it is unknown, revoked or expired.
    async fn authenticate(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError>;
}
