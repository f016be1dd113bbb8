//! The audit trail: written before a reply leaves, kept for a while, readable by its tenant alone.

use async_trait::async_trait;

use crate::{
    audit::{AuditEntry, AuditScope, AuditedEntry, Feedback, FeedbackOutcome},
    error::PortError,
};

/// An entry's place in the trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditPlace(pub u64);

/// Keeps what was asked and answered.
#[async_trait]
pub trait AuditTrail: Send + Sync {
    /// Writes an entry; once this returns, a crash does not lose it.
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError>;

    /// Puts an entry in the place of one written when its request began; the same promise.
    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError>;

    /// The newest entry of this name that is in sight.
    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError>;

    /// The entries in sight that were written before the one at a place, or all where none is named; newest first, up to a
    /// limit.
    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError>;

    /// The entries in sight that somebody has spoken on, newest first, up to a limit.
    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError>;

    /// Visits every entry, of all tenants, oldest first.
    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError>;

    /// Finds out whether entries can be written now, as far as that shows without keeping one.
    async fn check(&self) -> Result<(), PortError>;

    /// Whether what was read last lacks what other servers have written, since that cannot be read at the moment.
    fn is_partial(&self) -> bool {
        false
    }

    /// Whether that is since entries of this server's own are still being sent to where all servers' are read.
    fn is_sending(&self) -> bool {
        false
    }

    /// The newest entries in sight, newest first, up to a limit.
    async fn newest(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditEntry>, PortError> {
        let found = self.before(scope, None, limit).await?;
        Ok(found.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Adds feedback to the newest entry with this id that is in sight. A caller's later feedback replaces the earlier.
    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError>;
}
