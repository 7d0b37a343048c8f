//! The three levels of smallest distance in four lanes: groups of eight contiguous values in two vectors.

use super::four_lanes::{GROUP_WORDS, cooley_tukey, gentleman_sande, twiddle};
use crate::lanes::four::{
    Consts, Doubles, alternate, broadcast_pair, from_words, halves, load, load_pd, reduce, splat_pd, store, store_pd,
    to_words,
};

/// The factors of the three levels of a group.
///
/// # Safety
/// `record` is readable for [`GROUP_WORDS`].
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn factors(record: *const f64) -> [Doubles; 3] {
    // SAFETY: the caller vouches for `GROUP_WORDS = 8` readable doubles at `record`, of which twiddle 0, the pair from
    // 2 and the four from 4 on are loaded.
    unsafe { [twiddle(record, 0), broadcast_pair(record.add(2)), load_pd(record.add(4).cast())] }
}

/// Groups done together, to have independent work in flight. A group is two registers, or four of NEON's.
const TOGETHER: usize = if cfg!(target_arch = "x86_64") { 8 } else { 4 };

/// The last three forward levels of `len` words of doubles, with words as results; or the first three inverse ones, of
/// words, to doubles.
///
/// # Safety
/// `a` is readable and writable for `len` words; the CPU has the features.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn some_groups<const INVERSE: bool, const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    // SAFETY: the caller vouches for `G` groups of eight words at `a`, `G` records, and the features.
    unsafe { if INVERSE { inverse::<G>(c, record, a) } else { forward::<G>(c, record, a) } }
}

/// # Safety
/// As [`all_groups`], for `G` groups.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn forward<const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    let mut v = [(splat_pd(0.0), splat_pd(0.0)); G];
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn inverse<const G: usize>(c: &Consts, record: *const f64, a: *mut u64) {
    let mut v = [(splat_pd(0.0), splat_pd(0.0)); G];
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
