//! Sixteen floats or eight doubles: AVX-512 F and DQ.

use core::arch::x86_64::*;

use super::float::Consts;
use super::vector::{Vector, join_limbs, limbs};
use crate::x86::{arithmetic, functions};

/// A vector of sixteen floats.
#[derive(Clone, Copy)]
pub struct F32x16(__m512);

/// A vector of eight doubles.
#[derive(Clone, Copy)]
pub struct F64x8(__m512d);

/// The columns of four rows of four 128-bit parts.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the contract of `Vector`: the rows show that the CPU has the instructions; likewise in this file.
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
    type Double = F64x8;
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    const MAGIC: f64 = (3u64 << 22) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_ps(x as f32));
        load(p: *const f32) -> Self = Self(_mm512_loadu_ps(p));
        load_wide(p: *const f32) -> [F64x8; 2] = Self::load_key(p);
        load_key(p: *const f32) -> [F64x8; 2] =
            [F64x8(_mm512_cvtps_pd(_mm256_loadu_ps(p))), F64x8(_mm512_cvtps_pd(_mm256_loadu_ps(p.add(8))))];
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
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: as above.
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

    #[inline(always)]
    fn key(self) -> [F64x8; 2] {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0));
            [F64x8(_mm512_cvtps_pd(low)), F64x8(_mm512_cvtps_pd(high))]
        }
    }

    #[inline(always)]
    fn residue(sums: [F64x8; 2], c: &Consts<F64x8>) -> [F64x8; 2] {
        [sums[0].reduce(c), sums[1].reduce(c)]
    }

    #[inline(always)]
    fn narrow(sums: [F64x8; 2], c: &Consts<F64x8>) -> Self {
        let [low, high] = Self::residue(sums, c);
        // SAFETY: as above.
        unsafe {
            let low = _mm512_castps256_ps512(_mm512_cvtpd_ps(low.0));
            Self(_mm512_insertf32x8::<1>(low, _mm512_cvtpd_ps(high.0)))
        }
    }
}

impl Vector for F64x8 {
    type Float = f64;
    type Double = Self;
    const LANES: usize = 8;
    const REGISTERS: usize = 32;
    const MAGIC: f64 = (3u64 << 51) as f64;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_pd(x));
        load(p: *const f64) -> Self = Self(_mm512_loadu_pd(p));
        load_wide(p: *const f64) -> [Self; 2] = limbs(Self::load(p));
        load_key(p: *const f64) -> [Self; 2] = [Self::load(p); 2];
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
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: as above.
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
