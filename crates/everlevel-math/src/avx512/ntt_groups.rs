//! The four levels of smallest distance: groups of sixteen contiguous values.

use core::arch::x86_64::*;

use super::ntt::{GROUP_WORDS, cooley_tukey, gentleman_sande, twiddle};
use super::{Consts, Factor, canonical, load, mul_shoup, reduce, store};

// A group's record: ψ^brv(k); the pair ψ^brv(2k), ψ^brv(2k+1); ψ^brv(4k); ψ^brv(8k).

/// A pair of factors in alternate lanes.
///
/// # Safety
/// `p` is readable for four words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn twiddle_pair(p: *const u64) -> Factor {
    // SAFETY: the caller's contract.
    unsafe {
        let pair = |p: *const u64| _mm512_broadcast_i64x2(_mm_loadu_si128(p.cast()));
        (pair(p), pair(p.add(2)))
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
const TOGETHER: usize = 8;

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
        // Written out level by level: the constants must stay in registers and the factors memory operands.
        macro_rules! level {
            ($y:ident, $record:ident, $multiplicand:expr, $factor:expr) => {
                for g in 0..G {
                    let ($y, $record) = (y[g], record.add(g * GROUP_WORDS));
                    let (s, d) = cooley_tukey(c, x[g], $multiplicand, $factor);
                    x[g] = _mm512_permutex2var_epi64(s, low, d);
                    y[g] = _mm512_permutex2var_epi64(s, high, d);
                }
            };
        }
        level!(y, r, y, twiddle(r, 0));
        level!(y, r, y, twiddle_pair(r.add(2)));
        level!(y, r, mul_shoup(c, y, twiddle(r, 3)), c4);
        level!(y, r, mul_shoup(c, y, twiddle(r, 4)), c8);
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
    let mut x = [c.q; G];
    let mut y = [c.q; G];
    // SAFETY: the caller's contract.
    unsafe {
        for g in 0..G {
            x[g] = load(a.add(16 * g));
            y[g] = load(a.add(16 * g + 8));
        }
        macro_rules! level {
            ($d:ident, $record:ident, $bound:expr, $factor:expr, $y:expr) => {
                for g in 0..G {
                    let $record = record.add(g * GROUP_WORDS);
                    let u = _mm512_permutex2var_epi64(x[g], even, y[g]);
                    let v = _mm512_permutex2var_epi64(x[g], odd, y[g]);
                    let (s, $d) = gentleman_sande(c, u, v, $factor, $bound);
                    (x[g], y[g]) = (s, $y);
                }
            };
        }
        // The sums double from canonical values.
        level!(d, r, c.q, c8, mul_shoup(c, d, twiddle(r, 4)));
        level!(d, r, c.q2, c4, mul_shoup(c, d, twiddle(r, 3)));
        level!(d, r, c.q4, twiddle_pair(r.add(2)), d);
        level!(d, r, c.q8, twiddle(r, 0), d);
        for g in 0..G {
            store(a.add(16 * g), reduce(c, x[g]));
            store(a.add(16 * g + 8), y[g]);
        }
    }
}
