//! Pieces of work → their results in order, on so many threads, each with memory of its own.
//!
//! Invariant: no more pieces are under way at a time than there are threads, however many callers there are.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::Scratch;

/// The threads of one model.
pub(crate) struct Workers {
    threads: usize,
    idle: Mutex<Vec<Scratch>>,
    returned: Condvar,
}

impl Workers {
    pub(crate) fn new(threads: usize) -> Self {
        let idle = (0..threads).map(|_| Scratch::default()).collect();
        Self { threads, idle: Mutex::new(idle), returned: Condvar::new() }
    }

    /// Does every piece of work, taking them in the order given; a piece alone is done by whoever asks.
    pub(crate) fn each<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T, &mut Scratch) -> R + Sync) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
        let take_all = || {
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(item) = items.get(at)
            {
                let result = work(item, &mut self.lent().scratch);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(items.len()) {
                scope.spawn(take_all);
            }
            take_all();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Memory to work with, as soon as there is some: whoever has it works on one piece and gives it back.
    fn lent(&self) -> Lent<'_> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(scratch) = idle.pop() {
                return Lent { workers: self, scratch };
            }
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Lent<'a> {
    workers: &'a Workers,
    scratch: Scratch,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        self.workers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        self.workers.returned.notify_one();
    }
}
