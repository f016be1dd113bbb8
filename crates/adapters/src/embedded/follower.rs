//! A data folder that is a copy of a store elsewhere, brought up to it with both its indexes.

use std::sync::Arc;

use vouch_domain::PortError;

use super::{EmbeddedDense, EmbeddedLexical, FollowState, database::Database};

/// Brings a folder up to the store it is a copy of.
#[derive(Clone)]
pub struct Follower {
    pub(super) database: Arc<Database>,
    pub(super) lexical: Arc<EmbeddedLexical>,
    pub(super) dense: Arc<EmbeddedDense>,
}

impl Follower {
    /// Brings the folder up; answers whether anything had changed. Waits on this thread.
    ///
    /// # Errors
    /// Fails if the store cannot be reached or read, or the folder cannot be written; it is then as it was.
    pub fn follow(&self) -> Result<bool, PortError> {
        let is_changed = self.database.follow()?;
        self.lexical.catch_up()?;
        self.dense.catch_up()?;
        Ok(is_changed)
    }

    /// Notes that the store has come to a change, before the folder is brought up to it.
    pub fn hear_of(&self, change: u64) {
        self.database.hear_of(change);
    }

    /// How far the folder has come.
    #[must_use]
    pub fn state(&self) -> FollowState {
        self.database.follow_state().unwrap_or_default()
    }
}
