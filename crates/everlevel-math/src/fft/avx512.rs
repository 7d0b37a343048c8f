//! Eight lanes: AVX-512 F and DQ.

use core::arch::x86_64::*;

use super::torus::{Extraction, Rounding};
use super::vector::Vector;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);

/// Runs an operation with the features on, so that what is inlined into it is compiled for them.
///
/// # Safety
/// The CPU has the features; the contract of the operation.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) unsafe fn run(operation: impl super::Operation) {
    // SAFETY: the caller's contract.
    unsafe { operation.call::<Avx512>() }
}

/// The words of a lane's constant.
#[inline(always)]
unsafe fn words(x: u64) -> __m512i {
    // SAFETY: the contract of `Vector`; likewise in the rest of this file.
    unsafe { _mm512_set1_epi64(x as i64) }
}

/// `((x >> shift) & mask) − centre`, words to doubles.
#[inline(always)]
unsafe fn digit(x: __m512i, e: &Extraction) -> Avx512 {
    // SAFETY: as above.
    unsafe {
        let field = _mm512_srlv_epi64(x, words(u64::from(e.shift)));
        // (field & mask) | exponent
        let bits = _mm512_ternarylogic_epi64::<0xea>(field, words(e.mask), words(Extraction::EXPONENT));
        Avx512(_mm512_sub_pd(_mm512_castsi512_pd(bits), _mm512_set1_pd(e.centre)))
    }
}

/// The columns of eight rows.
#[inline(always)]
fn transpose(r: [Avx512; 8]) -> [Avx512; 8] {
    // SAFETY: as above.
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

impl Avx512 {
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

impl Vector for Avx512 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_loadu_pd(p) })
    }

    #[inline(always)]
    unsafe fn load_f32(p: *const f32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(p)) })
    }

    #[inline(always)]
    unsafe fn load_i32(p: *const i32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_cvtepi32_pd(_mm256_loadu_si256(p.cast())) })
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(p, self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_fmadd_pd(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_fnmadd_pd(self.0, a.0, b.0) })
    }

    #[inline(always)]
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8] {
        // SAFETY: as above.
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
            // SAFETY: as above.
            unsafe { rows[i].store(p.add(i * stride)) };
        }
    }

    #[inline(always)]
    unsafe fn digit_u32(x: *const u32, e: &Extraction) -> Self {
        // SAFETY: as above.
        unsafe {
            let x = _mm256_add_epi32(_mm256_loadu_si256(x.cast()), _mm256_set1_epi32(e.offset as i32));
            digit(_mm512_cvtepu32_epi64(x), e)
        }
    }

    #[inline(always)]
    unsafe fn digit_u64(x: *const u64, e: &Extraction) -> Self {
        // SAFETY: as above.
        unsafe { digit(_mm512_add_epi64(_mm512_loadu_si512(x.cast()), words(e.offset)), e) }
    }

    #[inline(always)]
    unsafe fn difference_digit_u32(x: *const u32, minus: *const u32, negate: bool, e: &Extraction) -> Self {
        // (x ^ sign) − sign is ±x; the offset takes the second sign.
        let sign = -i32::from(negate);
        // SAFETY: as above.
        unsafe {
            let x = _mm256_xor_si256(_mm256_loadu_si256(x.cast()), _mm256_set1_epi32(sign));
            let x = _mm256_sub_epi32(x, _mm256_loadu_si256(minus.cast()));
            let x = _mm256_add_epi32(x, _mm256_set1_epi32((e.offset as i32).wrapping_sub(sign)));
            digit(_mm512_cvtepu32_epi64(x), e)
        }
    }

    #[inline(always)]
    unsafe fn difference_digit_u64(x: *const u64, minus: *const u64, negate: bool, e: &Extraction) -> Self {
        // As above.
        let sign = -i64::from(negate);
        // SAFETY: as above.
        unsafe {
            let x = _mm512_xor_si512(_mm512_loadu_si512(x.cast()), _mm512_set1_epi64(sign));
            let x = _mm512_sub_epi64(x, _mm512_loadu_si512(minus.cast()));
            digit(_mm512_add_epi64(x, _mm512_set1_epi64((e.offset as i64).wrapping_sub(sign))), e)
        }
    }

    #[inline(always)]
    unsafe fn add_to_u32(self, acc: *mut u32, r: &Rounding) {
        // SAFETY: as above.
        unsafe {
            let rounded = self.reduce(r).mul_add(Self::splat(r.inv_m), Self::splat(Rounding::MAGIC));
            let x = _mm512_cvtepi64_epi32(_mm512_castpd_si512(rounded.0));
            _mm256_storeu_si256(acc.cast(), _mm256_add_epi32(_mm256_loadu_si256(acc.cast()), x));
        }
    }

    #[inline(always)]
    unsafe fn add_to_u64(self, acc: *mut u64, r: &Rounding) {
        // SAFETY: as above.
        unsafe {
            // 2^63 becomes −2^63, the same modulo 2^64.
            let x = _mm512_cvtpd_epi64(self.reduce(r).mul(Self::splat(r.inv_m)).0);
            _mm512_storeu_si512(acc.cast(), _mm512_add_epi64(_mm512_loadu_si512(acc.cast()), x));
        }
    }
}
