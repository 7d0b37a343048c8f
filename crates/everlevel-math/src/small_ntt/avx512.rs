//! Sixteen floats or eight doubles: AVX-512 F and DQ.

use core::arch::x86_64::*;

use super::integers::{self, I32x16};
use super::vector::{Vector, plain_factors};
use crate::x86::{arithmetic, functions};

/// A vector of sixteen floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F32x16(__m512);

/// A vector of eight doubles.
#[derive(Clone, Copy)]
pub(crate) struct F64x8(__m512d);

/// The columns of four rows of four 128-bit parts.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: vectors are made only by functions whose callers vouch for AVX-512 F and DQ (see `Vector`), and these
    // rows are of such vectors; only registers are touched.
    unsafe {
        let (ab_even, ab_odd) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
        let (cd_even, cd_odd) = (_mm512_shuffle_f32x4::<0x88>(c, d), _mm512_shuffle_f32x4::<0xdd>(c, d));
        [
            _mm512_shuffle_f32x4::<0x88>(ab_even, cd_even),
            _mm512_shuffle_f32x4::<0x88>(ab_odd, cd_odd),
            _mm512_shuffle_f32x4::<0xdd>(ab_even, cd_even),
            _mm512_shuffle_f32x4::<0xdd>(ab_odd, cd_odd),
        ]
    }
}

impl Vector for F32x16 {
    type Float = f32;
    type Inner = I32x16;
    plain_factors!();
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    const MAGIC: f64 = (3u64 << 22) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_ps(x as f32));
        load(p: *const f32) -> Self = Self(_mm512_loadu_ps(p));
        load_key(p: *const u8) -> Self = Self(_mm512_cvtepi32_ps(integers::key(p)));
        load_inner(p: *const f32) -> Self = Self(_mm512_cvtepi32_ps(_mm512_loadu_si512(p.cast())));
    }

    arithmetic! {
        add(other) = _mm512_add_ps;
        sub(other) = _mm512_sub_ps;
        mul(other) = _mm512_mul_ps;
        mul_add(a, b) = _mm512_fmadd_ps;
        mul_sub(a, b) = _mm512_fmsub_ps;
        neg_mul_add(a, b) = _mm512_fnmadd_ps;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for sixteen writable
        // floats at `p`; the store is unaligned.
        unsafe { _mm512_storeu_ps(p, self.0) }
    }

    #[inline(always)]
    unsafe fn store_inner(self, p: *mut f32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for sixteen writable
        // floats at `p`, which take as many integers; the store is unaligned.
        unsafe { _mm512_storeu_si512(p.cast(), _mm512_cvtps_epi32(self.0)) }
    }

    /// Added as integers: their sum need not be exact as a float.
    #[inline(always)]
    unsafe fn store_both(self, other: Self, sum: *mut f32, difference: *mut f32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for sixteen writable
        // floats at either pointer, which take as many integers; stores are unaligned.
        unsafe {
            let (x, y) = (_mm512_cvtps_epi32(self.0), _mm512_cvtps_epi32(other.0));
            _mm512_storeu_si512(sum.cast(), _mm512_add_epi32(x, y));
            _mm512_storeu_si512(difference.cast(), _mm512_sub_epi32(x, y));
        }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: the rows are proof that the CPU has AVX-512 F and DQ (see `Vector`), and only registers are touched.
        unsafe {
            // Column 4L + c of rows 4i … 4i + 3 in part L of vector 4i + c.
            for i in (0..Self::LANES).step_by(4) {
                let [a, b, c, d] = [rows[i].0, rows[i + 1].0, rows[i + 2].0, rows[i + 3].0];
                let (low, high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
                let (low_2, high_2) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
                rows[i].0 = _mm512_shuffle_ps::<0x44>(low, low_2);
                rows[i + 1].0 = _mm512_shuffle_ps::<0xee>(low, low_2);
                rows[i + 2].0 = _mm512_shuffle_ps::<0x44>(high, high_2);
                rows[i + 3].0 = _mm512_shuffle_ps::<0xee>(high, high_2);
            }
            for c in 0..4 {
                let out = transpose_quarters([rows[c].0, rows[4 + c].0, rows[8 + c].0, rows[12 + c].0]);
                for i in 0..4 {
                    rows[4 * i + c].0 = out[i];
                }
            }
        }
    }
}

impl Vector for F64x8 {
    type Float = f64;
    type Inner = Self;
    plain_factors!();
    const LANES: usize = 8;
    const REGISTERS: usize = 32;
    const MAGIC: f64 = (3u64 << 51) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm512_loadu_pd(p));
        load_key(p: *const u8) -> Self = Self(_mm512_cvtepi32_pd(_mm256_loadu_si256(p.cast())));
    }

    arithmetic! {
        add(other) = _mm512_add_pd;
        sub(other) = _mm512_sub_pd;
        mul(other) = _mm512_mul_pd;
        mul_add(a, b) = _mm512_fmadd_pd;
        mul_sub(a, b) = _mm512_fmsub_pd;
        neg_mul_add(a, b) = _mm512_fnmadd_pd;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for eight writable doubles
        // at `p`; the store is unaligned.
        unsafe { _mm512_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: the rows are proof that the CPU has AVX-512 F and DQ (see `Vector`), and only registers are touched.
        unsafe {
            // Column 2L + c of rows 2i and 2i + 1 in part L of vector 2i + c.
            for i in (0..Self::LANES).step_by(2) {
                let (a, b) = (rows[i].0, rows[i + 1].0);
                rows[i].0 = _mm512_unpacklo_pd(a, b);
                rows[i + 1].0 = _mm512_unpackhi_pd(a, b);
            }
            for c in 0..2 {
                let part = |i: usize| _mm512_castpd_ps(rows[2 * i + c].0);
                let out = transpose_quarters([part(0), part(1), part(2), part(3)]);
                for i in 0..4 {
                    rows[2 * i + c].0 = _mm512_castps_pd(out[i]);
                }
            }
        }
    }
}
