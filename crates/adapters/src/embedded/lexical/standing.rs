//! How an index stands, told at once to whoever asks while it is being written.
//!
//! Invariant: a generation is told from the moment on from which no search sees an earlier one, and while the index is relied on.
//! Where the index goes on meanwhile, a search waits for its writer and sees a later one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use vouch_domain::ports::Generation;

/// How an index stands.
#[derive(Default)]
pub(super) struct Standing(Mutex<Known>);

#[derive(Default)]
struct Known {
    shown: Option<Generation>,
    is_suspect: bool,
}

impl Standing {
    /// The generation that searches see; none where they see nothing that can be relied on.
    pub(super) fn shown(&self) -> Option<Generation> {
        self.known().shown
    }

    /// Whether the index is to be rebuilt at the next chance.
    pub(super) fn is_suspect(&self) -> bool {
        self.known().is_suspect
    }

    /// Notes what searches see from now on. Whoever calls this still keeps them out.
    pub(super) fn show(&self, shown: Option<Generation>) {
        let mut known = self.known();
        known.shown = if known.is_suspect { None } else { shown };
    }

    /// The index has failed: it is to be rebuilt, and tells nothing until it was.
    pub(super) fn suspect(&self) {
        *self.known() = Known { shown: None, is_suspect: true };
    }

    /// The index was rebuilt.
    pub(super) fn rebuilt(&self) {
        self.known().is_suspect = false;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
