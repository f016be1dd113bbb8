//! AVX2, with or without its own VNNI: sixteen lanes are two registers.

use std::arch::x86_64::{
    __m128, __m256, __m256i, _mm_add_ps, _mm_cvtss_f32, _mm_max_ps, _mm_min_ps, _mm_movehl_ps, _mm_shuffle_ps,
    _mm_storeu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256, _mm256_castps256_ps128, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_dpbusd_avx_epi32, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_ps,
    _mm256_min_ps, _mm256_mul_ps, _mm256_or_si256, _mm256_packs_epi32, _mm256_packus_epi16,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi32,
    _mm256_sllv_epi32, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
};

use super::{LANES, Lanes, Line, Quads, Task};

const HALF: usize = LANES / 2;

/// A processor with AVX2 and FMA; `VNNI` says that it also has AVX-VNNI.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2<const VNNI: bool>(());

/// Whether this processor is one.
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Whether it also has AVX-VNNI.
pub(super) fn has_vnni() -> bool {
    is_here() && is_x86_feature_detected!("avxvnni")
}

/// Does a task on it.
#[target_feature(enable = "avx2,fma")]
pub(super) fn run(task: impl Task) {
    task.on(Avx2::<false>(()));
}

/// Does a task on one with VNNI.
#[target_feature(enable = "avx2,fma,avxvnni")]
pub(super) fn run_vnni(task: impl Task) {
    task.on(Avx2::<true>(()));
}

type Floats = [__m256; 2];
type Ints = [__m256i; 2];

#[inline(always)]
fn both<A: Copy, B: Copy, C>(a: [A; 2], b: [B; 2], join: impl Fn(A, B) -> C) -> [C; 2] {
    let ([a, c], [b, d]) = (a, b);
    [join(a, b), join(c, d)]
}

/// The first eight with the last eight.
#[inline(always)]
fn joined(values: Floats, join: impl Fn(__m256, __m256) -> __m256) -> __m256 {
    let [first, last] = values;
    join(first, last)
}

