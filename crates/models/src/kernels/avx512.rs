//! AVX512 with VNNI: sixteen lanes are one register.

use std::arch::x86_64::{
    __m256, __m512, __m512i, _mm_add_ps, _mm_max_ps, _mm_min_ps, _mm_storeu_si128, _mm256_add_ps, _mm256_castpd_ps,
    _mm256_max_ps, _mm256_min_ps, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512, _mm512_castps_pd,
    _mm512_castps512_ps256, _mm512_castsi512_ps, _mm512_cvtepi32_epi8, _mm512_cvtepi32_ps, _mm512_cvtps_epi32,
    _mm512_dpbusd_epi32, _mm512_extractf64x4_pd, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_max_ps,
    _mm512_min_ps, _mm512_mul_ps, _mm512_or_si512, _mm512_reduce_add_epi32, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_slli_epi32, _mm512_storeu_ps, _mm512_storeu_si512, _mm512_sub_ps,
};

use super::{
    LANES, Lanes, Line, Quads, Task, amx,
    avx2::folded,
    lanes::{TileRows, TileSums},
};

/// A processor with AVX512 F, BW, VL and VNNI; `AMX` says that it also has tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512<const AMX: bool>(());

/// Whether this processor is one.
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("fma")
}

/// Does a task on it.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
pub(super) fn run(task: impl Task) {
    task.on(Avx512::<false>(()));
}

/// Does a task on one with tiles, which the system must have granted.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")]
pub(super) fn run_amx(task: impl Task) {
    task.on(Avx512::<true>(()));
}

/// The first eight with the last eight.
#[inline(always)]
fn joined(values: __m512, join: impl Fn(__m256, __m256) -> __m256) -> __m256 {
    // SAFETY: called only with a token at hand.
    unsafe {
        let last = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(values)));
        join(_mm512_castps512_ps256(values), last)
    }
}

// SAFETY, for every block below: the token says that the processor has the instructions, and memory is reached through
// references to arrays of exactly the bytes read or written; no alignment is asked for.
impl<const AMX: bool> Lanes for Avx512<AMX> {
    type Floats = __m512;
    type Ints = __m512i;

    const TILES: bool = AMX;
    const WIDE: bool = true;

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn load(self, from: &Line) -> __m512 {
        unsafe { _mm512_loadu_ps(from.0.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, values: __m512, to: &mut Line) {
        unsafe { _mm512_storeu_ps(to.0.as_mut_ptr(), values) }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }

    #[inline(always)]
    fn round(self, values: __m512) -> __m512i {
        unsafe { _mm512_cvtps_epi32(values) }
    }

    #[inline(always)]
    fn splat_int(self, value: i32) -> __m512i {
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    fn add_int(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn shift_up<const BITS: u32>(self, values: __m512i) -> __m512i {
        unsafe { _mm512_slli_epi32::<BITS>(values) }
    }

    #[inline(always)]
    fn float(self, values: __m512i) -> __m512 {
        unsafe { _mm512_cvtepi32_ps(values) }
    }

    #[inline(always)]
    fn reinterpret(self, values: __m512i) -> __m512 {
        unsafe { _mm512_castsi512_ps(values) }
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; LANES]) -> __m512i {
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_ints(self, values: __m512i, to: &mut [i32; LANES]) {
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn store_bytes(self, values: __m512i, to: &mut [u8; LANES]) {
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(values)) }
    }

    #[inline(always)]
    fn store_quads(self, values: __m512i, to: &mut Quads) {
        unsafe { _mm512_storeu_si512(to.0.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn quad(self, bytes: [u8; 4]) -> __m512i {
        self.splat_int(i32::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, quad: __m512i, panel: &Quads) -> __m512i {
        unsafe { _mm512_dpbusd_epi32(sums, quad, _mm512_loadu_si512(panel.0.as_ptr().cast())) }
    }

    #[inline(always)]
    fn with_tiles(self, depth: usize, work: impl FnOnce()) {
        // SAFETY: a token with `AMX` is only made where the system has granted tiles.
        let set = AMX.then(|| unsafe { amx::Set::up(depth) });
        work();
        drop(set);
    }

    #[inline(always)]
    fn tiles(self, rows: TileRows, panels: [&[Quads]; 2], sums: &mut TileSums) {
        if AMX {
            // SAFETY: as above.
            unsafe { amx::multiply(rows, panels, sums) }
        }
    }

    #[inline(always)]
    fn sum(self, values: __m512) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_add_ps(a, b) }), |a, b| unsafe { _mm_add_ps(a, b) })
    }

    #[inline(always)]
    fn largest(self, values: __m512) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_max_ps(a, b) }), |a, b| unsafe { _mm_max_ps(a, b) })
    }

    #[inline(always)]
    fn smallest(self, values: __m512) -> f32 {
        folded(joined(values, |a, b| unsafe { _mm256_min_ps(a, b) }), |a, b| unsafe { _mm_min_ps(a, b) })
    }

    #[inline(always)]
    fn sum_ints(self, values: __m512i) -> i32 {
        unsafe { _mm512_reduce_add_epi32(values) }
    }
}
