//! The four levels of smallest distance for AVX-512: groups of sixteen contiguous values.

use core::arch::x86_64::*;

use super::avx512::{cooley_tukey, gentleman_sande};
use crate::lanes::avx512::{Consts, Factor, canonical, load, mul_shoup, read, reduce, store, write};

/// Words of table for eight groups.
pub(super) const EIGHT_GROUPS_WORDS: usize = 40;

/// The table's words of eight groups from `k`: Shoup words of `ψ^brv(k)`, `ψ^brv(2k)`, `ψ^brv(2k + 1)`, `ψ^brv(4k)` and
/// `ψ^brv(8k)`, eight of each; zeros for groups from `end` on.
pub(super) fn eight_groups(k: usize, end: usize, shoup_of: impl Fn(usize) -> u64) -> [u64; EIGHT_GROUPS_WORDS] {
    let mut words = [0; EIGHT_GROUPS_WORDS];
    for (row, (times, plus)) in [(1, 0), (2, 0), (2, 1), (4, 0), (8, 0)].into_iter().enumerate() {
        for g in 0..(end - k).min(8) {
            words[8 * row + g] = shoup_of(times * (k + g) + plus);
        }
    }
    words
}

/// The twiddles of eight groups, ready to be broadcast.
///
/// The tables hold Shoup words alone: a factor is `⌊w'·q/2^52⌋ + 1`, since `w·2^52/q` is never an integer. Tables of
/// all primes don't stay in cache, and reading half as much is worth an operation a factor for eight groups.
#[repr(align(64))]
struct Twiddles([[u64; 8]; 10]);

impl Twiddles {
    const ZERO: Self = Self([[0; 8]; 10]);

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn fill(&mut self, c: &Consts, words: &[u64; EIGHT_GROUPS_WORDS]) {
        let one = _mm512_set1_epi64(1);
        let [w1, even, odd, w4, w8] = [0, 1, 2, 3, 4].map(|row| {
            let shoup = read(&words.as_chunks::<8>().0[row]);
            (_mm512_madd52hi_epu64(one, shoup, c.q), shoup)
        });
        let low = |(a, b)| _mm512_unpacklo_epi64(a, b);
        let high = |(a, b)| _mm512_unpackhi_epi64(a, b);
        let (w2, w2_shoup) = ((even.0, odd.0), (even.1, odd.1));
        let rows = [w1.0, w1.1, low(w2), high(w2), low(w2_shoup), high(w2_shoup), w4.0, w4.1, w8.0, w8.1];
        for (row, x) in self.0.iter_mut().zip(rows) {
            write(row, x);
        }
    }

    /// The factor in rows `row` and `row + 1` of group `g`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn factor(&self, row: usize, g: usize) -> Factor {
        (_mm512_set1_epi64(self.0[row][g] as i64), _mm512_set1_epi64(self.0[row + 1][g] as i64))
    }

    /// The pair of group `g`, in alternate lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn pair(&self, g: usize) -> Factor {
        let pair = |row: usize| {
            let words: &[u64] = &self.0[row][g & !1..][..2];
            // SAFETY: `words` is a slice of two words, and the load has no alignment requirement.
            _mm512_broadcast_i64x2(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
        };
        (pair(2 + (g & 1)), pair(4 + (g & 1)))
    }
}

/// The constants of the last two levels: period 4, then all eight.
#[inline]
#[target_feature(enable = "avx512f")]
fn group_constants(constants: &[u64; 16]) -> [Factor; 2] {
    // SAFETY: the array has sixteen words: the loads of four are at 0 and 8, those of eight as well.
    unsafe {
        let p = constants.as_ptr();
        let four = |at: usize| _mm512_broadcast_i64x4(_mm256_loadu_si256(p.add(at).cast()));
        [(four(0), four(8)), (load(p), load(p.add(8)))]
    }
}

