//! Rows of bytes times panels of columns → floats, rescaled and finished as they leave the registers.

use super::approximate::gelu;
use crate::kernels::{LANES, Lanes, Line, Quads, Task, TileRows, TileSums};

/// Rows of unsigned bytes, each with how its bytes stand for floats: `low + scale · byte`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// From the first byte of the first row on; there must be room for a multiple of sixteen rows.
    pub(super) bytes: &'a [u8],
    /// From one row to the next.
    pub(super) stride: usize,
    /// One a row; it says how many there are.
    pub(super) scales: &'a [f32],
    pub(super) lows: &'a [f32],
}

/// Columns of signed bytes in panels of sixteen, each with what a byte of it is worth.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    /// Panel after panel, four bytes of each column at a time.
    pub(super) quads: &'a [Quads],
    /// How many of them make a panel: a quarter of a row's bytes.
    pub(super) depth: usize,
    pub(super) scales: &'a [Line],
    /// The sum of each column's bytes: what a row's `low` is multiplied with. Below 2¹⁷, so that they are exact.
    pub(super) sums: &'a [Line],
    pub(super) biases: Option<&'a [Line]>,
}

/// What becomes of a product before it is written.
#[derive(Clone, Copy)]
pub(super) enum Finish<'a> {
    Plain,
    Gelu,
    /// Added to what was there before, in the order of the output.
    Added(&'a [Line]),
}

/// `out[row][column] = finish((low · sum + scale · Σ bytes) · column scale + bias)`
pub(super) struct Product<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) columns: Columns<'a>,
    pub(super) finish: Finish<'a>,
    pub(super) out: &'a mut [Line],
    /// From one row of the output to the next.
    pub(super) out_stride: usize,
}

impl Task for Product<'_> {
    #[inline(always)]
    fn on<L: Lanes>(mut self, lanes: L) {
        let panels = self.columns.scales.len();
        let depth = tile_depth(self.columns.depth);
        let by_tiles = if L::TILES && depth > 0 { panels - panels % 2 } else { 0 };
        if by_tiles > 0 {
            lanes.with_tiles(depth, || self.by_tiles(lanes, by_tiles, depth));
        }
        let mut first = by_tiles;
        while first < panels {
            first += match panels - first {
                left if L::WIDE && left >= 4 => self.group::<L, 4>(lanes, first),
                left if L::WIDE && left >= 2 => self.group::<L, 2>(lanes, first),
                _ => self.group::<L, 1>(lanes, first),
            };
        }
    }
}

impl Product<'_> {
    /// All rows times the first `panels`, of which there is an even number.
    #[inline(always)]
    fn by_tiles<L: Lanes>(&mut self, lanes: L, panels: usize, depth: usize) {
        let (rows, steps, stride) = (self.rows.scales.len(), self.columns.depth, self.rows.stride);
        // While one block's sums are finished, the tiles already work on the next.
        let (mut sums, mut before) = (TileSums::ZERO, TileSums::ZERO);
        let mut open: Option<(usize, usize)> = None;
        for panel in (0..panels).step_by(2) {
            let own = |at: usize| self.columns.quads.get(at * steps..(at + 1) * steps).unwrap_or_default();
            let columns = [own(panel), own(panel + 1)];
            for row in (0..rows).step_by(2 * LANES) {
                let bytes = self.rows.bytes.get(row * stride..).unwrap_or_default();
                let is_pair = rows - row > LANES;
                lanes.tiles(TileRows { bytes, stride, is_pair, depth }, columns, &mut sums);
                if let Some((row, panel)) = open {
                    self.finish_tiles(lanes, row, panel, &before);
                }
                std::mem::swap(&mut sums, &mut before);
                open = Some((row, panel));
            }
        }
        if let Some((row, panel)) = open {
            self.finish_tiles(lanes, row, panel, &before);
        }
    }

    #[inline(always)]
    fn finish_tiles<L: Lanes>(&mut self, lanes: L, row: usize, panel: usize, sums: &TileSums) {
        let own = Own::<L, 2>::new(lanes, &self.columns, panel);
        let mut at = row;
        for [first, second] in &sums.0 {
            for (first, second) in first.iter().zip(second) {
                if at < self.rows.scales.len() {
                    self.finish(lanes, &own, at, [lanes.load_ints(first), lanes.load_ints(second)]);
                }
                at += 1;
            }
        }
    }

    /// All rows times the `P` panels from `first` on.
    #[inline(always)]
    fn group<L: Lanes, const P: usize>(&mut self, lanes: L, first: usize) -> usize {
        let rows = self.rows.scales.len();
        let mut row = 0;
        while row < rows {
            row += match rows - row {
                left if L::WIDE && left >= 6 => self.tile::<L, 6, P>(lanes, row, first),
                left if left >= 4 => self.tile::<L, 4, P>(lanes, row, first),
                left if left >= 2 => self.tile::<L, 2, P>(lanes, row, first),
                _ => self.tile::<L, 1, P>(lanes, row, first),
            };
        }
        P
    }

    #[inline(always)]
    fn tile<L: Lanes, const R: usize, const P: usize>(&mut self, lanes: L, row: usize, panel: usize) -> usize {
        let depth = self.columns.depth;
        let rows: [&[[u8; 4]]; R] = std::array::from_fn(|at| {
            let from = (row + at) * self.rows.stride;
            self.rows.bytes.get(from..from + 4 * depth).unwrap_or(&[]).as_chunks().0
        });
        let panels: [&[Quads]; P] = std::array::from_fn(|at| {
            let from = (panel + at) * depth;
            self.columns.quads.get(from..from + depth).unwrap_or(&[])
        });
        let own = Own::<L, P>::new(lanes, &self.columns, panel);
        for (at, sums) in dots(lanes, rows, panels, depth).into_iter().enumerate() {
            self.finish(lanes, &own, row + at, sums);
        }
        R
    }

    /// One row's sums of products with `P` panels → floats, written.
    #[inline(always)]
    fn finish<L: Lanes, const P: usize>(&mut self, lanes: L, own: &Own<L, P>, row: usize, sums: [L::Ints; P]) {
        let (Some(scale), Some(low)) = (self.rows.scales.get(row), self.rows.lows.get(row)) else { return };
        let (scale, low) = (lanes.splat(*scale), lanes.splat(*low));
        let from = row * self.out_stride + own.panel;
        let Some(out) = self.out.get_mut(from..).and_then(|out| out.first_chunk_mut::<P>()) else { return };
        let mut values = [lanes.splat(0.0); P];
        for (value, (sums, column)) in values.iter_mut().zip(sums.into_iter().zip(&own.columns)) {
            let sums = if L::UNDER == 0 { sums } else { lanes.add_int(sums, column.under) };
            let raw = lanes.mul_add(lanes.float(sums), scale, lanes.mul(low, column.sum));
            *value = lanes.mul_add(raw, column.scale, column.bias);
        }
        match self.finish {
            Finish::Plain => {}
            Finish::Gelu => {
                for value in &mut values {
                    *value = gelu(lanes, *value);
                }
            }
            Finish::Added(before) => {
                let Some(before) = before.get(from..).and_then(|before| before.first_chunk::<P>()) else { return };
                for (value, line) in values.iter_mut().zip(before) {
                    *value = lanes.add(*value, lanes.load(line));
                }
            }
        }
        for (value, out) in values.into_iter().zip(out) {
            lanes.store(value, out);
        }
    }
}

