//! The memory one run needs, kept for the next.

use std::ops::{Deref, DerefMut};

use super::{
    heads::Heads,
    product::{Rows, lines},
    quantise::Bytes,
    weights::Shape,
};
use crate::kernels::{LANES, Line};

/// Rows that go through a layer's products together: enough to make good use of weights once they are near.
pub(super) const BLOCK: usize = 96;

/// Lines between the end of a wide row and the next one: rows that begin a power of two apart would drive one another out
/// of the cache.
pub(super) const GAP: usize = 1;

/// Buffers of one run; they grow to the longest seen.
#[derive(Default)]
pub struct Scratch {
    /// Every token's floats between layers.
    pub(super) states: Vec<Line>,
    /// The same between the two halves of a layer.
    pub(super) middle: Vec<Line>,
    pub(super) state_bytes: Kept,
    pub(super) middle_bytes: Kept,
    /// Queries, keys and values.
    pub(super) attention: Vec<Line>,
    pub(super) context: Vec<Line>,
    pub(super) context_bytes: Kept,
    pub(super) wide: Vec<Line>,
    pub(super) wide_bytes: Kept,
    pub(super) heads: Heads,
    pub(super) scores: Vec<Line>,
    pub(super) shares: Kept,
}

/// Bytes that begin where a cache line begins: rows of tiles that lie across two take twice as long to read.
#[derive(Default)]
pub(super) struct Aligned {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// Room for so many.
    pub(super) fn fit(&mut self, length: usize) {
        const LINE: usize = 64;
        self.memory.resize(length + LINE, 0);
        (self.start, self.length) = (self.memory.as_ptr().align_offset(LINE).min(LINE), length);
    }
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.memory.get(self.start..self.start + self.length).unwrap_or_default()
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.start..self.start + self.length).unwrap_or_default()
    }
}

/// Rows of bytes and what they are worth.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) bytes: Aligned,
    pub(super) scales: Vec<f32>,
    pub(super) lows: Vec<f32>,
}

impl Kept {
    pub(super) fn fit(&mut self, rows: usize, width: usize) {
        // Tiles read sixteen rows at a time.
        self.bytes.fit(rows.next_multiple_of(LANES) * width);
        self.scales.resize(rows, 0.0);
        self.lows.resize(rows, 0.0);
    }

    /// So many rows to be read, from one on, each so many bytes from the next.
    pub(super) fn rows(&self, from: usize, count: usize, stride: usize) -> Rows<'_> {
        Rows {
            bytes: self.bytes.get(from * stride..).unwrap_or_default(),
            stride,
            scales: self.scales.get(from..from + count).unwrap_or_default(),
            lows: self.lows.get(from..from + count).unwrap_or_default(),
        }
    }

    /// Rows to be written, from one on.
    pub(super) fn places(&mut self, from: usize, stride: usize) -> Bytes<'_> {
        Bytes {
            bytes: self.bytes.get_mut(from * stride..).unwrap_or_default(),
            stride,
            scales: self.scales.get_mut(from..).unwrap_or_default(),
            lows: self.lows.get_mut(from..).unwrap_or_default(),
        }
    }
}

/// Bytes from one wide row to the next.
pub(super) fn wide_stride(width: usize) -> usize {
    width * LANES + 64 * GAP
}

impl Scratch {
    /// Room for texts of so many tokens in all, none longer than `longest`.
    pub(super) fn fit(&mut self, shape: Shape, tokens: usize, longest: usize) {
        let width = lines(shape.hidden);
        self.states.resize(tokens * width, Line::ZERO);
        self.middle.resize(tokens.min(BLOCK) * width, Line::ZERO);
        self.state_bytes.fit(tokens, shape.hidden);
        self.middle_bytes.fit(BLOCK, shape.hidden);
        self.attention.resize(tokens * (3 * width + GAP), Line::ZERO);
        self.context.resize(tokens * width, Line::ZERO);
        self.context_bytes.fit(BLOCK, shape.hidden);
        self.wide.resize(BLOCK * (lines(shape.intermediate) + GAP), Line::ZERO);
        self.wide_bytes.fit(BLOCK, wide_stride(lines(shape.intermediate)));
        self.scores.resize(BLOCK * lines(longest), Line::ZERO);
        self.shares.fit(BLOCK, lines(longest) * LANES);
    }
}
