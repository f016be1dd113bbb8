//! How far a copy has come, for whoever asks how a node is.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FollowState {
    /// The change it has.
    pub change: u64,
    /// The latest change of the database that it has heard of.
    pub head: u64,
    /// Whether the database could be reached when it was last asked.
    pub is_reached: bool,
    /// How long ago the copy was last known to be all there is.
    pub age: Duration,
}

/// The same, as it changes.
#[derive(Debug)]
pub(crate) struct FollowProgress {
    last: Mutex<Last>,
    heard: AtomicU64,
}

#[derive(Debug)]
struct Last {
    change: u64,
    is_reached: bool,
    at: Instant,
}

impl Default for FollowProgress {
    fn default() -> Self {
        let last = Mutex::new(Last { change: 0, is_reached: false, at: Instant::now() });
        Self { last, heard: AtomicU64::new(0) }
    }
}

impl FollowProgress {
    /// The copy has everything up to a change, and there is nothing after it.
    pub(crate) fn reached(&self, change: u64) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            Last { change, is_reached: true, at: Instant::now() };
    }

    /// The database has come to a change, which the copy may not have yet.
    pub(crate) fn heard(&self, change: u64) {
        self.heard.fetch_max(change, Ordering::Relaxed);
    }

    /// The copy has come to a change, and what there is beyond it cannot be asked for.
    pub(crate) fn stale(&self, change: u64) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        (last.change, last.is_reached) = (change, false);
    }

    /// The database could not be asked.
    pub(crate) fn missed(&self) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_reached = false;
    }

    pub(crate) fn state(&self) -> FollowState {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let head = self.heard.load(Ordering::Relaxed).max(last.change);
        FollowState { change: last.change, head, is_reached: last.is_reached, age: last.at.elapsed() }
    }
}
