//! Eight floats or four doubles: AVX2 and FMA.

use core::arch::x86_64::*;

use super::float::Consts;
use super::vector::{Vector, join_limbs, limbs};
use crate::x86::{arithmetic, functions};

/// A vector of eight floats.
#[derive(Clone, Copy)]
pub struct F32x8(__m256);

/// A vector of four doubles.
#[derive(Clone, Copy)]
pub struct F64x4(__m256d);

impl Vector for F32x8 {
    type Float = f32;
    type Double = F64x4;
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 22) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_ps(x as f32));
        load(p: *const f32) -> Self = Self(_mm256_loadu_ps(p));
        load_wide(p: *const f32) -> [F64x4; 2] = Self::load_key(p);
        load_key(p: *const f32) -> [F64x4; 2] =
            [F64x4(_mm256_cvtps_pd(_mm_loadu_ps(p))), F64x4(_mm256_cvtps_pd(_mm_loadu_ps(p.add(4))))];
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

    #[inline(always)]
    fn key(self) -> [F64x4; 2] {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            [F64x4(_mm256_cvtps_pd(low)), F64x4(_mm256_cvtps_pd(high))]
        }
    }

    #[inline(always)]
    fn residue(sums: [F64x4; 2], c: &Consts<F64x4>) -> [F64x4; 2] {
        [sums[0].reduce(c), sums[1].reduce(c)]
    }

    #[inline(always)]
    fn narrow(sums: [F64x4; 2], c: &Consts<F64x4>) -> Self {
        let [low, high] = Self::residue(sums, c);
        // SAFETY: as above.
        unsafe { Self(_mm256_set_m128(_mm256_cvtpd_ps(high.0), _mm256_cvtpd_ps(low.0))) }
    }
}

impl Vector for F64x4 {
    type Float = f64;
    type Double = Self;
    const LANES: usize = 4;
    const REGISTERS: usize = 16;
    const MAGIC: f64 = (3u64 << 51) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm256_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm256_loadu_pd(p));
        load_wide(p: *const f64) -> [Self; 2] = limbs(Self::load(p));
        load_key(p: *const f64) -> [Self; 2] = [Self::load(p); 2];
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

    #[inline(always)]
    fn key(self) -> [Self; 2] {
        [self; 2]
    }

    #[inline(always)]
    fn residue(sums: [Self; 2], c: &Consts<Self>) -> [Self; 2] {
        limbs(join_limbs(sums, c))
    }

    #[inline(always)]
    fn narrow(sums: [Self; 2], c: &Consts<Self>) -> Self {
        join_limbs(sums, c)
    }
}
