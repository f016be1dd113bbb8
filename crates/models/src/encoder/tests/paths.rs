//! Task by task, every path against the portable one.

use super::{
    super::{
        heads::{HEAD_LINES, Heads, Split},
        product::{Columns, Finish, Product, Rows, lines},
        quantise::{Bytes, Normalise, Quantise, Softmax},
    },
    Dice, tries,
};
use crate::kernels::{LANES, Line, Path, Quads};

fn others() -> Vec<Path> {
    Path::available().into_iter().filter(|path| *path != Path::PORTABLE).collect()
}

fn bits(floats: &[Line]) -> Vec<u32> {
    floats.iter().flat_map(|line| line.0).map(f32::to_bits).collect()
}

/// The most there may be of something; a quarter of it under Miri.
const fn most(usual: usize) -> usize {
    if cfg!(miri) { usual.div_ceil(4) } else { usual }
}

fn some_lines(dice: &mut Dice, count: usize, size: f32) -> Vec<Line> {
    (0..count).map(|_| Line(std::array::from_fn(|_| dice.float() * size))).collect()
}

/// One random product: everything it reads.
struct Case {
    rows: usize,
    depth: usize,
    panels: usize,
    stride: usize,
    bytes: Vec<u8>,
    scales: Vec<f32>,
    lows: Vec<f32>,
    quads: Vec<Quads>,
    lines: [Vec<Line>; 3],
    before: Vec<Line>,
    finish: usize,
}

impl Case {
    fn roll(dice: &mut Dice) -> Self {
        let rows = 1 + dice.below(most(70));
        let depth = if dice.below(2) == 0 { 1 + dice.below(most(40)) } else { 8 * (1 + dice.below(most(6))) };
        let panels = 1 + dice.below(most(9));
        let stride = 4 * depth + dice.below(3) * 4;
        // Half of the cases are at the ends of what bytes can be.
        let is_extreme = dice.below(2) == 0;
        let byte = |dice: &mut Dice| if is_extreme { 255 } else { dice.next() as u8 };
        let weight =
            |dice: &mut Dice| if is_extreme { [-64, 64][dice.below(2)] } else { (dice.below(129) as i32 - 64) as i8 };
        let quads: Vec<Quads> = (0..panels * depth).map(|_| Quads(std::array::from_fn(|_| weight(dice)))).collect();
        let sums = quads.chunks_exact(depth).map(|panel| {
            let column = |lane: usize| panel.iter().flat_map(move |quads| &quads.0[4 * lane..4 * lane + 4]);
            Line(std::array::from_fn(|lane| column(lane).map(|byte| f32::from(*byte)).sum()))
        });
        let sums: Vec<Line> = sums.collect();
        Self {
            rows,
            depth,
            panels,
            stride,
            bytes: (0..rows.next_multiple_of(LANES) * stride).map(|_| byte(dice)).collect(),
            scales: (0..rows).map(|_| dice.float()).collect(),
            lows: (0..rows).map(|_| dice.float() * 3.0).collect(),
            quads,
            lines: [some_lines(dice, panels, 0.1), sums, some_lines(dice, panels, 0.1)],
            before: some_lines(dice, rows * panels, 2.0),
            finish: dice.below(3),
        }
    }

    fn on(&self, path: Path) -> Vec<u32> {
        let [scales, sums, biases] = &self.lines;
        let mut out = vec![Line::ZERO; self.rows * self.panels];
        path.run(Product {
            rows: Rows { bytes: &self.bytes, stride: self.stride, scales: &self.scales, lows: &self.lows },
            columns: Columns {
                quads: &self.quads,
                depth: self.depth,
                scales,
                sums,
                biases: self.rows.is_multiple_of(2).then_some(biases),
            },
            finish: [Finish::Plain, Finish::Gelu, Finish::Added(&self.before)][self.finish],
            out: &mut out,
            out_stride: self.panels,
        });
        bits(&out)
    }
}

#[test]
fn products() {
    let mut dice = Dice::new(1);
    for _ in 0..tries(400) {
        let case = Case::roll(&mut dice);
        let truth = case.on(Path::PORTABLE);
        for path in others() {
            assert!(case.on(path) == truth, "{}: {} × {} × {}", path.name(), case.rows, case.depth, case.panels);
        }
    }
}

