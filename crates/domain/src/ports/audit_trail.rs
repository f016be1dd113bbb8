//! The trail of requests: written before a reply leaves, kept for a while, read by its tenant alone.

use async_trait::async_trait;

use crate::{
    audit::{AuditEntry, AuditSight, Audited, Feedback},
    error::PortError,
};

/// An entry's place in the trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditPlace(pub u64);

/// Keeps what was asked and answered.
#[async_trait]
pub trait AuditTrail: Send + Sync {
    /// Writes an entry down; once this is back, a kill does not lose it.
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError>;

    /// Puts an entry in the place of one written when its request began; the same promise.
    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError>;

    /// The newest entry of this name that is in sight.
    async fn entry(&self, sight: &AuditSight, id: &str) -> Result<Option<Audited>, PortError>;

    /// The newest entries in sight, newest first, at most so many.
    async fn newest(&self, sight: &AuditSight, limit: usize) -> Result<Vec<AuditEntry>, PortError>;

    /// Adds a word to the newest entry of this name that is in sight; answers whether there is one. A caller who speaks
    /// again replaces what they said.
    async fn comment(&self, sight: &AuditSight, id: &str, feedback: Feedback) -> Result<bool, PortError>;
}
