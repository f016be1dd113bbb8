//! The reference: plain Rust for any processor.

use super::lanes::{LANES, Lanes, Line, Quads, larger, smaller};

/// Needs nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

#[inline(always)]
fn each(mut a: [f32; LANES], b: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = join(*a, b));
    a
}

#[inline(always)]
fn each_int(mut a: [i32; LANES], b: [i32; LANES], join: impl Fn(i32, i32) -> i32) -> [i32; LANES] {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = join(*a, b));
    a
}

impl Lanes for Portable {
    type Floats = [f32; LANES];
    type Ints = [i32; LANES];

    const WIDE: bool = false;

    #[inline(always)]
    fn splat(self, value: f32) -> [f32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, from: &Line) -> [f32; LANES] {
        from.0
    }

    #[inline(always)]
    fn store(self, values: [f32; LANES], to: &mut Line) {
        to.0 = values;
    }

    #[inline(always)]
    fn add(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        each(a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        each(a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        each(a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, a: [f32; LANES], b: [f32; LANES], mut c: [f32; LANES]) -> [f32; LANES] {
        c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = a.mul_add(b, *c));
        c
    }

    #[inline(always)]
    fn max(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        each(a, b, larger)
    }

    #[inline(always)]
    fn min(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        each(a, b, smaller)
    }

    #[inline(always)]
    fn round(self, values: [f32; LANES]) -> [i32; LANES] {
        values.map(|value| value.round_ties_even() as i32)
    }

    #[inline(always)]
    fn splat_int(self, value: i32) -> [i32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn add_int(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        each_int(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    fn or(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        each_int(a, b, |a, b| a | b)
    }

    #[inline(always)]
    fn and(self, a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        each_int(a, b, |a, b| a & b)
    }

    #[inline(always)]
    fn shift_up<const BITS: u32>(self, values: [i32; LANES]) -> [i32; LANES] {
        values.map(|value| value << BITS)
    }

    #[inline(always)]
    fn float(self, values: [i32; LANES]) -> [f32; LANES] {
        values.map(|value| value as f32)
    }

    #[inline(always)]
    fn reinterpret(self, values: [i32; LANES]) -> [f32; LANES] {
        values.map(|value| f32::from_bits(value.cast_unsigned()))
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; LANES]) -> [i32; LANES] {
        *from
    }

    #[inline(always)]
    fn store_ints(self, values: [i32; LANES], to: &mut [i32; LANES]) {
        *to = values;
    }

    #[inline(always)]
    fn store_bytes(self, values: [i32; LANES], to: &mut [u8; LANES]) {
        to.iter_mut().zip(values).for_each(|(to, value)| *to = value as u8);
    }

    #[inline(always)]
    fn store_quads(self, values: [i32; LANES], to: &mut Quads) {
        for (to, value) in to.0.as_chunks_mut::<4>().0.iter_mut().zip(values) {
            *to = value.to_le_bytes().map(u8::cast_signed);
        }
    }

    #[inline(always)]
    fn quad(self, bytes: [u8; 4]) -> [i32; LANES] {
        [i32::from_le_bytes(bytes); LANES]
    }

    #[inline(always)]
    fn dot(self, mut sums: [i32; LANES], quad: [i32; LANES], panel: &Quads) -> [i32; LANES] {
        for ((sum, quad), column) in sums.iter_mut().zip(quad).zip(panel.0.as_chunks::<4>().0) {
            for (byte, weight) in quad.to_le_bytes().into_iter().zip(column) {
                *sum += i32::from(byte) * i32::from(*weight);
            }
        }
        sums
    }
}
