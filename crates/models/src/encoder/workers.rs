//! Pieces of work → their results in order, on so many threads, each with memory of its own.
//!
//! Invariant: no more pieces are under way at a time than there are threads, however many callers there are; pieces that can
//! wait are counted apart, so that none that somebody waits for stands behind them.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::{
    Scratch,
    askers::{Asker, give_way},
    step_aside::step_aside,
};

/// Whether somebody waits for a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Somebody does.
    Asked,
    /// It is done while nothing else is to do.
    Aside,
}

/// More pieces than a question has.
const ASKED_MAX: usize = 8;

impl Haste {
    /// So many pieces without a deadline are of documents that are taken in, where they are more than a question has.
    pub(crate) fn without_deadline(pieces: usize) -> Self {
        if pieces > ASKED_MAX { Self::Aside } else { Self::Asked }
    }
}

/// The threads of one model.
pub(crate) struct Workers {
    threads: usize,
    asked: Pool,
    aside: Pool,
}

/// Memory to work with.
struct Pool {
    idle: Mutex<Vec<Scratch>>,
    returned: Condvar,
}

impl Workers {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, asked: Pool::new(threads), aside: Pool::new(threads) }
    }

    /// Does every piece of work, taking them in the order given; a piece alone that somebody waits for is done by them.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        haste: Haste,
        work: impl Fn(&T, &mut Scratch) -> R + Sync,
    ) -> Vec<R> {
        let (pool, own, _asker) = match haste {
            Haste::Asked => (&self.asked, 1, Some(Asker::comes())),
            Haste::Aside => (&self.aside, 0, None),
        };
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
        let take_all = || {
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(item) = items.get(at)
            {
                if haste == Haste::Aside {
                    give_way();
                }
                let result = work(item, &mut pool.lent().scratch);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in own..self.threads.min(items.len()) {
                scope.spawn(|| {
                    if haste == Haste::Aside {
                        step_aside();
                    }
                    take_all();
                });
            }
            if haste == Haste::Asked {
                take_all();
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

impl Pool {
    fn new(threads: usize) -> Self {
        Self { idle: Mutex::new((0..threads).map(|_| Scratch::default()).collect()), returned: Condvar::new() }
    }

    /// Memory to work with, as soon as there is some: whoever has it works on one piece and gives it back.
    fn lent(&self) -> Lent<'_> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(scratch) = idle.pop() {
                return Lent { pool: self, scratch };
            }
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Lent<'a> {
    pool: &'a Pool,
    scratch: Scratch,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        self.pool.returned.notify_one();
    }
}
