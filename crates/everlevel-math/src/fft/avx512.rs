//! Eight lanes: AVX-512 F and DQ.

use core::arch::x86_64::*;

use super::digits::Extraction;
use super::vector::Vector;
use crate::x86::{arithmetic, functions};

/// A vector of eight doubles.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);

/// A word in every lane.
#[inline(always)]
unsafe fn words(x: u64) -> __m512i {
    // SAFETY: callers have AVX-512 F: all of them are functions of `Vector`, whose callers vouch for it.
    unsafe { _mm512_set1_epi64(x as i64) }
}

/// The columns of eight rows.
#[inline(always)]
fn transpose(r: [Avx512; 8]) -> [Avx512; 8] {
    // SAFETY: the rows are proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
    unsafe {
        let mut columns = r;
        for odd in 0..2 {
            // Column pairs of two rows, in 128-bit lanes: columns odd, odd + 2, odd + 4, odd + 6.
            let pair = |i: usize| {
                if odd == 0 { _mm512_unpacklo_pd(r[i].0, r[i + 1].0) } else { _mm512_unpackhi_pd(r[i].0, r[i + 1].0) }
            };
            let (a, b, c, d) = (pair(0), pair(2), pair(4), pair(6));
            let (ab_even, ab_odd) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
            let (cd_even, cd_odd) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
            columns[odd] = Avx512(_mm512_shuffle_f64x2::<0x88>(ab_even, cd_even));
            columns[odd + 4] = Avx512(_mm512_shuffle_f64x2::<0xdd>(ab_even, cd_even));
            columns[odd + 2] = Avx512(_mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd));
            columns[odd + 6] = Avx512(_mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd));
        }
        columns
    }
}

impl Vector for Avx512 {
    const LANES: usize = 8;
    type Words = __m512i;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm512_loadu_pd(p));
        load_f32(p: *const f32) -> Self = Self(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
        load_i32(p: *const i32) -> Self = Self(_mm512_cvtepi32_pd(_mm256_loadu_si256(p.cast())));
        words_u32(p: *const u32) -> __m512i = _mm512_cvtepu32_epi64(_mm256_loadu_si256(p.cast()));
        words_u64(p: *const u64) -> __m512i = _mm512_loadu_si512(p.cast());
        difference(x: __m512i, minus: __m512i, sign: u64) -> __m512i =
            _mm512_sub_epi64(_mm512_xor_si512(x, words(sign)), minus);
    }

    arithmetic! {
        add(other) = _mm512_add_pd;
        sub(other) = _mm512_sub_pd;
        mul(other) = _mm512_mul_pd;
        mul_add(a, b) = _mm512_fmadd_pd;
        neg_mul_add(a, b) = _mm512_fnmadd_pd;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for eight writable doubles
        // at `p`; the store is unaligned.
        unsafe { _mm512_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8] {
        // SAFETY: the caller vouches for the instructions, and for eight rows of eight readable doubles, `stride`
        // apart.
        unsafe {
            let mut rows = [Self::splat(0.0); 8];
            for i in 0..8 {
                rows[i] = Self::load(p.add(i * stride));
            }
            transpose(rows)
        }
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Self; 8], p: *mut f64, stride: usize) {
        let rows = transpose(columns);
        for i in 0..8 {
            // SAFETY: the rows are proof of the instructions, and the caller vouches for eight rows of eight writable
            // doubles, `stride` apart.
            unsafe { rows[i].store(p.add(i * stride)) };
        }
    }

    #[inline(always)]
    unsafe fn digit(x: __m512i, e: &Extraction) -> Self {
        // SAFETY: the caller vouches for AVX-512 F, and only registers are touched.
        unsafe {
            let field = _mm512_srlv_epi64(_mm512_add_epi64(x, words(e.offset)), words(u64::from(e.shift)));
            // (field & mask) | quarter
            let bits = _mm512_ternarylogic_epi64::<0xea>(field, words(e.mask), words(Extraction::QUARTER));
            let rounded = _mm512_add_pd(_mm512_castsi512_pd(bits), _mm512_set1_pd(Extraction::ROUND));
            Self(_mm512_sub_pd(rounded, _mm512_set1_pd(e.centre)))
        }
    }

    #[inline(always)]
    unsafe fn add_low_halves(self, acc: *mut u32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for eight words of 32 bits
        // at `acc`, readable and writable; neither access is aligned.
        unsafe {
            let x = _mm512_cvtepi64_epi32(_mm512_castpd_si512(self.0));
            _mm256_storeu_si256(acc.cast(), _mm256_add_epi32(_mm256_loadu_si256(acc.cast()), x));
        }
    }

    #[inline(always)]
    unsafe fn add_nearest(self, acc: *mut u64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for eight words of 64 bits
        // at `acc`, readable and writable; neither access is aligned.
        unsafe {
            // 2^63 becomes −2^63, the same modulo 2^64.
            let x = _mm512_cvtpd_epi64(self.0);
            _mm512_storeu_si512(acc.cast(), _mm512_add_epi64(_mm512_loadu_si512(acc.cast()), x));
        }
    }
}