/// What sixteen columns are worth, in registers.
#[derive(Clone, Copy)]
struct Column<F, I> {
    scale: F,
    sum: F,
    bias: F,
    /// What the path's products fall short of.
    under: I,
}

/// The same of `P` panels, from one on.
struct Own<L: Lanes, const P: usize> {
    panel: usize,
    columns: [Column<L::Floats, L::Ints>; P],
}

impl<L: Lanes, const P: usize> Own<L, P> {
    #[inline(always)]
    fn new(lanes: L, columns: &Columns, panel: usize) -> Self {
        let nought = lanes.splat(0.0);
        let mut own = [Column { scale: nought, sum: nought, bias: nought, under: lanes.splat_int(0) }; P];
        for (at, column) in own.iter_mut().enumerate() {
            if let Some(line) = columns.scales.get(panel + at) {
                column.scale = lanes.load(line);
            }
            if let Some(line) = columns.sums.get(panel + at) {
                column.sum = lanes.load(line);
                column.under = lanes.round(lanes.mul(column.sum, lanes.splat(L::UNDER as f32)));
            }
            if let Some(line) = columns.biases.and_then(|biases| biases.get(panel + at)) {
                column.bias = lanes.load(line);
            }
        }
        Self { panel, columns: own }
    }
}

/// For each of `R` rows and each column of `P` panels, the sum of the products of their bytes.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "all slices are cut to the same length first, which lets the checks go")]
fn dots<L: Lanes, const R: usize, const P: usize>(
    lanes: L,
    rows: [&[[u8; 4]]; R],
    panels: [&[Quads]; P],
    depth: usize,
) -> [[L::Ints; P]; R] {
    let mut sums = [[lanes.splat_int(0); P]; R];
    let (rows, panels) = (rows.map(|row| &row[..depth]), panels.map(|panel| &panel[..depth]));
    for step in 0..depth {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let quad = lanes.quad(row[step]);
            for (sum, panel) in sums.iter_mut().zip(panels) {
                *sum = lanes.dot(*sum, quad, &panel[step]);
            }
        }
    }
    sums
}

/// How many quads tiles take at a step to come out even; none if they would take too few to be worth it.
const fn tile_depth(depth: usize) -> usize {
    let mut step = 16;
    // Short rows are sooner done without.
    while depth >= 16 && step >= 8 {
        if depth.is_multiple_of(step) {
            return step;
        }
        step -= 1;
    }
    0
}

/// So many lines hold so many floats.
pub(super) const fn lines(floats: usize) -> usize {
    floats.div_ceil(LANES)
}