/// The last four forward levels of `len` words, to canonical values; or the first four inverse ones, from canonical
/// values to values below `2q`.
///
/// A group is two vectors `x`, `y`; before each forward level, and at the end, a perfect shuffle of the two brings the
/// operands of every butterfly to the same lane, and leaves the lanes in the order of the twiddles. Inverse levels undo
/// it.
///
/// # Safety
/// `a` is readable and writable for `len` words; `groups` holds their words.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) unsafe fn all_groups<const INVERSE: bool>(
    c: &Consts,
    constants: &[u64; 16],
    groups: &[u64],
    a: *mut u64,
    len: usize,
) {
    let count = len / 16;
    let words = groups.as_chunks::<EIGHT_GROUPS_WORDS>().0;
    assert!(len.is_multiple_of(16) && words.len() >= count.div_ceil(8));
    // Each eight's twiddles are made beside the work on the eight before.
    let mut twiddles = [Twiddles::ZERO; 2];
    twiddles[0].fill(c, &words[0]);
    for eight in 0..count.div_ceil(8) {
        if let Some(words) = words.get(eight + 1) {
            twiddles[(eight + 1) % 2].fill(c, words);
        }
        let w = &twiddles[eight % 2];
        let whole = count >= 8 * (eight + 1);
        // SAFETY: the assertion gives `len` as whole groups of sixteen words: eight groups end at
        // `128·(eight + 1) ≤ len`, and fewer than eight, where there are no more, at `16·(g + 1) ≤ len`. The caller
        // vouches for `len` words at `a`.
        unsafe {
            match (INVERSE, whole) {
                (false, true) => forward::<8>(c, constants, w, 0, a.add(128 * eight)),
                (true, true) => inverse::<8>(c, constants, w, 0, a.add(128 * eight)),
                (false, false) => (0..count % 8).for_each(|g| forward::<1>(c, constants, w, g, a.add(16 * g))),
                (true, false) => (0..count % 8).for_each(|g| inverse::<1>(c, constants, w, g, a.add(16 * g))),
            }
        }
    }
}

/// # Safety
/// As [`all_groups`], for `G` groups, whose twiddles start at `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn forward<const G: usize>(c: &Consts, constants: &[u64; 16], w: &Twiddles, first: usize, a: *mut u64) {
    let low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    let high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    let [c4, c8] = group_constants(constants);
    let mut x = [c.q; G];
    let mut y = [c.q; G];
    // SAFETY: the caller vouches for `G` groups of sixteen words at `a`, readable and writable.
    unsafe {
        for g in 0..G {
            // Below 16q on entry, 2q here, 10q at the end.
            x[g] = reduce(c, load(a.add(16 * g)));
            y[g] = load(a.add(16 * g + 8));
        }
        // Written out level by level: the constants must stay in registers and the factors memory operands.
        macro_rules! level {
            ($y:ident, $g:ident, $multiplicand:expr, $factor:expr) => {
                for $g in 0..G {
                    let $y = y[$g];
                    let (s, d) = cooley_tukey(c, x[$g], $multiplicand, $factor);
                    x[$g] = _mm512_permutex2var_epi64(s, low, d);
                    y[$g] = _mm512_permutex2var_epi64(s, high, d);
                }
            };
        }
        level!(y, g, y, w.factor(0, first + g));
        level!(y, g, y, w.pair(first + g));
        level!(y, g, mul_shoup(c, y, w.factor(6, first + g)), c4);
        level!(y, g, mul_shoup(c, y, w.factor(8, first + g)), c8);
        for g in 0..G {
            store(a.add(16 * g), canonical(c, reduce(c, x[g])));
            store(a.add(16 * g + 8), canonical(c, reduce(c, y[g])));
        }
    }
}

/// # Safety
/// As [`all_groups`], for `G` groups, whose twiddles start at `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn inverse<const G: usize>(c: &Consts, constants: &[u64; 16], w: &Twiddles, first: usize, a: *mut u64) {
    let even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    let [c4, c8] = group_constants(constants);
    let mut x = [c.q; G];
    let mut y = [c.q; G];
    // SAFETY: the caller vouches for `G` groups of sixteen words at `a`, readable and writable.
    unsafe {
        for g in 0..G {
            x[g] = load(a.add(16 * g));
            y[g] = load(a.add(16 * g + 8));
        }
        macro_rules! level {
            ($d:ident, $g:ident, $bound:expr, $factor:expr, $y:expr) => {
                for $g in 0..G {
                    let u = _mm512_permutex2var_epi64(x[$g], even, y[$g]);
                    let v = _mm512_permutex2var_epi64(x[$g], odd, y[$g]);
                    let (s, $d) = gentleman_sande(c, u, v, $factor, $bound);
                    (x[$g], y[$g]) = (s, $y);
                }
            };
        }
        // The sums double from canonical values.
        level!(d, g, c.q, c8, mul_shoup(c, d, w.factor(8, first + g)));
        level!(d, g, c.q2, c4, mul_shoup(c, d, w.factor(6, first + g)));
        level!(d, g, c.q4, w.pair(first + g), d);
        level!(d, g, c.q8, w.factor(0, first + g), d);
        for g in 0..G {
            store(a.add(16 * g), reduce(c, x[g]));
            store(a.add(16 * g + 8), y[g]);
        }
    }
}
