//! NEON with dot products: sixteen lanes are four registers.

use std::arch::{
    aarch64::{
        float32x4_t, int8x16_t, int32x4_t, vaddq_f32, vaddq_s32, vandq_s32, vbslq_f32, vcgtq_f32, vcltq_f32,
        vcombine_s16, vcvtnq_s32_f32, vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vfmaq_f32, vld1q_f32, vld1q_s8,
        vld1q_s32, vmovn_s16, vmovn_s32, vmulq_f32, vorrq_s32, vreinterpretq_f32_s32, vshlq_s32, vst1_s8, vst1q_f32,
        vst1q_s32, vsubq_f32,
    },
    asm, is_aarch64_feature_detected,
};

use super::{LANES, Lanes, Line, Quads, Task};

const QUARTER: usize = LANES / 4;

/// A processor with NEON and its dot products of signed bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon(());

/// Whether this processor is one.
pub(super) fn is_here() -> bool {
    !cfg!(miri) && is_aarch64_feature_detected!("neon") && is_aarch64_feature_detected!("dotprod")
}

/// Does a task on it.
#[target_feature(enable = "neon,dotprod")]
pub(super) fn run(task: impl Task) {
    task.on(Neon(()));
}

type Floats = [float32x4_t; 4];
type Ints = [int32x4_t; 4];

#[inline(always)]
fn all<A: Copy, C>(a: [A; 4], b: [A; 4], join: impl Fn(A, A) -> C) -> [C; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [join(a0, b0), join(a1, b1), join(a2, b2), join(a3, b3)]
}

