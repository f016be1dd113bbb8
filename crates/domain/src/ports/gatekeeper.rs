//! A secret a caller shows → who they are.

use async_trait::async_trait;

use crate::{caller::Caller, error::PortError};

/// Tells callers apart. No secret is kept, logged or part of an error, and none is compared faster for being nearly right.
#[async_trait]
pub trait Gatekeeper: Send + Sync {
    /// Whether this gatekeeper knows anybody at all; where none does, nobody is asked who they are.
    async fn is_needed(&self) -> Result<bool, PortError>;

    /// Who shows this secret at this moment (milliseconds since 1970); none where nobody may: unknown, revoked, expired.
    async fn caller(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError>;
}
