//! Queries, keys and values of one text, as floats → bytes laid out for the products of attention; nothing is
//! transposed, each is written once to where the product reads it.

use super::{
    aligned::Aligned,
    product::{Columns, Rows, lines},
    quantise::row_to_bytes,
};
use crate::kernels::{LANES, Lanes, Line, Quads, Task};

/// Floats of one head, in lines: the only width there is.
pub(super) const HEAD_LINES: usize = 2;
/// The same in floats.
pub(super) const HEAD: usize = HEAD_LINES * LANES;
/// Keys and values use seven bits, as the weights do.
const TOP: f32 = 63.0;

/// One text's queries, keys and values as bytes.
#[derive(Default)]
pub(super) struct Heads {
    heads: usize,
    tokens: usize,
    queries: Aligned,
    query_scales: Vec<f32>,
    query_lows: Vec<f32>,
    keys: Vec<Quads>,
    key_scales: Vec<Line>,
    key_sums: Vec<Line>,
    values: Vec<Quads>,
    value_scales: Vec<Line>,
    value_sums: Vec<Line>,
}

impl Heads {
    /// Room for a text of so many tokens.
    pub(super) fn fit(&mut self, heads: usize, tokens: usize) {
        (self.heads, self.tokens) = (heads, tokens);
        let width = lines(tokens);
        self.queries.fit(tokens.next_multiple_of(LANES) * heads * HEAD);
        self.query_scales.resize(heads * tokens, 0.0);
        self.query_lows.resize(heads * tokens, 0.0);
        self.keys.resize(heads * width * HEAD / 4, Quads::ZERO);
        self.key_scales.resize(heads * width, Line::ZERO);
        self.key_sums.resize(heads * width, Line::ZERO);
        self.values.resize(heads * HEAD_LINES * width * LANES / 4, Quads::ZERO);
        self.value_scales.resize(heads * HEAD_LINES, Line::ZERO);
        self.value_sums.resize(heads * HEAD_LINES, Line::ZERO);
    }

    /// The queries of one head, of so many tokens from one on.
    pub(super) fn queries(&self, head: usize, from: usize, rows: usize) -> Rows<'_> {
        let stride = self.heads * HEAD;
        let own = head * self.tokens + from;
        Rows {
            bytes: self.queries.get(from * stride + head * HEAD..).unwrap_or_default(),
            stride,
            scales: self.query_scales.get(own..own + rows).unwrap_or_default(),
            lows: self.query_lows.get(own..own + rows).unwrap_or_default(),
        }
    }

    /// The keys of one head, a column each.
    pub(super) fn keys(&self, head: usize) -> Columns<'_> {
        let width = lines(self.tokens);
        let own = head * width..(head + 1) * width;
        Columns {
            quads: self.keys.get(own.start * HEAD / 4..own.end * HEAD / 4).unwrap_or_default(),
            depth: HEAD / 4,
            scales: self.key_scales.get(own.clone()).unwrap_or_default(),
            sums: self.key_sums.get(own).unwrap_or_default(),
            biases: None,
        }
    }

    /// The values of one head, a column for each of its floats.
    pub(super) fn values(&self, head: usize) -> Columns<'_> {
        let depth = lines(self.tokens) * LANES / 4;
        let own = head * HEAD_LINES..(head + 1) * HEAD_LINES;
        Columns {
            quads: self.values.get(own.start * depth..own.end * depth).unwrap_or_default(),
            depth,
            scales: self.value_scales.get(own.clone()).unwrap_or_default(),
            sums: self.value_sums.get(own).unwrap_or_default(),
            biases: None,
        }
    }
}

/// Fills heads from rows that hold all queries, then all keys, then all values.
pub(super) struct Split<'a> {
    pub(super) rows: &'a [Line],
    /// Lines from one row to the next.
    pub(super) stride: usize,
    pub(super) heads: &'a mut Heads,
}

impl Task for Split<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let (rows, stride, heads) = (self.rows, self.stride, self.heads);
        let width = heads.heads * HEAD_LINES;
        for (token, row) in rows.chunks_exact(stride).enumerate() {
            let (queries, rest) = row.split_at(width);
            let (keys, _) = rest.split_at(width);
            split_queries(lanes, token, queries, heads);
            split_keys(lanes, token, keys, heads);
        }
        split_values(lanes, rows, stride, heads);
    }
}

#[inline(always)]
fn split_queries<L: Lanes>(lanes: L, token: usize, queries: &[Line], heads: &mut Heads) {
    let stride = heads.heads * HEAD;
    let Some(bytes) = heads.queries.get_mut(token * stride..(token + 1) * stride) else { return };
    let places = bytes.chunks_exact_mut(HEAD);
    for (head, (query, bytes)) in queries.chunks_exact(HEAD_LINES).zip(places).enumerate() {
        let (scale, low) = row_to_bytes(lanes, query, bytes);
        let own = head * heads.tokens + token;
        if let (Some(to_scale), Some(to_low)) = (heads.query_scales.get_mut(own), heads.query_lows.get_mut(own)) {
            (*to_scale, *to_low) = (scale, low);
        }
    }
}

