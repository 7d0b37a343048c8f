//! Eight floats or four doubles: AVX2 and FMA.

use core::arch::x86_64::*;

use super::vector::{Vector, plain_factors};
use crate::x86::{arithmetic, functions};

/// A vector of eight floats.
#[derive(Clone, Copy)]
pub(crate) struct F32x8(__m256);

/// A vector of four doubles.
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

/// Eight integers of three bytes.
///
/// # Safety
/// The CPU has AVX2, and the 24 bytes are readable.
#[inline(always)]
unsafe fn key(p: *const u8) -> __m256i {
    // SAFETY: the caller vouches for AVX2 and for 24 readable bytes at `p`: the loads are of bytes 0 to 15 and 8 to 23.
    unsafe {
        let halves = _mm256_inserti128_si256::<1>(
            _mm256_castsi128_si256(_mm_loadu_si128(p.cast())),
            _mm_loadu_si128(p.add(8).cast()),
        );
        // Into the upper three bytes, then down with their sign; the second half begins at byte 12, its fourth.
        let places = _mm256_setr_epi8(
            -1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14,
            15,
        );
        _mm256_srai_epi32::<8>(_mm256_shuffle_epi8(halves, places))
    }
}

impl Vector for F32x8 {
    type Float = f32;
    type Inner = Self;
    plain_factors!();
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 22) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_ps(x as f32));
        load(p: *const f32) -> Self = Self(_mm256_loadu_ps(p));
        load_key(p: *const u8) -> Self = Self(_mm256_cvtepi32_ps(key(p)));
    }

    arithmetic! {
        add(other) = _mm256_add_ps;
        sub(other) = _mm256_sub_ps;
        mul(other) = _mm256_mul_ps;
        mul_add(a, b) = _mm256_fmadd_ps;
        mul_sub(a, b) = _mm256_fmsub_ps;
        neg_mul_add(a, b) = _mm256_fnmadd_ps;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for eight writable floats
        // at `p`; the store is unaligned.
        unsafe { _mm256_storeu_ps(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: the rows are proof that the CPU has AVX2 (see `Vector`), and only registers are touched.
        unsafe {
            // Column 4L + c of rows 4i … 4i + 3 in half L of vector 4i + c.
            for i in (0..Self::LANES).step_by(4) {
                let [a, b, c, d] = [rows[i].0, rows[i + 1].0, rows[i + 2].0, rows[i + 3].0];
                let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                let (low_2, high_2) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                rows[i].0 = _mm256_shuffle_ps::<0x44>(low, low_2);
                rows[i + 1].0 = _mm256_shuffle_ps::<0xee>(low, low_2);
                rows[i + 2].0 = _mm256_shuffle_ps::<0x44>(high, high_2);
                rows[i + 3].0 = _mm256_shuffle_ps::<0xee>(high, high_2);
            }
            for c in 0..4 {
                let (a, b) = (rows[c].0, rows[4 + c].0);
                rows[c].0 = _mm256_permute2f128_ps::<0x20>(a, b);
                rows[4 + c].0 = _mm256_permute2f128_ps::<0x31>(a, b);
            }
        }
    }
}

impl Vector for F64x4 {
    type Float = f64;
    type Inner = Self;
    plain_factors!();
    const LANES: usize = 4;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 51) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm256_loadu_pd(p));
        load_key(p: *const u8) -> Self = Self(_mm256_cvtepi32_pd(_mm_loadu_si128(p.cast())));
    }

    arithmetic! {
        add(other) = _mm256_add_pd;
        sub(other) = _mm256_sub_pd;
        mul(other) = _mm256_mul_pd;
        mul_add(a, b) = _mm256_fmadd_pd;
        mul_sub(a, b) = _mm256_fmsub_pd;
        neg_mul_add(a, b) = _mm256_fnmadd_pd;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for four writable doubles
        // at `p`; the store is unaligned.
        unsafe { _mm256_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: the rows are proof that the CPU has AVX2 (see `Vector`), and only registers are touched.
        unsafe {
            let [a, b, c, d] = [rows[0].0, rows[1].0, rows[2].0, rows[3].0];
            let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (low_2, high_2) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            rows[0].0 = _mm256_permute2f128_pd::<0x20>(low, low_2);
            rows[1].0 = _mm256_permute2f128_pd::<0x20>(high, high_2);
            rows[2].0 = _mm256_permute2f128_pd::<0x31>(low, low_2);
            rows[3].0 = _mm256_permute2f128_pd::<0x31>(high, high_2);
        }
    }
}