#[test]
fn a_product_is_what_it_says() {
    let mut dice = Dice::new(2);
    for _ in 0..tries(40) {
        let mut case = Case::roll(&mut dice);
        case.finish = 0;
        for (at, found) in case.on(Path::PORTABLE).into_iter().enumerate() {
            let (row, column) = (at / (case.panels * LANES), at % (case.panels * LANES));
            let (panel, lane) = (column / LANES, column % LANES);
            let [scale, sum, bias] = [0, 1, 2].map(|which| f64::from(case.lines[which][panel].0[lane]));
            let mut total = 0i64;
            for at in 0..4 * case.depth {
                let weight = case.quads[panel * case.depth + at / 4].0[lane * 4 + at % 4];
                total += i64::from(case.bytes[row * case.stride + at]) * i64::from(weight);
            }
            let raw = total as f64 * f64::from(case.scales[row]) + f64::from(case.lows[row]) * sum;
            let truth = raw * scale + if case.rows.is_multiple_of(2) { bias } else { 0.0 };
            let found = f64::from(f32::from_bits(found));
            assert!((found - truth).abs() < 1e-5 * (1.0 + (raw * scale).abs()), "{found} {truth}");
        }
    }
}

/// Rows to be put into bytes, the odd ones among them.
fn odd_rows(dice: &mut Dice, rows: usize, width: usize) -> Vec<Line> {
    let sizes = [1.0, 1e-30, 1e30, 0.0];
    (0..rows).flat_map(|row| some_lines(dice, width, sizes[(row + 3) % sizes.len()])).collect()
}

#[derive(PartialEq, Debug)]
struct Outcome(Vec<u8>, Vec<u32>, Vec<u32>);

/// What a task leaves in bytes, scales and lows.
fn outcome(rows: usize, stride: usize, task: impl FnOnce(Bytes)) -> Outcome {
    let (mut bytes, mut scales, mut lows) = (vec![0; rows * stride], vec![0.0; rows], vec![0.0; rows]);
    task(Bytes { bytes: &mut bytes, stride, scales: &mut scales, lows: &mut lows });
    let bits = |floats: Vec<f32>| floats.into_iter().map(f32::to_bits).collect();
    Outcome(bytes, bits(scales), bits(lows))
}

#[test]
fn rows_into_bytes() {
    let mut dice = Dice::new(3);
    for _ in 0..tries(60) {
        let (rows, width) = (1 + dice.below(7), 1 + dice.below(9));
        let floats = odd_rows(&mut dice, rows, width);
        let run = |path: Path| {
            outcome(rows, width * LANES, |out| path.run(Quantise { rows: &floats, width, stride: width, out }))
        };
        let truth = run(Path::PORTABLE);
        others().into_iter().for_each(|path| assert_eq!(run(path), truth, "{}", path.name()));
        for (row, floats) in floats.chunks_exact(width).enumerate() {
            let (scale, low) = (f32::from_bits(truth.1[row]), f32::from_bits(truth.2[row]));
            for (float, byte) in floats.iter().flat_map(|line| line.0).zip(&truth.0[row * width * LANES..]) {
                let back = low + scale * f32::from(*byte);
                assert!((back - float).abs() <= scale * 0.5001, "{float} came back as {back}");
            }
        }
    }
}

#[test]
fn layer_norms() {
    let mut dice = Dice::new(4);
    for _ in 0..tries(60) {
        let (rows, width) = (1 + dice.below(7), 1 + dice.below(9));
        let sizes = [1.0, 1e-6, 1e6, 0.0];
        let floats: Vec<Line> =
            (0..rows).flat_map(|row| some_lines(&mut dice, width, sizes[row % sizes.len()])).collect();
        let (gains, shifts) = (some_lines(&mut dice, width, 2.0), some_lines(&mut dice, width, 1.0));
        let run = |path: Path| {
            let mut floats = floats.clone();
            let made = outcome(rows, width * LANES, |out| {
                path.run(Normalise { rows: &mut floats, gains: &gains, shifts: &shifts, out });
            });
            (made, bits(&floats))
        };
        let truth = run(Path::PORTABLE);
        others().into_iter().for_each(|path| assert_eq!(run(path), truth, "{}", path.name()));
        for (row, found) in floats.chunks_exact(width).zip(truth.1.chunks_exact(width * LANES)) {
            let row: Vec<f64> = row.iter().flat_map(|line| line.0).map(f64::from).collect();
            near_norm(&row, &gains, &shifts, found);
        }
    }
}

