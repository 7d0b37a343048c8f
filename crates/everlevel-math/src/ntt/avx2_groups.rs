//! The three levels of smallest distance for AVX2: groups of eight contiguous values in two vectors.

use core::arch::x86_64::*;

use super::avx2::{GROUP_WORDS, cooley_tukey, gentleman_sande, twiddle};
use crate::lanes::avx2::{Consts, from_words, load, load_pd, reduce, store, store_pd, to_words};

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
    // SAFETY: the caller vouches for `GROUP_WORDS = 8` readable doubles at `record`, of which twiddle 0, the pair from
    // 2 and the four from 4 on are loaded.
    unsafe {
        let pair = _mm256_castpd128_pd256(_mm_loadu_pd(record.add(2)));
        [twiddle(record, 0), _mm256_permute4x64_pd::<0b01_01_00_00>(pair), _mm256_loadu_pd(record.add(4))]
    }
}

/// Groups done together, to have independent work in flight.
const TOGETHER: usize = 8;

/// The last three forward levels of `len` words of doubles, with words as results; or the first three inverse ones, of
/// words, to doubles.
///
/// # Safety
/// `a` is readable and writable for `len` words; the CPU has the features.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn all_groups<const INVERSE: bool>(c: &Consts, groups: &[f64], a: *mut u64, len: usize) {
    assert!(len.is_multiple_of(8) && groups.len() >= len / 8 * GROUP_WORDS);
    let together = len / (8 * TOGETHER) * TOGETHER;
    // SAFETY: the assertion gives a record for each group of eight words; `g + TOGETHER ≤ len/8`, and the caller
    // vouches for `len` words at `a` and for the features.
    unsafe {
        for g in (0..together).step_by(TOGETHER) {
            some_groups::<INVERSE, TOGETHER>(c, groups.as_ptr().add(g * GROUP_WORDS), a.add(8 * g));
        }
        for g in together..len / 8 {
            some_groups::<INVERSE, 1>(c, groups.as_ptr().add(g * GROUP_WORDS), a.add(8 * g));
        }
    }
}

/// [`all_groups`] for `G` groups.
///
/// # Safety
/// As [`all_groups`].
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn some_groups<const INVERSE: bool, const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    // SAFETY: the caller vouches for `G` groups of eight words at `a`, `G` records, and the features.
    unsafe { if INVERSE { inverse::<G>(c, record, a) } else { forward::<G>(c, record, a) } }
}

/// # Safety
/// As [`all_groups`], for `G` groups.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn forward<const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    let mut v = [(c.q, c.q); G];
    // SAFETY: the caller vouches for `G` groups of eight words at `a`, readable and writable, for `G` records, and for
    // the features.
    unsafe {
        for g in 0..G {
            v[g] = (load_pd(a.add(8 * g)), load_pd(a.add(8 * g + 4)));
        }
        for g in 0..G {
            v[g] = halves(cooley_tukey(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[0]));
        }
        for g in 0..G {
            v[g] = alternate(cooley_tukey(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[1]));
        }
        for g in 0..G {
            v[g] = halves(alternate(cooley_tukey(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[2])));
        }
        for g in 0..G {
            store(a.add(8 * g), to_words(c, reduce(c, v[g].0)));
            store(a.add(8 * g + 4), to_words(c, reduce(c, v[g].1)));
        }
    }
}

/// # Safety
/// As [`all_groups`], for `G` groups.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn inverse<const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    let mut v = [(c.q, c.q); G];
    // SAFETY: the caller vouches for `G` groups of eight words at `a`, readable and writable, for `G` records, and for
    // the features.
    unsafe {
        for g in 0..G {
            let words = (load(a.add(8 * g)), load(a.add(8 * g + 4)));
            v[g] = alternate(halves((from_words(c, words.0), from_words(c, words.1))));
        }
        for g in 0..G {
            v[g] = alternate(gentleman_sande(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[2]));
        }
        for g in 0..G {
            v[g] = halves(gentleman_sande(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[1]));
        }
        for g in 0..G {
            let (x, y) = gentleman_sande(c, v[g].0, v[g].1, factors(record.add(g * GROUP_WORDS))[0]);
            store_pd(a.add(8 * g), reduce(c, x));
            store_pd(a.add(8 * g + 4), y);
        }
    }
}