/// To each sum four products of signed bytes.
///
/// # Safety
/// The processor must have dot products.
#[inline(always)]
unsafe fn signed_dot(mut sums: int32x4_t, a: int32x4_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: registers only.
    unsafe {
        asm!(
            ".arch_extension dotprod",
            "sdot {sums:v}.4s, {a:v}.16b, {b:v}.16b",
            sums = inout(vreg) sums,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

// SAFETY, for every block below: the token says that the processor has the instructions, and memory is reached through
// references to arrays of exactly the bytes read or written.
impl Lanes for Neon {
    type Floats = Floats;
    type Ints = Ints;

    const WIDE: bool = false;
    // The bytes of a row are taken as signed.
    const UNDER: i32 = 128;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        unsafe { [vdupq_n_f32(value); 4] }
    }

    #[inline(always)]
    fn load(self, from: &Line) -> Floats {
        let at = from.0.as_ptr();
        unsafe {
            [vld1q_f32(at), vld1q_f32(at.add(QUARTER)), vld1q_f32(at.add(2 * QUARTER)), vld1q_f32(at.add(3 * QUARTER))]
        }
    }

    #[inline(always)]
    fn store(self, values: Floats, to: &mut Line) {
        let (at, [a, b, c, d]) = (to.0.as_mut_ptr(), values);
        unsafe {
            vst1q_f32(at, a);
            vst1q_f32(at.add(QUARTER), b);
            vst1q_f32(at.add(2 * QUARTER), c);
            vst1q_f32(at.add(3 * QUARTER), d);
        }
    }

    #[inline(always)]
    fn add(self, a: Floats, b: Floats) -> Floats {
        all(a, b, |a, b| unsafe { vaddq_f32(a, b) })
    }

    #[inline(always)]
    fn sub(self, a: Floats, b: Floats) -> Floats {
        all(a, b, |a, b| unsafe { vsubq_f32(a, b) })
    }

    #[inline(always)]
    fn mul(self, a: Floats, b: Floats) -> Floats {
        all(a, b, |a, b| unsafe { vmulq_f32(a, b) })
    }

    #[inline(always)]
    fn mul_add(self, a: Floats, b: Floats, c: Floats) -> Floats {
        let ([a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3]) = (a, b, c);
        unsafe { [vfmaq_f32(c0, a0, b0), vfmaq_f32(c1, a1, b1), vfmaq_f32(c2, a2, b2), vfmaq_f32(c3, a3, b3)] }
    }

    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        // Its own maximum tells the two zeros apart, which no other path does.
        all(a, b, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }

    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        all(a, b, |a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) })
    }

    #[inline(always)]
    fn round(self, values: Floats) -> Ints {
        values.map(|part| unsafe { vcvtnq_s32_f32(part) })
    }

    #[inline(always)]
    fn splat_int(self, value: i32) -> Ints {
        unsafe { [vdupq_n_s32(value); 4] }
    }

    #[inline(always)]
    fn add_int(self, a: Ints, b: Ints) -> Ints {
        all(a, b, |a, b| unsafe { vaddq_s32(a, b) })
    }

    #[inline(always)]
    fn or(self, a: Ints, b: Ints) -> Ints {
        all(a, b, |a, b| unsafe { vorrq_s32(a, b) })
    }

    #[inline(always)]
    fn and(self, a: Ints, b: Ints) -> Ints {
        all(a, b, |a, b| unsafe { vandq_s32(a, b) })
    }

    #[inline(always)]
    fn shift_up<const BITS: u32>(self, values: Ints) -> Ints {
        values.map(|part| unsafe { vshlq_s32(part, vdupq_n_s32(BITS.cast_signed())) })
    }

    #[inline(always)]
    fn float(self, values: Ints) -> Floats {
        values.map(|part| unsafe { vcvtq_f32_s32(part) })
    }

    #[inline(always)]
    fn reinterpret(self, values: Ints) -> Floats {
        values.map(|part| unsafe { vreinterpretq_f32_s32(part) })
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; LANES]) -> Ints {
        let at = from.as_ptr();
        unsafe {
            [vld1q_s32(at), vld1q_s32(at.add(QUARTER)), vld1q_s32(at.add(2 * QUARTER)), vld1q_s32(at.add(3 * QUARTER))]
        }
    }

    #[inline(always)]
    fn store_ints(self, values: Ints, to: &mut [i32; LANES]) {
        let (at, [a, b, c, d]) = (to.as_mut_ptr(), values);
        unsafe {
            vst1q_s32(at, a);
            vst1q_s32(at.add(QUARTER), b);
            vst1q_s32(at.add(2 * QUARTER), c);
            vst1q_s32(at.add(3 * QUARTER), d);
        }
    }

    #[inline(always)]
    fn store_bytes(self, values: Ints, to: &mut [u8; LANES]) {
        let (at, [a, b, c, d]) = (to.as_mut_ptr().cast(), values);
        unsafe {
            vst1_s8(at, vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b))));
            vst1_s8(at.add(LANES / 2), vmovn_s16(vcombine_s16(vmovn_s32(c), vmovn_s32(d))));
        }
    }

    #[inline(always)]
    fn store_quads(self, values: Ints, to: &mut Quads) {
        // SAFETY: as below; as many bytes as sixteen integers, and aligned for more.
        self.store_ints(values, unsafe { &mut *to.0.as_mut_ptr().cast::<[i32; LANES]>() });
    }

    #[inline(always)]
    fn quad(self, bytes: [u8; 4]) -> Ints {
        // Turning the highest bit takes 128 from an unsigned byte and makes it a signed one.
        self.splat_int(i32::from_le_bytes(bytes) ^ i32::from_le_bytes([0x80; 4]))
    }

    #[inline(always)]
    fn dot(self, sums: Ints, quad: Ints, panel: &Quads) -> Ints {
        let ([a, b, c, d], [quad, ..], at) = (sums, quad, panel.0.as_ptr());
        unsafe {
            [
                signed_dot(a, quad, vld1q_s8(at)),
                signed_dot(b, quad, vld1q_s8(at.add(LANES))),
                signed_dot(c, quad, vld1q_s8(at.add(2 * LANES))),
                signed_dot(d, quad, vld1q_s8(at.add(3 * LANES))),
            ]
        }
    }
}
