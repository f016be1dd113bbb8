//! Exponentials and GELU on sixteen floats at a time, to a stated error.

use crate::kernels::Lanes;

/// e to the power of values that are not positive, relative error at most 5e-6; below −87 it is as good as zero.
#[inline(always)]
pub(super) fn exp<L: Lanes>(lanes: L, values: L::Floats) -> L::Floats {
    // The whole powers of two are exponents, the rest lies within half a power.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -0.000_212_194_44;
    const RISES: [f32; 5] = [0.041_513_27, 0.167_873_68, 0.500_030_16, 0.999_966_9, 1.0];
    let values = lanes.max(values, lanes.splat(-87.0));
    let powers = lanes.round(lanes.mul(values, lanes.splat(std::f32::consts::LOG2_E)));
    let whole = lanes.float(powers);
    let rest = lanes.mul_add(whole, lanes.splat(-LN2_HIGH), values);
    let rest = lanes.mul_add(whole, lanes.splat(-LN2_LOW), rest);
    let rise = polynomial(lanes, rest, RISES);
    let scale = lanes.reinterpret(lanes.shift_up::<23>(lanes.add_int(powers, lanes.splat_int(127))));
    lanes.mul(rise, scale)
}

/// x · Φ(x), absolute error at most 1e-4 + 2e-6 · |x|.
#[inline(always)]
pub(crate) fn gelu<L: Lanes>(lanes: L, values: L::Floats) -> L::Floats {
    // Φ(x) − ½ = x · P(x²), fitted up to 4.2, if it is ½ but for 1.4e-5, and held there.
    const END: f32 = 4.2;
    const SHARES: [f32; 8] = [
        -9.017_443_5e-10,
        7.941_276_4e-8,
        -3.037_913_3e-6,
        6.689_042_5e-5,
        -9.506_554e-4,
        9.298_22e-3,
        -6.552_818_4e-2,
        0.398_465_87,
    ];
    let held = lanes.max(lanes.min(values, lanes.splat(END)), lanes.splat(-END));
    let share = polynomial(lanes, lanes.mul(held, held), SHARES);
    lanes.mul(values, lanes.mul_add(held, share, lanes.splat(0.5)))
}

/// The highest power's factor first.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(lanes: L, at: L::Floats, factors: [f32; N]) -> L::Floats {
    let mut sum = lanes.splat(0.0);
    for (step, factor) in factors.into_iter().enumerate() {
        let factor = lanes.splat(factor);
        sum = if step == 0 { factor } else { lanes.mul_add(sum, at, factor) };
    }
    sum
}