#[inline(always)]
fn split_keys<L: Lanes>(lanes: L, token: usize, keys: &[Line], heads: &mut Heads) {
    let (panel, lane) = (token / LANES, token % LANES);
    let width = lines(heads.tokens);
    for (head, key) in keys.as_chunks::<HEAD_LINES>().0.iter().enumerate() {
        let [first, second] = [0, 1].map(|at| key.get(at).map_or(lanes.splat(0.0), |line| lanes.load(line)));
        let high = lanes.largest(lanes.max(size(lanes, first), size(lanes, second)));
        let stretch = lanes.splat(if high > 0.0 { TOP / high } else { 0.0 });
        let (first, second) = (lanes.round(lanes.mul(first, stretch)), lanes.round(lanes.mul(second, stretch)));
        let mut bytes = [0u8; HEAD];
        if let [to_first, to_second] = bytes.as_chunks_mut::<LANES>().0 {
            lanes.store_bytes(first, to_first);
            lanes.store_bytes(second, to_second);
        }
        let own = head * width + panel;
        let steps = heads.keys.get_mut(own * HEAD / 4..(own + 1) * HEAD / 4).unwrap_or_default();
        for (step, bytes) in steps.iter_mut().zip(bytes.as_chunks::<4>().0) {
            if let Some(place) = step.0.as_chunks_mut::<4>().0.get_mut(lane) {
                *place = bytes.map(u8::cast_signed);
            }
        }
        let sum = lanes.sum_ints(lanes.add_int(first, second));
        put(&mut heads.key_scales, own, lane, high / TOP);
        put(&mut heads.key_sums, own, lane, sum as f32);
    }
}

#[inline(always)]
fn split_values<L: Lanes>(lanes: L, rows: &[Line], stride: usize, heads: &mut Heads) {
    let width = heads.heads * HEAD_LINES;
    let depth = lines(heads.tokens) * LANES / 4;
    let value = |token: usize, column: usize| rows.get(token * stride + 2 * width + column);
    for column in 0..width {
        let mut highs = lanes.splat(0.0);
        for token in 0..heads.tokens {
            highs = value(token, column).map_or(highs, |line| lanes.max(highs, size(lanes, lanes.load(line))));
        }
        let mut scales = Line::ZERO;
        lanes.store(highs, &mut scales);
        let stretches = Line(scales.0.map(|high| if high > 0.0 { TOP / high } else { 0.0 }));
        let stretches = lanes.load(&stretches);
        let steps = heads.values.get_mut(column * depth..(column + 1) * depth).unwrap_or_default();
        let mut sums = lanes.splat_int(0);
        for (step, place) in steps.iter_mut().enumerate() {
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| value(4 * step + at, column));
            let (a, b) = (stretched(lanes, a, stretches), stretched(lanes, b, stretches));
            let (c, d) = (stretched(lanes, c, stretches), stretched(lanes, d, stretches));
            sums = lanes.add_int(sums, lanes.add_int(lanes.add_int(a, b), lanes.add_int(c, d)));
            let byte = lanes.splat_int(0xff);
            let low = lanes.or(lanes.and(a, byte), lanes.shift_up::<8>(lanes.and(b, byte)));
            let high = lanes.or(lanes.shift_up::<16>(lanes.and(c, byte)), lanes.shift_up::<24>(d));
            lanes.store_quads(lanes.or(low, high), place);
        }
        if let Some(place) = heads.value_sums.get_mut(column) {
            lanes.store(lanes.float(sums), place);
        }
        if let Some(place) = heads.value_scales.get_mut(column) {
            *place = Line(scales.0.map(|high| high / TOP));
        }
    }
}

/// A token's values, if there is such a token, as integers within a byte.
#[inline(always)]
fn stretched<L: Lanes>(lanes: L, values: Option<&Line>, stretches: L::Floats) -> L::Ints {
    let values = values.map_or(lanes.splat(0.0), |line| lanes.load(line));
    lanes.round(lanes.mul(values, stretches))
}

/// Without the sign.
#[inline(always)]
fn size<L: Lanes>(lanes: L, values: L::Floats) -> L::Floats {
    lanes.max(values, lanes.sub(lanes.splat(0.0), values))
}

#[inline(always)]
fn put(lines: &mut [Line], line: usize, lane: usize, value: f32) {
    if let Some(place) = lines.get_mut(line).and_then(|line| line.0.get_mut(lane)) {
        *place = value;
    }
}
