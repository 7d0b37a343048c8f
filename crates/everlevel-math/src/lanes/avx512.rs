//! Residues in eight lanes, on the 52-bit multiplier of IFMA: the arithmetic of the AVX-512 kernels.
//!
//! *Representation.* Inside a kernel a lane stands for its low 52 bits: `vpmadd52` reads no others, and sums and
//! differences of 64-bit lanes are right modulo `2^52`. Since every true value is kept below `2^52`, no mask is needed
//! until a value is compared or stored.

use core::arch::x86_64::*;

use super::memory;
use crate::Modulus;

/// The constants of one modulus, in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Consts {
    pub q: __m512i,
    /// `2q`.
    pub q2: __m512i,
    /// `4q`.
    pub q4: __m512i,
    /// `8q`.
    pub q8: __m512i,
    /// `2^52 − q`, so that adding `lo52(h·neg_q)` subtracts `h·q` modulo `2^52`.
    pub neg_q: __m512i,
    /// `⌊2^52/q⌋`.
    pub inv_q: __m512i,
    /// `2^52 − 1`.
    pub mask: __m512i,
}

/// A factor `w` and `⌊w·2^52/q⌋`.
pub(crate) type Factor = (__m512i, __m512i);

/// `⌊w·2^52/q⌋` for `w < q`.
pub(crate) fn shoup52(w: u64, q: u64) -> u64 {
    ((u128::from(w) << 52) / u128::from(q)) as u64
}

/// `w` in every lane, with its Shoup word.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn factor(m: &Modulus, w: u64) -> Factor {
    let w = m.reduce(w);
    (_mm512_set1_epi64(w as i64), _mm512_set1_epi64(shoup52(w, m.q()) as i64))
}

impl Consts {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn new(q: u64) -> Self {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        Self {
            q: all(q),
            q2: all(2 * q),
            q4: all(4 * q),
            q8: all(8 * q),
            neg_q: all((1 << 52) - q),
            inv_q: all((1 << 52) / q),
            mask: all((1 << 52) - 1),
        }
    }
}

/// `acc + x·w − ⌊x·w'/2^52⌋·q`: adds to `acc` a value of `[0, 2q)` congruent to `x·w`, for any `x < 2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn add_mul_shoup(c: &Consts, acc: __m512i, x: __m512i, (w, w_shoup): Factor) -> __m512i {
    let h = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, w_shoup);
    _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(acc, x, w), h, c.neg_q)
}

/// A value of `[0, 2q)` congruent to `x·w`, for any `x < 2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn mul_shoup(c: &Consts, x: __m512i, w: Factor) -> __m512i {
    add_mul_shoup(c, _mm512_setzero_si512(), x, w)
}

/// A value of `[0, 2q)` congruent to `x`, for any `x < 2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn reduce(c: &Consts, x: __m512i) -> __m512i {
    let h = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, c.inv_q);
    _mm512_madd52lo_epu64(x, h, c.neg_q)
}

/// The canonical value of an `x < 2q`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn canonical(c: &Consts, x: __m512i) -> __m512i {
    let x = _mm512_and_si512(x, c.mask);
    _mm512_min_epu64(x, _mm512_sub_epi64(x, c.q))
}

/// The canonical value of an `x < 4q`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn canonical4(c: &Consts, x: __m512i) -> __m512i {
    let x = _mm512_and_si512(x, c.mask);
    let x = _mm512_min_epu64(x, _mm512_sub_epi64(x, c.q2));
    _mm512_min_epu64(x, _mm512_sub_epi64(x, c.q))
}

/// `x + y mod q` of canonical values.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn add(c: &Consts, x: __m512i, y: __m512i) -> __m512i {
    let s = _mm512_add_epi64(x, y);
    _mm512_min_epu64(s, _mm512_sub_epi64(s, c.q))
}

/// Constants to reduce sums of products held as two accumulators.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub c: Consts,
    two_52: Factor,
}

impl Wide {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn new(m: &Modulus) -> Self {
        Self { c: Consts::new(m.q()), two_52: m.two_52().map(|word| _mm512_set1_epi64(word.cast_signed())).into() }
    }

    /// `low + high·2^52 mod q` for `low < 2^58`, `high < 2^51`: 64 products of values below `2^48`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn reduce(&self, low: __m512i, high: __m512i) -> __m512i {
        let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        canonical4(&self.c, add_mul_shoup(&self.c, reduce(&self.c, low), high, self.two_52))
    }
}

memory!(__m512i, 8, "avx512f", _mm512_loadu_si512, _mm512_storeu_si512);
