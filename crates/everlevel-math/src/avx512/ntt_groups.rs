//! The four levels of smallest distance: groups of sixteen contiguous values.

use core::arch::x86_64::*;

use super::ntt::{GROUP_WORDS, cooley_tukey, gentleman_sande, twiddle};
use super::{Consts, Factor, canonical, load, mul_shoup, reduce, store};

/// The factors of one group: `ψ^brv(k)`, the pair `ψ^brv(2k), ψ^brv(2k+1)`, `ψ^brv(4k)` and `ψ^brv(8k)`.
///
/// # Safety
/// `record` is readable for [`GROUP_WORDS`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn group_factors(record: *const u64) -> [Factor; 4] {
    // SAFETY: the caller's contract.
    unsafe {
        let pair = |at: usize| _mm512_broadcast_i64x2(_mm_loadu_si128(record.add(at).cast()));
        [
            twiddle(record, 0),
            (pair(2), pair(4)),
            twiddle(record, 3),
            twiddle(record, 4),
        ]
    }
}

/// The constants of the last two levels: period 4, then all eight.
#[inline]
#[target_feature(enable = "avx512f")]
fn group_constants(constants: &[u64; 16]) -> [Factor; 2] {
    // SAFETY: both halves of the array are eight words, their first quarters four.
    unsafe {
        let p = constants.as_ptr();
        let four = |at: usize| _mm512_broadcast_i64x4(_mm256_loadu_si256(p.add(at).cast()));
        [(four(0), four(8)), (load(p), load(p.add(8)))]
    }
}

/// Groups done together, to have independent work in flight.
const TOGETHER: usize = 4;

/// The last four forward levels of `len` words, with canonical results.
///
/// A group is two vectors `x`, `y`; before each level, and at the end, a perfect shuffle of the two brings the operands of
/// every butterfly to the same lane, and leaves the lanes in the order of the twiddles.
///
/// # Safety
/// `a` is readable and writable for `len` words; `groups` holds their records.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) unsafe fn forward_groups(c: &Consts, constants: &[u64; 16], groups: &[u64], a: *mut u64, len: usize) {
    assert!(len.is_multiple_of(16) && groups.len() >= len / 16 * GROUP_WORDS);
    let record = groups.as_ptr();
    let together = len / (16 * TOGETHER) * TOGETHER;
    // SAFETY: the assertion covers the records; the groups lie within `len`.
    unsafe {
        for g in (0..together).step_by(TOGETHER) {
            forward_some_groups::<TOGETHER>(c, constants, record.add(g * GROUP_WORDS), a.add(16 * g));
        }
        for g in together..len / 16 {
            forward_some_groups::<1>(c, constants, record.add(g * GROUP_WORDS), a.add(16 * g));
        }
    }
}

/// # Safety
/// As [`forward_groups`], for `G` groups.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn forward_some_groups<const G: usize>(c: &Consts, constants: &[u64; 16], record: *const u64, a: *mut u64) {
    let low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    let high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    let [c4, c8] = group_constants(constants);
    let mut x = [c.q; G];
    let mut y = [c.q; G];
    // SAFETY: the caller's contract.
    unsafe {
        for g in 0..G {
            // Below 16q on entry, 2q here, 10q at the end.
            x[g] = reduce(c, load(a.add(16 * g)));
            y[g] = load(a.add(16 * g + 8));
        }
        for level in 0..4 {
            for g in 0..G {
                let factors = group_factors(record.add(g * GROUP_WORDS));
                let constant = [c4, c8];
                let multiplicand = if level >= 2 {
                    mul_shoup(c, y[g], factors[level])
                } else {
                    y[g]
                };
                let factor = if level >= 2 {
                    constant[level - 2]
                } else {
                    factors[level]
                };
                let (s, d) = cooley_tukey(c, x[g], multiplicand, factor);
                x[g] = _mm512_permutex2var_epi64(s, low, d);
                y[g] = _mm512_permutex2var_epi64(s, high, d);
            }
        }
        for g in 0..G {
            store(a.add(16 * g), canonical(c, reduce(c, x[g])));
            store(a.add(16 * g + 8), canonical(c, reduce(c, y[g])));
        }
    }
}

/// The first four inverse levels of `len` words, from canonical values to values below `2q`.
///
/// # Safety
/// As [`forward_groups`].
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) unsafe fn inverse_groups(c: &Consts, constants: &[u64; 16], groups: &[u64], a: *mut u64, len: usize) {
    assert!(len.is_multiple_of(16) && groups.len() >= len / 16 * GROUP_WORDS);
    let record = groups.as_ptr();
    let together = len / (16 * TOGETHER) * TOGETHER;
    // SAFETY: the assertion covers the records; the groups lie within `len`.
    unsafe {
        for g in (0..together).step_by(TOGETHER) {
            inverse_some_groups::<TOGETHER>(c, constants, record.add(g * GROUP_WORDS), a.add(16 * g));
        }
        for g in together..len / 16 {
            inverse_some_groups::<1>(c, constants, record.add(g * GROUP_WORDS), a.add(16 * g));
        }
    }
}

/// # Safety
/// As [`forward_groups`], for `G` groups.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn inverse_some_groups<const G: usize>(c: &Consts, constants: &[u64; 16], record: *const u64, a: *mut u64) {
    let even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    let [c4, c8] = group_constants(constants);
    let constant = [c4, c8];
    // The sums double from canonical values: each level's bound.
    let bounds = [c.q8, c.q4, c.q2, c.q];
    let mut x = [c.q; G];
    let mut y = [c.q; G];
    // SAFETY: the caller's contract.
    unsafe {
        for g in 0..G {
            x[g] = load(a.add(16 * g));
            y[g] = load(a.add(16 * g + 8));
        }
        for level in (0..4).rev() {
            for g in 0..G {
                let factors = group_factors(record.add(g * GROUP_WORDS));
                let u = _mm512_permutex2var_epi64(x[g], even, y[g]);
                let v = _mm512_permutex2var_epi64(x[g], odd, y[g]);
                let factor = if level >= 2 {
                    constant[level - 2]
                } else {
                    factors[level]
                };
                let (s, d) = gentleman_sande(c, u, v, factor, bounds[level]);
                x[g] = s;
                y[g] = if level >= 2 { mul_shoup(c, d, factors[level]) } else { d };
            }
        }
        for g in 0..G {
            store(a.add(16 * g), reduce(c, x[g]));
            store(a.add(16 * g + 8), y[g]);
        }
    }
}
