//! Rows of bytes that begin where cache lines do.

use std::ops::{Deref, DerefMut};

use super::{product::Rows, quantise::Bytes};
use crate::kernels::LANES;

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
pub(super) struct QuantisedRows {
    pub(super) bytes: Aligned,
    pub(super) scales: Vec<f32>,
    pub(super) lows: Vec<f32>,
}

impl QuantisedRows {
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
