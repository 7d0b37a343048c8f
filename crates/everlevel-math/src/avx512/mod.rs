//! AVX-512 kernels on the 52-bit multiplier of IFMA.
//!
//! *Representation.* Inside a kernel a lane stands for its low 52 bits: `vpmadd52` reads no others, and sums and
//! differences of 64-bit lanes are right modulo `2^52`. Since every true value is kept below `2^52`, no mask is needed
//! until a value is compared or stored.
//!
//! *Safety.* Every function here is compiled for the features of `Simd::Avx512Ifma`; a `Modulus` with that backend is
//! the proof that the CPU has them (`Simd` values are made only after detection).

use core::arch::x86_64::*;

mod elementwise;
pub(crate) mod galois;
mod inner_product;
pub(crate) mod ntt;
pub(crate) mod packed;
pub(crate) mod rns;

/// The kernels that [`crate::Modulus`] calls.
pub(crate) mod kernels {
    pub(crate) use super::elementwise::*;
    pub(crate) use super::inner_product::*;
}

mod ntt_groups;

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

/// Eight words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn read(a: &[u64; 8]) -> __m512i {
    // SAFETY: the array is 64 readable bytes.
    unsafe { load(a.as_ptr()) }
}

/// Eight words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn write(a: &mut [u64; 8], x: __m512i) {
    // SAFETY: the array is 64 writable bytes.
    unsafe { store(a.as_mut_ptr(), x) }
}

/// Eight words at `p`.
///
/// # Safety
/// `p` is readable for 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn load(p: *const u64) -> __m512i {
    // SAFETY: the caller's contract; the load has no alignment requirement.
    unsafe { _mm512_loadu_si512(p.cast()) }
}

/// Eight words to `p`.
///
/// # Safety
/// `p` is writable for 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn store(p: *mut u64, x: __m512i) {
    // SAFETY: the caller's contract; the store has no alignment requirement.
    unsafe { _mm512_storeu_si512(p.cast(), x) }
}
