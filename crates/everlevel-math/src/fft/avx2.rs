//! Four lanes: AVX2 and FMA.

use core::arch::x86_64::*;

use super::digits::Extraction;
use super::rounding::Rounding;
use super::vector::Vector;
use crate::x86::{arithmetic, functions};

/// A vector of four doubles.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256d);

/// A word in every lane.
#[inline(always)]
unsafe fn words(x: u64) -> __m256i {
    // SAFETY: callers have AVX2: all of them are functions of `Vector`, whose callers vouch for it.
    unsafe { _mm256_set1_epi64x(x as i64) }
}

impl Vector for Avx2 {
    const LANES: usize = 4;
    type Words = __m256i;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm256_loadu_pd(p));
        load_f32(p: *const f32) -> Self = Self(_mm256_cvtps_pd(_mm_loadu_ps(p)));
        load_i32(p: *const i32) -> Self = Self(_mm256_cvtepi32_pd(_mm_loadu_si128(p.cast())));
        words_u32(p: *const u32) -> __m256i = _mm256_cvtepu32_epi64(_mm_loadu_si128(p.cast()));
        words_u64(p: *const u64) -> __m256i = _mm256_loadu_si256(p.cast());
        difference(x: __m256i, minus: __m256i, sign: u64) -> __m256i =
            _mm256_sub_epi64(_mm256_xor_si256(x, words(sign)), minus);
    }

    arithmetic! {
        add(other) = _mm256_add_pd;
        sub(other) = _mm256_sub_pd;
        mul(other) = _mm256_mul_pd;
        mul_add(a, b) = _mm256_fmadd_pd;
        neg_mul_add(a, b) = _mm256_fnmadd_pd;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for four writable doubles
        // at `p`; the store is unaligned.
        unsafe { _mm256_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8] {
        // SAFETY: the caller vouches for the instructions, and for four rows of eight readable doubles, `stride` apart:
        // loads are of two doubles of rows `r` and `r + 2` for `r` below 2, from an even column on.
        unsafe {
            let mut columns = [Self::splat(0.0); 8];
            for i in (0..8).step_by(2) {
                // Two columns of rows r and r + 2.
                let pair = |r: usize| {
                    let p = p.add(r * stride + i);
                    _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd(p.add(2 * stride)))
                };
                let (even, odd) = (pair(0), pair(1));
                columns[i] = Self(_mm256_unpacklo_pd(even, odd));
                columns[i + 1] = Self(_mm256_unpackhi_pd(even, odd));
            }
            columns
        }
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Self; 8], p: *mut f64, stride: usize) {
        // SAFETY: the columns are proof of the instructions, and the caller vouches for four rows of eight writable
        // doubles, `stride` apart: stores are of two doubles of rows `r` and `r + 2` for `r` below 2, from an even
        // column on.
        unsafe {
            for i in (0..8).step_by(2) {
                let (a, b) = (columns[i].0, columns[i + 1].0);
                for (r, pair) in [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)].into_iter().enumerate() {
                    let p = p.add(r * stride + i);
                    _mm_storeu_pd(p, _mm256_castpd256_pd128(pair));
                    _mm_storeu_pd(p.add(2 * stride), _mm256_extractf128_pd::<1>(pair));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn digit(x: __m256i, e: &Extraction) -> Self {
        // SAFETY: the caller vouches for AVX2, and only registers are touched.
        unsafe {
            let field = _mm256_srlv_epi64(_mm256_add_epi64(x, words(e.offset)), words(u64::from(e.shift)));
            let bits = _mm256_or_si256(_mm256_and_si256(field, words(e.mask)), words(Extraction::QUARTER));
            let rounded = _mm256_add_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(Extraction::ROUND));
            Self(_mm256_sub_pd(rounded, _mm256_set1_pd(e.centre)))
        }
    }

    #[inline(always)]
    unsafe fn add_low_halves(self, acc: *mut u32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for four words of 32 bits
        // at `acc`, readable and writable; neither access is aligned.
        unsafe {
            let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let x = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(self.0), evens));
            _mm_storeu_si128(acc.cast(), _mm_add_epi32(_mm_loadu_si128(acc.cast()), x));
        }
    }

    #[inline(always)]
    unsafe fn add_nearest(self, acc: *mut u64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for four words of 64 bits
        // at `acc`, readable and writable; neither access is aligned.
        unsafe {
            // `Rounding::nearest_64`.
            let magic = Self::splat(Rounding::MAGIC);
            let high = self.mul_add(Self::splat(1.0 / Rounding::TWO_32), magic);
            let low = high.sub(magic).neg_mul_add(Self::splat(Rounding::TWO_32), self).add(magic);
            let low = _mm256_sub_epi64(_mm256_castpd_si256(low.0), _mm256_castpd_si256(magic.0));
            let x = _mm256_add_epi64(_mm256_slli_epi64::<32>(_mm256_castpd_si256(high.0)), low);
            _mm256_storeu_si256(acc.cast(), _mm256_add_epi64(_mm256_loadu_si256(acc.cast()), x));
        }
    }
}
