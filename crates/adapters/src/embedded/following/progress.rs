//! How far a copy has come, for whoever asks how a node is.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FollowState {
    /// The change it has.
    pub change: u64,
    /// Whether the database could be reached when it was last asked.
    pub is_reached: bool,
    /// How long ago the copy was last known to be all there is.
    pub age: Duration,
}

/// The same, as it changes.
#[derive(Debug)]
pub(crate) struct FollowProgress {
    last: Mutex<Last>,
}

#[derive(Debug)]
struct Last {
    change: u64,
    is_reached: bool,
    at: Instant,
}

impl Default for FollowProgress {
    fn default() -> Self {
        Self { last: Mutex::new(Last { change: 0, is_reached: false, at: Instant::now() }) }
    }
}

impl FollowProgress {
    /// The copy has everything up to a change, and there is nothing after it.
    pub(crate) fn reached(&self, change: u64) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            Last { change, is_reached: true, at: Instant::now() };
    }

    /// The database could not be asked.
    pub(crate) fn missed(&self) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_reached = false;
    }

    pub(crate) fn state(&self) -> FollowState {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        FollowState { change: last.change, is_reached: last.is_reached, age: last.at.elapsed() }
    }
}
