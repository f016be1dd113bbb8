//! Sixteen numbers at a time: what a path must be able to do.

/// How many numbers every path works on at a time, however wide its registers are; that keeps sums in one order.
pub(crate) const LANES: usize = 16;

/// Sixteen floats in memory, where no cache line ends between them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [f32; LANES]);

impl Line {
    /// Sixteen zeros.
    pub(crate) const ZERO: Self = Self([0.0; LANES]);

    /// Floats, sixteen per line; what fills no line is left out.
    pub(crate) fn all_of(floats: &[f32]) -> Vec<Self> {
        floats.as_chunks::<LANES>().0.iter().map(|line| Self(*line)).collect()
    }
}

/// Four signed bytes of each of sixteen columns: what one step of a product reads of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Quads(pub(crate) [i8; 4 * LANES]);

impl Quads {
    /// Nothing but zeros.
    pub(crate) const ZERO: Self = Self([0; 4 * LANES]);
}

/// Rows of bytes for tiles.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only one architecture has tiles"))]
pub(crate) struct TileRows<'a> {
    /// From the first byte of the first row on.
    pub(crate) bytes: &'a [u8],
    /// From one row to the next.
    pub(crate) stride: usize,
    /// Whether there are thirty-two, not sixteen.
    pub(crate) is_pair: bool,
    /// Quads a step.
    pub(crate) depth: usize,
}

/// For each band of sixteen rows and each panel, sixteen rows of sums.
#[repr(C, align(64))]
pub(crate) struct TileSums(pub(crate) [[[[i32; LANES]; LANES]; 2]; 2]);

impl TileSums {
    /// Nothing added yet.
    pub(crate) const ZERO: Self = Self([[[[0; LANES]; LANES]; 2]; 2]);
}

/// Arithmetic on sixteen floats or sixteen integers.
///
/// Floats are expected to be finite. Every method gives the same bits on every path.
pub(crate) trait Lanes: Copy {
    /// Sixteen floats.
    type Floats: Copy;
    /// Sixteen integers of 32 bits.
    type Ints: Copy;

    /// Whether there are tiles: registers that hold sixteen rows.
    const TILES: bool = false;
    /// How much [`Lanes::dot`] takes each byte of a row for less than it is: whoever adds up sums adds this much of the
    /// panel's bytes again.
    const UNDER: i32 = 0;
    /// Whether a product is best taken four panels wide, or one: how many registers there are.
    const WIDE: bool;

    /// The same float sixteen times.
    fn splat(self, value: f32) -> Self::Floats;
    /// Reads.
    fn load(self, from: &Line) -> Self::Floats;
    /// Writes.
    fn store(self, values: Self::Floats, to: &mut Line);
    /// a + b
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a − b
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a · b
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a · b + c, rounded once
    fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// The larger of each pair.
    fn max(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// The smaller of each pair.
    fn min(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// Each rounded to the nearest integer, a half to the even one; they must fit into 31 bits.
    fn round(self, values: Self::Floats) -> Self::Ints;

    /// The same integer sixteen times.
    fn splat_int(self, value: i32) -> Self::Ints;
    /// a + b
    fn add_int(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits of both.
    fn or(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits both have.
    fn and(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Bits moved up.
    fn shift_up<const BITS: u32>(self, values: Self::Ints) -> Self::Ints;
    /// As floats.
    fn float(self, values: Self::Ints) -> Self::Floats;
    /// The floats whose bits these are.
    fn reinterpret(self, values: Self::Ints) -> Self::Floats;
    /// Reads.
    fn load_ints(self, from: &[i32; LANES]) -> Self::Ints;
    /// Writes.
    fn store_ints(self, values: Self::Ints, to: &mut [i32; LANES]);
    /// Writes the lowest byte of each.
    fn store_bytes(self, values: Self::Ints, to: &mut [u8; LANES]);

    /// Writes all four bytes of each.
    fn store_quads(self, values: Self::Ints, to: &mut Quads);

    /// Four bytes, sixteen times.
    fn quad(self, bytes: [u8; 4]) -> Self::Ints;
    /// To each integer the sum of four products: the bytes of `quad`, unsigned, with four signed bytes of the panel.
    ///
    /// Panel bytes lie within −64 and 64. Two such products fit into 16 bits (2 · 255 · 64 = 32,640), which is how
    /// processors without this very instruction add them.
    fn dot(self, sums: Self::Ints, quad: Self::Ints, panel: &Quads) -> Self::Ints;

    /// Does work in which tiles multiply `depth` quads at a step, at most sixteen.
    #[inline(always)]
    fn with_tiles(self, _depth: usize, work: impl FnOnce()) {
        work();
    }

    /// The sums of products of sixteen or thirty-two rows with two panels, within [`Lanes::with_tiles`].
    #[inline(always)]
    fn tiles(self, _rows: TileRows, _panels: [&[Quads]; 2], _sums: &mut TileSums) {}

    /// All added up: each with the one eight places on, then four, two, one.
    fn sum(self, values: Self::Floats) -> f32 {
        let mut lanes = Line::ZERO;
        self.store(values, &mut lanes);
        folded(lanes.0, |a, b| a + b)
    }

    /// The largest.
    fn largest(self, values: Self::Floats) -> f32 {
        let mut lanes = Line::ZERO;
        self.store(values, &mut lanes);
        folded(lanes.0, larger)
    }

    /// The smallest.
    fn smallest(self, values: Self::Floats) -> f32 {
        let mut lanes = Line::ZERO;
        self.store(values, &mut lanes);
        folded(lanes.0, smaller)
    }

    /// All integers added up.
    fn sum_ints(self, values: Self::Ints) -> i32 {
        let mut lanes = [0; LANES];
        self.store_ints(values, &mut lanes);
        lanes.iter().fold(0, |sum, lane| sum.wrapping_add(*lane))
    }
}

/// The larger; the second where they are equal, as vector instructions have it.
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller; the second where they are equal.
#[inline(always)]
pub(super) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn folded(lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = lanes;
    let eight = [join(a, i), join(b, j), join(c, k), join(d, l), join(e, m), join(f, n), join(g, o), join(h, p)];
    let [a, b, c, d, e, f, g, h] = eight;
    let [a, b, c, d] = [join(a, e), join(b, f), join(c, g), join(d, h)];
    join(join(a, c), join(b, d))
}
