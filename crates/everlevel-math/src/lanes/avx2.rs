//! Residues in four lanes, on the fused multiply-add of doubles: the arithmetic of the AVX2 kernels.
//!
//! *Representation.* Without a 64-bit multiplier, residues are held as integers in doubles, of either sign, exact below
//! `2^53`. For integers `x` and `|w| ≤ q/2`: `h = fl(x·w)` and `l = x·w − h` (one fused multiply-add, exact), `k` is
//! `h/q` rounded to an integer, and `h − k·q` is exact too. So `x·w ≡ (h − k·q) + l`: six operations.
//! `docs/notes/ntt-ranges.md` bounds the result.

use core::arch::x86_64::*;

use super::memory;
use crate::Modulus;

/// The constants of one modulus, in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Consts {
    pub q: __m256d,
    /// `fl(1/q)`.
    pub inv_q: __m256d,
    /// `2^52`, whose bits are the exponent of an integer held in the mantissa.
    pub two_52: __m256d,
    /// `3·2^51`: adding it rounds a double below `2^51` to an integer.
    pub magic: __m256d,
}

impl Consts {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(crate) fn new(q: u64) -> Self {
        Self {
            q: _mm256_set1_pd(q as f64),
            inv_q: _mm256_set1_pd(1.0 / q as f64),
            two_52: _mm256_set1_pd((1u64 << 52) as f64),
            magic: _mm256_set1_pd((3u64 << 51) as f64),
        }
    }
}

/// The representative of `w < q` nearest to zero.
pub(crate) fn centred(w: u64, q: u64) -> f64 {
    if w > q / 2 { -((q - w) as f64) } else { w as f64 }
}

/// `w` as a centred double.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn factor(m: &Modulus, w: u64) -> __m256d {
    _mm256_set1_pd(centred(m.reduce(w), m.q()))
}

/// `x·w mod q` up to a multiple of `q`: at most `(1/2 + B/32)·q` for `|x| ≤ B·q`, `B ≤ 16`, `|w| ≤ q/2`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn mul(c: &Consts, x: __m256d, w: __m256d) -> __m256d {
    let h = _mm256_mul_pd(x, w);
    let l = _mm256_fmsub_pd(x, w, h);
    let k = _mm256_sub_pd(_mm256_fmadd_pd(h, c.inv_q, c.magic), c.magic);
    _mm256_add_pd(_mm256_fnmadd_pd(k, c.q, h), l)
}

/// `x − q·round(x/q)`, of size at most `0.51·q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn reduce(c: &Consts, x: __m256d) -> __m256d {
    let k = _mm256_sub_pd(_mm256_fmadd_pd(x, c.inv_q, c.magic), c.magic);
    _mm256_fnmadd_pd(k, c.q, x)
}

/// Words below `2^52` as doubles.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn from_words(c: &Consts, x: __m256i) -> __m256d {
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(x), c.two_52), c.two_52)
}

/// The canonical word of an integer of size at most `q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn to_words(c: &Consts, x: __m256d) -> __m256i {
    let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd());
    let x = _mm256_add_pd(x, _mm256_and_pd(negative, c.q));
    _mm256_castpd_si256(_mm256_xor_pd(_mm256_add_pd(x, c.two_52), c.two_52))
}

memory!(__m256i, 4, "avx2", _mm256_loadu_si256, _mm256_storeu_si256);

/// Four doubles kept in the words at `p`.
///
/// # Safety
/// As [`load`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn load_pd(p: *const u64) -> __m256d {
    // SAFETY: the caller vouches for four readable words at `p`, of any bits; AVX2 is on in every function that may
    // call this one.
    unsafe { _mm256_castsi256_pd(load(p)) }
}

/// Keeps four doubles in the words at `p`.
///
/// # Safety
/// As [`store`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn store_pd(p: *mut u64, x: __m256d) {
    // SAFETY: the caller vouches for four writable words at `p`; AVX2 is on in every function that may call this one.
    unsafe { store(p, _mm256_castpd_si256(x)) }
}
