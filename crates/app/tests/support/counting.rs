//! An allocator that counts: how many bytes are held at most, and how often memory is asked for.
#![expect(unsafe_code, reason = "an allocator cannot be written without it; this one hands everything to the system's")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

#[global_allocator]
static COUNTING: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

/// What some work took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// The most bytes held at once, beyond what was held before.
    pub peak: usize,
    /// How often memory was asked for.
    pub calls: usize,
}

/// Does work and says what it took. Only right where nothing else runs in the process.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (held, calls) = (HELD.load(Relaxed), CALLS.load(Relaxed));
    PEAK.store(held, Relaxed);
    let done = work();
    (done, Cost { peak: PEAK.load(Relaxed).saturating_sub(held), calls: CALLS.load(Relaxed) - calls })
}

fn gained(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(held, Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged; only sums are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        gained(layout.size());
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may both be there while their bytes are copied.
        gained(new_size);
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