/// Whether a layer norm is what a textbook makes of a row, within its bound.
fn near_norm(row: &[f64], gains: &[Line], shifts: &[Line], found: &[u32]) {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    let flat = |lines: &[Line]| lines.iter().flat_map(|line| line.0).map(f64::from).collect::<Vec<f64>>();
    for (((x, gain), shift), found) in row.iter().zip(flat(gains)).zip(flat(shifts)).zip(found) {
        let truth = (x - mean) / (spread + 1e-12).sqrt() * gain + shift;
        let found = f64::from(f32::from_bits(*found));
        assert!((found - truth).abs() <= 1e-5 * (4.0 * gain.abs() + shift.abs()), "{found} for {truth}");
    }
}

#[test]
fn shares_of_attention() {
    let mut dice = Dice::new(5);
    for _ in 0..tries(80) {
        let (rows, tokens) = (1 + dice.below(7), 1 + dice.below(most(70)));
        let width = lines(tokens);
        let size = [1.0, 30.0, 1e30][dice.below(3)];
        let scores = some_lines(&mut dice, rows * width, size);
        let run = |path: Path| {
            let mut scores = scores.clone();
            outcome(rows, width * LANES, |out| path.run(Softmax { scores: &mut scores, width, tokens, out }))
        };
        let truth = run(Path::PORTABLE);
        others().into_iter().for_each(|path| assert_eq!(run(path), truth, "{}", path.name()));
        for (row, shares) in truth.0.chunks_exact(width * LANES).enumerate() {
            let sum: u32 = shares.iter().map(|share| u32::from(*share)).sum();
            assert_eq!(f32::from_bits(truth.1[row]), 1.0 / sum as f32);
            assert!(shares[tokens..].iter().all(|share| *share == 0), "what is no token has no share");
            assert!(shares[..tokens].contains(&255));
            let scores: Vec<f32> = scores[row * width..(row + 1) * width].iter().flat_map(|line| line.0).collect();
            let highest = scores[..tokens].iter().copied().fold(f32::MIN, f32::max);
            for (share, score) in shares.iter().zip(&scores[..tokens]) {
                let truth = (f64::from(*score) - f64::from(highest)).exp() * 255.0;
                assert!((f64::from(*share) - truth).abs() <= 0.51, "{share} for {truth}");
            }
        }
    }
}

#[test]
fn queries_keys_and_values() {
    let mut dice = Dice::new(6);
    for _ in 0..tries(60) {
        let (count, tokens) = (1 + dice.below(most(4)), 1 + dice.below(most(70)));
        let size = [1.0, 0.0, 1e20][dice.below(3)];
        let rows = some_lines(&mut dice, tokens * 3 * count * HEAD_LINES, size);
        let (q, from, probe) =
            (dice.below(count), dice.below(tokens) / LANES * LANES, some_lines(&mut dice, lines(tokens), 1.0));
        let run = |path: Path| {
            let mut heads = Heads::default();
            // Memory is used again: what an earlier, longer text left there must not show.
            heads.fit(count, tokens + 20);
            heads.fit(count, tokens);
            path.run(Split { rows: &rows, stride: 3 * count * HEAD_LINES, heads: &mut heads });
            let mut scores = vec![Line::ZERO; (tokens - from) * lines(tokens)];
            let (queries, keys) = (heads.queries(q, from, tokens - from), heads.keys(q));
            let out_stride = lines(tokens);
            path.run(Product { rows: queries, columns: keys, finish: Finish::Plain, out: &mut scores, out_stride });
            let mut shares = vec![0; LANES * lines(tokens) * LANES];
            shares.iter_mut().zip(probe.iter().flat_map(|line| line.0)).take(tokens).for_each(|(to, share)| {
                *to = (share.abs() * 255.0) as u8;
            });
            let rows = Rows { bytes: &shares, stride: lines(tokens) * LANES, scales: &[0.5], lows: &[0.0] };
            let mut context = vec![Line::ZERO; HEAD_LINES];
            let columns = heads.values(q);
            path.run(Product { rows, columns, finish: Finish::Plain, out: &mut context, out_stride: HEAD_LINES });
            let scores: Vec<f32> = scores
                .chunks_exact(out_stride)
                .flat_map(|row| row.iter().flat_map(|line| line.0).take(tokens).collect::<Vec<f32>>())
                .collect();
            (scores.into_iter().map(f32::to_bits).collect::<Vec<u32>>(), bits(&context))
        };
        let truth = run(Path::PORTABLE);
        others().into_iter().for_each(|path| assert_eq!(run(path), truth, "{}", path.name()));
    }
}
