//! How far the approximations are from the truth.

use super::super::approximate::{exp, gelu};
use crate::kernels::{LANES, Lanes, Line, Path, Task};

enum Which {
    Exp,
    Gelu,
}

struct Apply<'a>(Which, &'a mut [Line]);

impl Task for Apply<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        for line in self.1 {
            let values = lanes.load(line);
            let values = match self.0 {
                Which::Exp => exp(lanes, values),
                Which::Gelu => gelu(lanes, values),
            };
            lanes.store(values, line);
        }
    }
}

/// So many lines of floats from one to the other.
fn between(from: f32, to: f32, lines: usize) -> Vec<Line> {
    let step = (to - from) / (lines * LANES - 1) as f32;
    let line = |line: usize| Line(std::array::from_fn(|lane| from + step * (line * LANES + lane) as f32));
    (0..lines).map(line).collect()
}

fn pairs(path: Path, which: Which, at: &[Line]) -> Vec<(f64, f64)> {
    let mut found = at.to_vec();
    path.run(Apply(which, &mut found));
    let flat = |lines: &[Line]| lines.iter().flat_map(|line| line.0).map(f64::from).collect::<Vec<f64>>();
    flat(at).into_iter().zip(flat(&found)).collect()
}

/// The error function by its series, good to nine places; beyond 4.5 it is one but for 2e-10.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.5 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn exponentials_are_off_by_five_in_a_million_at_most() {
    for path in Path::available() {
        for (x, y) in pairs(path, Which::Exp, &between(-86.0, 0.0, super::tries(8_000))) {
            assert!((y / x.exp() - 1.0).abs() < 5e-6, "{}: exp({x}) = {y}", path.name());
        }
        for (x, y) in pairs(path, Which::Exp, &[Line([f32::MIN; LANES]), Line([-1e4; LANES]), Line::ZERO]) {
            assert!((y - x.exp()).abs() < 1e-30, "{}: exp({x}) = {y}", path.name());
        }
    }
}

#[test]
fn gelu_is_off_by_one_in_ten_thousand_at_most() {
    for path in Path::available() {
        for (from, to) in [(-6.0, 6.0), (-1_000.0, 1_000.0)] {
            for (x, y) in pairs(path, Which::Gelu, &between(from, to, super::tries(4_000))) {
                let truth = x * 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2));
                assert!((y - truth).abs() < 1e-4 + 2e-6 * x.abs(), "{}: gelu({x}) = {y}, {truth}", path.name());
            }
        }
    }
}
