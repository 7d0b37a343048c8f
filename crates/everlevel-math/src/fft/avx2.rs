//! Four lanes: AVX2 and FMA.

use core::arch::x86_64::*;

use super::torus::{Extraction, Rounding};
use super::vector::Vector;

#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256d);

/// Runs an operation with the features on, so that what is inlined into it is compiled for them.
///
/// # Safety
/// The CPU has the features; the contract of the operation.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run(operation: impl super::Operation) {
    // SAFETY: the caller's contract.
    unsafe { operation.call::<Avx2>() }
}

/// The words of a lane's constant.
#[inline(always)]
unsafe fn words(x: u64) -> __m256i {
    // SAFETY: the contract of `Vector`; likewise in the rest of this file.
    unsafe { _mm256_set1_epi64x(x as i64) }
}

/// `((x >> shift) & mask) − centre`, words to doubles.
#[inline(always)]
unsafe fn digit(x: __m256i, e: &Extraction) -> Avx2 {
    // SAFETY: as above.
    unsafe {
        let field = _mm256_and_si256(_mm256_srlv_epi64(x, words(u64::from(e.shift))), words(e.mask));
        let bits = _mm256_or_si256(field, words(Extraction::EXPONENT));
        Avx2(_mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(e.centre)))
    }
}

impl Avx2 {
    /// `Rounding::reduce`.
    #[inline(always)]
    fn reduce(self, r: &Rounding) -> Self {
        // SAFETY: as above.
        unsafe {
            let magic = Self::splat(Rounding::MAGIC);
            let k = self.mul_add(Self::splat(r.inv_modulus), magic).sub(magic);
            k.neg_mul_add(Self::splat(r.modulus), self)
        }
    }
}

impl Vector for Avx2 {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_set1_pd(x) })
    }

    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_loadu_pd(p) })
    }

    #[inline(always)]
    unsafe fn load_f32(p: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_cvtps_pd(_mm_loadu_ps(p)) })
    }

    #[inline(always)]
    unsafe fn load_i32(p: *const i32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_cvtepi32_pd(_mm_loadu_si128(p.cast())) })
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_fmadd_pd(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_fnmadd_pd(self.0, a.0, b.0) })
    }

    #[inline(always)]
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8] {
        // SAFETY: as above.
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
        // SAFETY: as above.
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
    unsafe fn digit_u32(x: *const u32, e: &Extraction) -> Self {
        // SAFETY: as above.
        unsafe {
            let x = _mm_add_epi32(_mm_loadu_si128(x.cast()), _mm_set1_epi32(e.offset as i32));
            digit(_mm256_cvtepu32_epi64(x), e)
        }
    }

    #[inline(always)]
    unsafe fn digit_u64(x: *const u64, e: &Extraction) -> Self {
        // SAFETY: as above.
        unsafe { digit(_mm256_add_epi64(_mm256_loadu_si256(x.cast()), words(e.offset)), e) }
    }

    #[inline(always)]
    unsafe fn difference_digit_u32(x: *const u32, minus: *const u32, negate: bool, e: &Extraction) -> Self {
        // (x ^ sign) − sign is ±x; the offset takes the second sign.
        let sign = -i32::from(negate);
        // SAFETY: as above.
        unsafe {
            let x = _mm_xor_si128(_mm_loadu_si128(x.cast()), _mm_set1_epi32(sign));
            let x = _mm_sub_epi32(x, _mm_loadu_si128(minus.cast()));
            let x = _mm_add_epi32(x, _mm_set1_epi32((e.offset as i32).wrapping_sub(sign)));
            digit(_mm256_cvtepu32_epi64(x), e)
        }
    }

    #[inline(always)]
    unsafe fn difference_digit_u64(x: *const u64, minus: *const u64, negate: bool, e: &Extraction) -> Self {
        // As above.
        let sign = -i64::from(negate);
        // SAFETY: as above.
        unsafe {
            let x = _mm256_xor_si256(_mm256_loadu_si256(x.cast()), _mm256_set1_epi64x(sign));
            let x = _mm256_sub_epi64(x, _mm256_loadu_si256(minus.cast()));
            digit(_mm256_add_epi64(x, _mm256_set1_epi64x((e.offset as i64).wrapping_sub(sign))), e)
        }
    }

    #[inline(always)]
    unsafe fn add_to_u32(self, acc: *mut u32, r: &Rounding) {
        // SAFETY: as above.
        unsafe {
            let rounded = self.reduce(r).mul_add(Self::splat(r.inv_m), Self::splat(Rounding::MAGIC));
            let evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let x = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(rounded.0), evens));
            _mm_storeu_si128(acc.cast(), _mm_add_epi32(_mm_loadu_si128(acc.cast()), x));
        }
    }

    #[inline(always)]
    unsafe fn add_to_u64(self, acc: *mut u64, r: &Rounding) {
        // SAFETY: as above.
        unsafe {
            // `Rounding::to_integer_64`.
            let magic = Self::splat(Rounding::MAGIC);
            let y = self.reduce(r).mul(Self::splat(r.inv_m));
            let high = y.mul_add(Self::splat(1.0 / Rounding::TWO_32), magic);
            let low = high.sub(magic).neg_mul_add(Self::splat(Rounding::TWO_32), y).add(magic);
            let low = _mm256_sub_epi64(_mm256_castpd_si256(low.0), _mm256_castpd_si256(magic.0));
            let x = _mm256_add_epi64(_mm256_slli_epi64::<32>(_mm256_castpd_si256(high.0)), low);
            _mm256_storeu_si256(acc.cast(), _mm256_add_epi64(_mm256_loadu_si256(acc.cast()), x));
        }
    }
}
