//! One layer over all packed rows: attention text by text, everything else block by block.

use super::{
    heads::{HEAD_LINES, Split},
    product::{Finish, Product, Rows, lines},
    quantise::{Bytes, Normalise, Quantise, Softmax},
    scratch::{BLOCK, GAP, Scratch, wide_stride},
    weights::{Layer, Linear, Norm},
};
use crate::kernels::{LANES, Line, Path};

/// Runs it; the states and their bytes are replaced.
pub(super) fn run(path: Path, layer: &Layer, lengths: &[usize], scratch: &mut Scratch) {
    let width = layer.output.width();
    let rows = scratch.states.len() / width;
    for from in (0..rows).step_by(BLOCK) {
        let count = BLOCK.min(rows - from);
        let out = part(&mut scratch.attention, from, count, 3 * width + GAP);
        let states = scratch.state_bytes.rows(from, count, width * LANES);
        let (columns, out_stride) = (layer.attention.columns(), 3 * width + GAP);
        path.run(Product { rows: states, columns, finish: Finish::Plain, out, out_stride });
    }
    let mut from = 0;
    for length in lengths {
        attend(path, from, *length, width, scratch);
        from += length;
    }
    for from in (0..rows).step_by(BLOCK) {
        finish(path, layer, from, BLOCK.min(rows - from), scratch);
    }
}

/// Attention within one text: its rows of queries, keys and values → its rows of context.
fn attend(path: Path, from: usize, length: usize, width: usize, scratch: &mut Scratch) {
    let heads = width / HEAD_LINES;
    scratch.heads.fit(heads, length);
    let stride = 3 * width + GAP;
    let rows = scratch.attention.get(from * stride..(from + length) * stride).unwrap_or_default();
    path.run(Split { rows, stride, heads: &mut scratch.heads });
    let score_width = lines(length);
    let stride = score_width * LANES;
    for head in 0..heads {
        let (keys, values) = (scratch.heads.keys(head), scratch.heads.values(head));
        for first in (0..length).step_by(BLOCK) {
            let count = BLOCK.min(length - first);
            let queries = scratch.heads.queries(head, first, count);
            let scores = part(&mut scratch.scores, 0, count, score_width);
            path.run(Product {
                rows: queries,
                columns: keys,
                finish: Finish::Plain,
                out: scores,
                out_stride: score_width,
            });
            let out = scratch.shares.places(0, stride);
            path.run(Softmax { scores, width: score_width, tokens: length, out });
            let shares = scratch.shares.rows(0, count, stride);
            let out = scratch.context.get_mut((from + first) * width + head * HEAD_LINES..).unwrap_or_default();
            path.run(Product { rows: shares, columns: values, finish: Finish::Plain, out, out_stride: width });
        }
    }
}

/// What follows attention, for some rows: output, norm, widening, narrowing, norm.
fn finish(path: Path, layer: &Layer, from: usize, count: usize, scratch: &mut Scratch) {
    let (narrow, wide) = (layer.output.width(), layer.widening.width());
    let states = part(&mut scratch.states, from, count, narrow);
    let context = scratch.context.get(from * narrow..(from + count) * narrow).unwrap_or_default();
    let out = scratch.context_bytes.places(0, narrow * LANES);
    path.run(Quantise { rows: context, width: narrow, stride: narrow, out });

    let middle = part(&mut scratch.middle, 0, count, narrow);
    let rows = scratch.context_bytes.rows(0, count, narrow * LANES);
    product(path, rows, &layer.output, Finish::Added(states), middle);
    normalise(path, middle, &layer.output_norm, scratch.middle_bytes.places(0, narrow * LANES));

    let rows = scratch.middle_bytes.rows(0, count, narrow * LANES);
    let (columns, stride) = (layer.widening.columns(), wide + GAP);
    let out = part(&mut scratch.wide, 0, count, stride);
    path.run(Product { rows, columns, finish: Finish::Gelu, out, out_stride: stride });
    let widened = scratch.wide_bytes.places(0, wide_stride(wide));
    path.run(Quantise { rows: out, width: wide, stride, out: widened });

    let rows = scratch.wide_bytes.rows(0, count, wide_stride(wide));
    product(path, rows, &layer.narrowing, Finish::Added(middle), states);
    normalise(path, states, &layer.narrowing_norm, scratch.state_bytes.places(from, narrow * LANES));
}

fn product(path: Path, rows: Rows, linear: &Linear, finish: Finish, out: &mut [Line]) {
    path.run(Product { rows, columns: linear.columns(), finish, out, out_stride: linear.width() });
}

fn normalise(path: Path, rows: &mut [Line], norm: &Norm, out: Bytes) {
    path.run(Normalise { rows, gains: &norm.gains, shifts: &norm.shifts, out });
}

/// So many rows from one on.
fn part(all: &mut [Line], from: usize, count: usize, width: usize) -> &mut [Line] {
    all.get_mut(from * width..(from + count) * width).unwrap_or_default()
}
