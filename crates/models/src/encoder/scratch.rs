//! The memory one run needs, kept for the next.

use super::aligned::QuantisedRows;
use super::{heads::Heads, product::lines, weights::Shape};
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
    pub(super) state_bytes: QuantisedRows,
    pub(super) middle_bytes: QuantisedRows,
    /// Queries, keys and values.
    pub(super) attention: Vec<Line>,
    pub(super) context: Vec<Line>,
    pub(super) context_bytes: QuantisedRows,
    pub(super) wide: Vec<Line>,
    pub(super) wide_bytes: QuantisedRows,
    pub(super) heads: Heads,
    pub(super) scores: Vec<Line>,
    pub(super) shares: QuantisedRows,
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
