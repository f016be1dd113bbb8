//! Floats → bytes with a scale, row by row: alone, after a layer norm, after a softmax.

use super::approximate::exp;
use crate::kernels::{LANES, Lanes, Line, Task};

/// The highest byte.
const TOP: f32 = 255.0;
/// As the models have it.
const NORM_EPSILON: f32 = 1e-12;

/// What a row of bytes is worth: where it goes.
pub(super) struct Bytes<'a> {
    pub(super) bytes: &'a mut [u8],
    /// From one row to the next.
    pub(super) stride: usize,
    pub(super) scales: &'a mut [f32],
    pub(super) lows: &'a mut [f32],
}

/// Rows → bytes.
pub(super) struct Quantise<'a> {
    pub(super) rows: &'a [Line],
    /// Lines a row.
    pub(super) width: usize,
    /// Lines from one row to the next.
    pub(super) stride: usize,
    pub(super) out: Bytes<'a>,
}

impl Task for Quantise<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let out = self.out;
        let places = out.bytes.chunks_mut(out.stride).zip(out.scales).zip(out.lows);
        for (row, ((bytes, scale), low)) in self.rows.chunks_exact(self.stride).zip(places) {
            let (row, _) = row.split_at(self.width.min(row.len()));
            (*scale, *low) = row_to_bytes(lanes, row, bytes);
        }
    }
}

/// Rows → layer norm of them, in place, and its bytes.
///
/// Off by at most 1e-5 times (4 · gain + shift), where a row's spread is not lost beside its mean (a ten-thousandth of it).
pub(super) struct Normalise<'a> {
    pub(super) rows: &'a mut [Line],
    pub(super) gains: &'a [Line],
    pub(super) shifts: &'a [Line],
    pub(super) out: Bytes<'a>,
}

impl Task for Normalise<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let out = self.out;
        let places = out.bytes.chunks_mut(out.stride).zip(out.scales).zip(out.lows);
        for (row, ((bytes, scale), low)) in self.rows.chunks_exact_mut(self.gains.len()).zip(places) {
            normalise(lanes, row, self.gains, self.shifts);
            (*scale, *low) = row_to_bytes(lanes, row, bytes);
        }
    }
}

/// Layer norm of one row, in place.
#[inline(always)]
fn normalise<L: Lanes>(lanes: L, row: &mut [Line], gains: &[Line], shifts: &[Line]) {
    let share = 1.0 / (row.len() * LANES) as f32;
    let mut sum = lanes.splat(0.0);
    for line in row.iter() {
        sum = lanes.add(sum, lanes.load(line));
    }
    let mean = lanes.splat(lanes.sum(sum) * share);
    let mut squares = lanes.splat(0.0);
    for line in row.iter() {
        let off = lanes.sub(lanes.load(line), mean);
        squares = lanes.mul_add(off, off, squares);
    }
    let spread = lanes.sum(squares) * share;
    let shrink = lanes.splat(1.0 / (spread + NORM_EPSILON).sqrt());
    for ((line, gain), shift) in row.iter_mut().zip(gains).zip(shifts) {
        let off = lanes.mul(lanes.sub(lanes.load(line), mean), shrink);
        lanes.store(lanes.mul_add(off, lanes.load(gain), lanes.load(shift)), line);
    }
}

/// One row's bytes; its scale and its lowest value.
#[inline(always)]
pub(super) fn row_to_bytes<L: Lanes>(lanes: L, row: &[Line], bytes: &mut [u8]) -> (f32, f32) {
    let (mut lows, mut highs) = (lanes.splat(f32::MAX), lanes.splat(f32::MIN));
    for line in row {
        let values = lanes.load(line);
        lows = lanes.min(lows, values);
        highs = lanes.max(highs, values);
    }
    let (low, high) = (lanes.smallest(lows), lanes.largest(highs));
    let span = high - low;
    let (base, stretch) = (lanes.splat(low), lanes.splat(if span > 0.0 { TOP / span } else { 0.0 }));
    for (line, bytes) in row.iter().zip(bytes.as_chunks_mut::<LANES>().0) {
        let steps = lanes.mul(lanes.sub(lanes.load(line), base), stretch);
        lanes.store_bytes(lanes.round(steps), bytes);
    }
    (span / TOP, low)
}

/// Scores → shares of attention as bytes; the scores are used up. A byte is off by at most 0.51 of one 255th.
pub(super) struct Softmax<'a> {
    pub(super) scores: &'a mut [Line],
    /// Lines a row.
    pub(super) width: usize,
    /// Scores a row that count; what follows them up to the end of the row has no share.
    pub(super) tokens: usize,
    /// `lows` stay as they are.
    pub(super) out: Bytes<'a>,
}

impl Task for Softmax<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let out = self.out;
        let places = out.bytes.chunks_mut(out.stride).zip(out.scales);
        for (row, (bytes, scale)) in self.scores.chunks_exact_mut(self.width).zip(places) {
            if let Some(last) = row.last_mut() {
                let over = self.tokens % LANES;
                last.0.iter_mut().skip(if over == 0 { LANES } else { over }).for_each(|score| *score = f32::MIN);
            }
            *scale = 1.0 / shares(lanes, row, bytes) as f32;
        }
    }
}

/// One row's shares; their sum.
#[inline(always)]
fn shares<L: Lanes>(lanes: L, scores: &[Line], bytes: &mut [u8]) -> i32 {
    let mut highest = lanes.splat(f32::MIN);
    for line in scores {
        highest = lanes.max(highest, lanes.load(line));
    }
    let highest = lanes.splat(lanes.largest(highest));
    let mut sum = lanes.splat_int(0);
    for (line, bytes) in scores.iter().zip(bytes.as_chunks_mut::<LANES>().0) {
        let share = exp(lanes, lanes.sub(lanes.load(line), highest));
        let share = lanes.round(lanes.mul(share, lanes.splat(TOP)));
        sum = lanes.add_int(sum, share);
        lanes.store_bytes(share, bytes);
    }
    lanes.sum_ints(sum)
}
