//! Whether anybody waits for a model of this process: work that can wait gives way to them.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The longest that one piece of work gives way, so that documents are taken in however much is asked.
const PATIENCE: Duration = Duration::from_millis(100);

/// Everybody who waits. Models share the processor, so it is one count for all of them.
static ASKERS: Askers = Askers { count: Mutex::new(0), gone: Condvar::new() };

struct Askers {
    count: Mutex<usize>,
    gone: Condvar,
}

impl Askers {
    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits, until it is dropped.
pub(super) struct Asker(());

impl Asker {
    pub(super) fn comes() -> Self {
        *ASKERS.count() += 1;
        Self(())
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        let mut count = ASKERS.count();
        *count = count.saturating_sub(1);
        if *count == 0 {
            ASKERS.gone.notify_all();
        }
    }
}

/// Waits until nobody waits any more, or for as long as a piece of work gives way.
pub(super) fn give_way() {
    let waited = ASKERS.gone.wait_timeout_while(ASKERS.count(), PATIENCE, |count| *count > 0);
    drop(waited.unwrap_or_else(PoisonError::into_inner));
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Asker, PATIENCE, give_way};

    #[test]
    fn work_gives_way_to_whoever_waits_and_not_for_ever() {
        let asker = Asker::comes();
        let started = Instant::now();
        give_way();
        assert!(started.elapsed() >= PATIENCE);
        drop(asker);
    }
}
