//! How look-ups went, counted in every branch.

use std::sync::atomic::{AtomicU64, Ordering};

/// The figures so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermCounts {
    /// Look-ups that went to the vocabulary: hits, misses, timeouts and errors together.
    pub lookups: u64,
    /// Terms the vocabulary knows.
    pub hits: u64,
    /// Terms it does not know.
    pub misses: u64,
    /// Look-ups that took too long.
    pub timeouts: u64,
    /// Look-ups that failed.
    pub errors: u64,
    /// Vocabulary look-ups answered from the cache.
    pub cache_hits: u64,
}

/// The counters themselves.
#[derive(Debug, Default)]
pub(super) struct TermCounters {
    hits: AtomicU64,
    misses: AtomicU64,
    timeouts: AtomicU64,
    errors: AtomicU64,
    cache_hits: AtomicU64,
}

impl TermCounters {
    pub(super) fn hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn miss(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn timeout(&self) {
        self.timeouts.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn error(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn cache_hit(&self) {
        self.cache_hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> TermCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (hits, misses) = (read(&self.hits), read(&self.misses));
        let (timeouts, errors) = (read(&self.timeouts), read(&self.errors));
        let lookups = hits + misses + timeouts + errors;
        TermCounts { lookups, hits, misses, timeouts, errors, cache_hits: read(&self.cache_hits) }
    }
}
