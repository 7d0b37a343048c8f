//! Eight floats or four doubles: AVX2 and FMA.

use core::arch::x86_64::*;

use super::vector::Vector;
use crate::x86::{arithmetic, functions};

/// A vector of eight floats.
#[derive(Clone, Copy)]
pub(crate) struct F32x8(__m256);

/// A vector of four doubles.
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

impl Vector for F32x8 {
    type Float = f32;
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 22) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_ps(x as f32));
        load(p: *const f32) -> Self = Self(_mm256_loadu_ps(p));
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
        // SAFETY: the contract of `Vector`; likewise in this file.
        unsafe { _mm256_storeu_ps(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: as above: the rows show that the CPU has the instructions.
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
    const LANES: usize = 4;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 51) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm256_loadu_pd(p));
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
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: as above.
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