/// All eight joined: each with the one four places on, then two, one.
#[inline(always)]
pub(super) fn folded(values: __m256, join: impl Fn(__m128, __m128) -> __m128) -> f32 {
    // SAFETY: called only with a token at hand, so the processor has AVX.
    unsafe {
        let four = join(_mm256_castps256_ps128(values), _mm256_extractf128_ps::<1>(values));
        let two = join(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(join(two, _mm_shuffle_ps::<1>(two, two)))
    }
}

/// An array in its two halves.
#[inline(always)]
fn halves<T, const WHOLE: usize, const PART: usize>(from: &[T; WHOLE]) -> [&[T; PART]; 2] {
    const { assert!(WHOLE == 2 * PART) };
    let start = from.as_ptr();
    // SAFETY: the two parts are the first and the second half of the array.
    unsafe { [&*start.cast(), &*start.add(PART).cast()] }
}

// SAFETY, for every block below: the token says that the processor has the instructions, and memory is reached through
// references to arrays of exactly the bytes read or written; no alignment is asked for.
impl<const VNNI: bool> Lanes for Avx2<VNNI> {
    type Floats = Floats;
    type Ints = Ints;

    const WIDE: bool = false;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        unsafe { [_mm256_set1_ps(value); 2] }
    }

    #[inline(always)]
    fn load(self, from: &Line) -> Floats {
        halves::<f32, LANES, HALF>(&from.0).map(|half| unsafe { _mm256_loadu_ps(half.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, values: Floats, to: &mut Line) {
        let [first, second] = values;
        unsafe {
            _mm256_storeu_ps(to.0.as_mut_ptr(), first);
            _mm256_storeu_ps(to.0.as_mut_ptr().add(HALF), second);
        }
    }

    #[inline(always)]
    fn add(self, a: Floats, b: Floats) -> Floats {
        both(a, b, |a, b| unsafe { _mm256_add_ps(a, b) })
    }

    #[inline(always)]
    fn sub(self, a: Floats, b: Floats) -> Floats {
        both(a, b, |a, b| unsafe { _mm256_sub_ps(a, b) })
    }

    #[inline(always)]
    fn mul(self, a: Floats, b: Floats) -> Floats {
        both(a, b, |a, b| unsafe { _mm256_mul_ps(a, b) })
    }

    #[inline(always)]
    fn mul_add(self, a: Floats, b: Floats, c: Floats) -> Floats {
        let ([a0, a1], [b0, b1], [c0, c1]) = (a, b, c);
        unsafe { [_mm256_fmadd_ps(a0, b0, c0), _mm256_fmadd_ps(a1, b1, c1)] }
    }

    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        both(a, b, |a, b| unsafe { _mm256_max_ps(a, b) })
    }

    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        both(a, b, |a, b| unsafe { _mm256_min_ps(a, b) })
    }

    #[inline(always)]
    fn round(self, values: Floats) -> Ints {
        values.map(|half| unsafe { _mm256_cvtps_epi32(half) })
    }

    #[inline(always)]
    fn splat_int(self, value: i32) -> Ints {
        unsafe { [_mm256_set1_epi32(value); 2] }
    }

    #[inline(always)]
    fn add_int(self, a: Ints, b: Ints) -> Ints {
        both(a, b, |a, b| unsafe { _mm256_add_epi32(a, b) })
    }

    #[inline(always)]
    fn or(self, a: Ints, b: Ints) -> Ints {
        both(a, b, |a, b| unsafe { _mm256_or_si256(a, b) })
    }

    #[inline(always)]
    fn and(self, a: Ints, b: Ints) -> Ints {
        both(a, b, |a, b| unsafe { _mm256_and_si256(a, b) })
    }

    #[inline(always)]
    fn shift_up<const BITS: u32>(self, values: Ints) -> Ints {
        values.map(|half| unsafe { _mm256_sllv_epi32(half, _mm256_set1_epi32(BITS.cast_signed())) })
    }

    #[inline(always)]
    fn float(self, values: Ints) -> Floats {
        values.map(|half| unsafe { _mm256_cvtepi32_ps(half) })
    }

    #[inline(always)]
    fn reinterpret(self, values: Ints) -> Floats {
        values.map(|half| unsafe { _mm256_castsi256_ps(half) })
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; LANES]) -> Ints {
        halves::<i32, LANES, HALF>(from).map(|half| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store_ints(self, values: Ints, to: &mut [i32; LANES]) {
        let [first, second] = values;
        unsafe {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), first);
            _mm256_storeu_si256(to.as_mut_ptr().add(HALF).cast(), second);
        }
    }

    #[inline(always)]
    fn store_bytes(self, values: Ints, to: &mut [u8; LANES]) {
        unsafe {
            // Only the lowest byte of each is asked for; the packing below would saturate what is larger.
            let low = _mm256_set1_epi32(0xff);
            let [first, second] = values.map(|half| _mm256_and_si256(half, low));
            let words = _mm256_packs_epi32(first, second);
            let bytes = _mm256_packus_epi16(words, words);
            // Packing works within halves of a register: put the four groups of four back in order.
            let ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm256_castsi256_si128(ordered));
        }
    }

    #[inline(always)]
    fn store_quads(self, values: Ints, to: &mut Quads) {
        let [first, second] = values;
        unsafe {
            _mm256_storeu_si256(to.0.as_mut_ptr().cast(), first);
            _mm256_storeu_si256(to.0.as_mut_ptr().add(2 * LANES).cast(), second);
        }
    }

    #[inline(always)]
    fn quad(self, bytes: [u8; 4]) -> Ints {
        self.splat_int(i32::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn dot(self, sums: Ints, quad: Ints, panel: &Quads) -> Ints {
        let ([sum0, sum1], [quad, _]) = (sums, quad);
        let [first, second] = halves::<i8, { 4 * LANES }, { 2 * LANES }>(&panel.0);
        unsafe {
            let (first, second) =
                (_mm256_loadu_si256(first.as_ptr().cast()), _mm256_loadu_si256(second.as_ptr().cast()));
            if VNNI {
                return [_mm256_dpbusd_avx_epi32(sum0, quad, first), _mm256_dpbusd_avx_epi32(sum1, quad, second)];
            }
            let ones = _mm256_set1_epi16(1);
            let add =
                |sum, weights| _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(quad, weights), ones));
            [add(sum0, first), add(sum1, second)]
        }
    }

    #[inline(always)]
    fn sum(self, values: Floats) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_add_ps(a, b) }), |a, b| unsafe { _mm_add_ps(a, b) })
    }

    #[inline(always)]
    fn largest(self, values: Floats) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_max_ps(a, b) }), |a, b| unsafe { _mm_max_ps(a, b) })
    }

    #[inline(always)]
    fn smallest(self, values: Floats) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_min_ps(a, b) }), |a, b| unsafe { _mm_min_ps(a, b) })
    }
}
