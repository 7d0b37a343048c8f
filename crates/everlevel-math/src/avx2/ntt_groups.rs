//! The three levels of smallest distance: groups of eight contiguous values in two vectors.

use core::arch::x86_64::*;

use super::ntt::{GROUP_WORDS, cooley_tukey, gentleman_sande, twiddle};
use super::{Consts, from_words, load, load_pd, reduce, store, store_pd, to_words};

/// Halves of `x` and `y`: low with low, high with high.
#[inline]
#[target_feature(enable = "avx2")]
fn halves((x, y): (__m256d, __m256d)) -> (__m256d, __m256d) {
    (_mm256_permute2f128_pd::<0x20>(x, y), _mm256_permute2f128_pd::<0x31>(x, y))
}

/// Even lanes of `x` and `y` in turn, then odd lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn alternate((x, y): (__m256d, __m256d)) -> (__m256d, __m256d) {
    (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y))
}

/// The factors of the three levels of a group.
///
/// # Safety
/// `record` is readable for [`GROUP_WORDS`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn factors(record: *const f64) -> [__m256d; 3] {
    // SAFETY: the caller's contract.
    unsafe {
        let pair = _mm256_castpd128_pd256(_mm_loadu_pd(record.add(2)));
        [twiddle(record, 0), _mm256_permute4x64_pd::<0b01_01_00_00>(pair), _mm256_loadu_pd(record.add(4))]
    }
}

/// The last three forward levels of `len` words of doubles, with words as results.
///
/// # Safety
/// `a` is readable and writable for `len` words; the CPU has the features.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn forward_groups(c: &Consts, groups: &[f64], a: *mut u64, len: usize) {
    assert!(len.is_multiple_of(8) && groups.len() >= len / 8 * GROUP_WORDS);
    let c = *c;
    for g in 0..len / 8 {
        // SAFETY: the assertion covers the records; the groups lie within `len`.
        unsafe {
            let [w1, w2, w4] = factors(groups.as_ptr().add(g * GROUP_WORDS));
            let p = a.add(8 * g);
            let (x, y) = halves(cooley_tukey(&c, load_pd(p), load_pd(p.add(4)), w1));
            let (x, y) = alternate(cooley_tukey(&c, x, y, w2));
            let (x, y) = halves(alternate(cooley_tukey(&c, x, y, w4)));
            store(p, to_words(&c, reduce(&c, x)));
            store(p.add(4), to_words(&c, reduce(&c, y)));
        }
    }
}

/// The first three inverse levels of `len` words, to doubles.
///
/// # Safety
/// As [`forward_groups`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn inverse_groups(c: &Consts, groups: &[f64], a: *mut u64, len: usize) {
    assert!(len.is_multiple_of(8) && groups.len() >= len / 8 * GROUP_WORDS);
    let c = *c;
    for g in 0..len / 8 {
        // SAFETY: as in the forward direction.
        unsafe {
            let [w1, w2, w4] = factors(groups.as_ptr().add(g * GROUP_WORDS));
            let p = a.add(8 * g);
            let (x, y) = alternate(halves((from_words(&c, load(p)), from_words(&c, load(p.add(4))))));
            let (x, y) = alternate(gentleman_sande(&c, x, y, w4));
            let (x, y) = halves(gentleman_sande(&c, x, y, w2));
            let (x, y) = gentleman_sande(&c, x, y, w1);
            store_pd(p, reduce(&c, x));
            store_pd(p.add(4), y);
        }
    }
}
