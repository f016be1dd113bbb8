//! An allocator that counts for each thread: how many bytes it holds at most, and how often it asks for memory.
//!
//! It counts by thread, since other tests of this program run beside the one that measures.
#![expect(unsafe_code, reason = "an allocator cannot be written without it; this one hands everything to the system's")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[global_allocator]
static COUNTING: Counting = Counting;

// Plain cells without a destructor: an allocator may use them before a thread has begun and after it has ended.
thread_local! {
    /// Below zero where a thread frees what another has asked for.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

/// What some work took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// The most bytes held at once, beyond what was held before.
    pub peak: usize,
    /// How often memory was asked for.
    pub calls: usize,
}

/// Does work and says what it took. Only right where the work stays on this thread.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (held, calls) = (HELD.get(), CALLS.get());
    PEAK.set(held);
    let done = work();
    (done, Cost { peak: PEAK.get().abs_diff(held), calls: CALLS.get() - calls })
}

fn lost(bytes: usize) {
    HELD.set(HELD.get().wrapping_sub_unsigned(bytes));
}

fn gained(bytes: usize) {
    CALLS.set(CALLS.get() + 1);
    let held = HELD.get().wrapping_add_unsigned(bytes);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

// SAFETY: every call goes to the system's allocator unchanged; only sums are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        gained(layout.size());
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        lost(layout.size());
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may both be there while their bytes are copied.
        gained(new_size);
        lost(layout.size());
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
