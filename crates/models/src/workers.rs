//! Pieces of work → their results in order, each done alone on one thread; a piece alone has every thread to itself.
//!
//! Invariant: how many threads work on a piece does not change its result.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use rten::ThreadPool;

/// The threads of one model.
pub(crate) struct Workers {
    /// One single-threaded pool a worker: the weights are shared, the work is not.
    narrow: Vec<Arc<ThreadPool>>,
    wide: Arc<ThreadPool>,
}

impl Workers {
    pub(crate) fn of(threads: usize) -> Self {
        Self {
            narrow: (0..threads).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect(),
            wide: Arc::new(ThreadPool::with_num_threads(threads)),
        }
    }

    /// Does every piece of work, taking them in the order given.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &Arc<ThreadPool>) -> R + Sync,
    ) -> Vec<R> {
        if let [only] = items {
            return vec![work(only, &self.wide)];
        }
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
        std::thread::scope(|scope| {
            for pool in self.narrow.iter().take(items.len()) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(at) else { break };
                        let result = work(item, pool);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }
}
