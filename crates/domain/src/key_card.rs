//! What can be shown of a key: everything but its secret.

use std::collections::BTreeSet;

use crate::caller::Role;

/// A key without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCard {
    /// Its id.
    pub id: String,
    /// What its maker called it.
    pub name: String,
    /// Whose documents it opens.
    pub tenant: String,
    /// What it may do.
    pub role: Role,
    /// Whose tags count, where it is somebody's.
    pub person: Option<String>,
    /// What it may see; none for the whole tenant, or where it is somebody's.
    pub tags: Option<BTreeSet<String>>,
    /// Requests per minute; unlimited if none.
    pub per_minute: Option<u32>,
    /// When it was made, in milliseconds since 1970.
    pub made_ms: u64,
    /// When it ends, in the same.
    pub expires_ms: Option<u64>,
    /// When it was revoked. A key that was seen to expire is ended for good by the moment it expired at.
    pub revoked_ms: Option<u64>,
}

impl KeyCard {
    /// Whether it opens anything at this moment.
    #[must_use]
    pub fn is_valid(&self, now_ms: u64) -> bool {
        self.revoked_ms.is_none() && !self.has_expired(now_ms)
    }

    /// Whether it ended because its time was over: now, or when somebody last looked.
    #[must_use]
    pub fn has_expired(&self, now_ms: u64) -> bool {
        match (self.expires_ms, self.revoked_ms) {
            (Some(end), None) => end <= now_ms,
            (Some(end), Some(ended)) => end == ended,
            (None, _) => false,
        }
    }

    /// Its state as one word.
    #[must_use]
    pub fn state(&self, now_ms: u64) -> &'static str {
        match (self.is_valid(now_ms), self.has_expired(now_ms)) {
            (true, _) => "valid",
            (false, true) => "expired",
            (false, false) => "revoked",
        }
    }
}
