//! The transform for AVX-512: passes of radix up to 16, held in registers.
//!
//! *Structure.* A pass does up to four levels on vectors that lie `stride ≥ 16` words apart; the last four levels work
//! on groups of sixteen contiguous values. For `n > 4096` one or two passes sweep the limb, then each block of 4096
//! values goes through all its remaining passes while it is in the first-level cache.
//!
//! *Tables.* Every pass reads its twiddles front to back. The last two levels, whose twiddles are most of a
//! transform's, use `ψ^brv(2k·m + t) = ψ^brv(2k·m)·ψ^brv(t)`: one factor per group and one constant vector, a third of
//! the table traffic for one more multiplication; and of these factors only the Shoup words are kept, half as much
//! again.
//!
//! *Ranges.* `docs/notes/ntt-ranges.md`; the constants in [`forward_plan`] and the comments at the reductions are its
//! steps.

use core::arch::x86_64::*;

use super::avx512_groups::{EIGHT_GROUPS_WORDS, all_groups, eight_groups};
use super::pairs::pairs;
use super::passes::{self, Pass, by_levels};
use crate::lanes::avx512::{Consts, Factor, add_mul_shoup, canonical, load, mul_shoup, reduce, shoup52, store};

/// Smallest `log_n` of these kernels.
pub(super) const MIN_LOG_N: u32 = 5;

/// A twiddle `w` and its Shoup word.
type Twiddle = [u64; 2];

/// The twiddles of one direction.
#[derive(Debug, Clone)]
struct Direction {
    /// The passes, in forward order for both directions.
    passes: Vec<Pass<Twiddle>>,
    /// [`EIGHT_GROUPS_WORDS`] for each eight groups of sixteen values.
    groups: Vec<u64>,
    /// `ψ^±brv(t)` for `t` in `0..8`, then their Shoup words.
    constants: [u64; 16],
}

/// The tables of one transform.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    log_n: u32,
    q: u64,
    forward: Direction,
    inverse: Direction,
}

/// The levels of each pass before the last four levels, largest stride first, with its reduction flag.
///
/// The sweeps over a limb above the block size are of radix at most 8: sixteen lines a large power of two apart don't
/// fit one set of the first-level cache (measured at N = 2^16: 41 µs with two radix-4 sweeps, 47 µs with one of radix
/// 16, and less loss on limbs that aren't aligned to 64 bytes).
fn forward_plan(log_n: u32) -> Vec<(u32, bool)> {
    let levels: &[u32] = match log_n {
        5 => &[1],
        6 => &[2],
        7 => &[3],
        8 => &[4],
        9 => &[2, 3],
        10 => &[2, 4],
        11 => &[3, 4],
        12 => &[4, 4],
        13 => &[1, 4, 4],
        14 => &[2, 4, 4],
        15 => &[3, 4, 4],
        16 => &[2, 2, 4, 4],
        _ => &[2, 3, 4, 4],
    };
    // Values enter below `bound·q` and gain 2q a level; 16q < 2^52 is the limit, also before a reduced last level.
    let mut bound = 1;
    let mut plan = Vec::new();
    for (i, &l) in levels.iter().enumerate() {
        let limit = if i + 1 == levels.len() { 16 } else { 10 };
        let reduce = bound + 2 * l > limit;
        debug_assert!(bound + 2 * (l - 1) <= 16);
        bound = if reduce { 4 } else { bound + 2 * l };
        plan.push((l, reduce));
    }
    plan
}

impl Direction {
    /// `roots[i] = ψ^±brv(i)`.
    fn new(log_n: u32, q: u64, roots: &[u64]) -> Self {
        let passes = Pass::all(forward_plan(log_n), log_n, roots, |w| [w, shoup52(w, q)]);
        let (first, end) = (1usize << (log_n - 4), 2usize << (log_n - 4));
        let eight = |k: usize| eight_groups(k, end, |i| shoup52(roots[i], q));
        let groups = (first..end).step_by(8).flat_map(eight).collect();
        let mut constants = [0; 16];
        for t in 0..8 {
            constants[t] = roots[t];
            constants[8 + t] = shoup52(roots[t], q);
        }
        Self { passes, groups, constants }
    }
}

impl Tables {
    /// Tables from `roots[i] = ψ^brv(i)` and `inv_roots[i] = ψ^-brv(i)`.
    ///
    /// # Panics
    /// If `log_n` is outside `5..=17` or a table is shorter than `n`.
    pub(super) fn new(log_n: u32, q: u64, roots: &[u64], inv_roots: &[u64]) -> Self {
        assert!((MIN_LOG_N..=17).contains(&log_n));
        Self { log_n, q, forward: Direction::new(log_n, q, roots), inverse: Direction::new(log_n, q, inv_roots) }
    }

    /// Forward transform of the `n` words at `src` to `dst`.
    ///
    /// # Safety
    /// The CPU has the features; `src` is readable and `dst` writable for `n` words; they are equal or don't overlap.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
    pub(super) unsafe fn forward(&self, dst: *mut u64, src: *const u64) {
        let n = 1usize << self.log_n;
        let c = &Consts::new(self.q);
        let Direction { passes, groups, constants } = &self.forward;
        passes::forward(
            n,
            passes,
            // SAFETY: the caller vouches for the features and for `n` words at `src` and `dst`; `passes::forward` gives
            // ranges of the limb, of whole blocks, and only the pass at the top reads `src`, before anything else is
            // written.
            |pass, start, len| unsafe {
                forward_pass(c, pass, dst, if pass.is_top(n) { src } else { dst }, start, len);
            },
            // SAFETY: the caller vouches for the features and for `n` words at `dst`, of which the range is a part; the
            // groups' words are from the range's first eight groups on.
            |start, len| unsafe {
                all_groups::<false>(c, constants, &groups[start / 128 * EIGHT_GROUPS_WORDS..], dst.add(start), len);
            },
        );
    }

    /// Inverse transform of the `n` words at `src` to `dst`, times `scale`.
    ///
    /// # Safety
    /// The CPU has the features; `src` is readable and `dst` writable for `n` words; they are equal or don't overlap.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
    pub(super) unsafe fn inverse(&self, dst: *mut u64, src: *const u64, scale: u64, scaled_root: u64) {
        let n = 1usize << self.log_n;
        let c = &Consts::new(self.q);
        let Direction { passes, groups, constants } = &self.inverse;
        let top = [scale, scaled_root].map(|w| [w, shoup52(w, self.q)]);
        passes::inverse(
            n,
            passes,
            // SAFETY: the caller vouches for the features and for `n` words at `dst`; `passes::inverse` gives ranges of
            // the limb, of whole blocks.
            |pass, start, len| unsafe { inverse_pass(c, pass, dst, start, len, pass.is_top(n).then_some(&top)) },
            // SAFETY: the caller vouches for the features and for `n` words at `src` and `dst`, of which the range is a
            // part; the groups' words are from the range's first eight groups on.
            |start, len| unsafe {
                passes::take_block(dst, src, start, len);
                all_groups::<true>(c, constants, &groups[start / 128 * EIGHT_GROUPS_WORDS..], dst.add(start), len);
            },
        );
    }
}

/// Twiddle `t` of a block.
///
/// # Safety
/// `table` is readable for `t + 1` twiddles.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn twiddle(table: *const Twiddle, t: usize) -> Factor {
    // SAFETY: the caller vouches for `t + 1` readable twiddles at `table`.
    let [w, shoup] = unsafe { *table.add(t) };
    (_mm512_set1_epi64(w as i64), _mm512_set1_epi64(shoup as i64))
}

/// `(x + y·w, x − y·w)`: a value gains at most `2q`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn cooley_tukey(c: &Consts, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
    let sum = add_mul_shoup(c, x, y, w);
    (sum, _mm512_sub_epi64(_mm512_add_epi64(_mm512_add_epi64(x, x), c.q2), sum))
}

/// `(x + y, (x − y)·w)` for `y ≤ bound`, a multiple of `q`; `x + bound` is below `2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn gentleman_sande(c: &Consts, x: __m512i, y: __m512i, w: Factor, bound: __m512i) -> (__m512i, __m512i) {
    let difference = _mm512_sub_epi64(_mm512_add_epi64(x, bound), y);
    (_mm512_add_epi64(x, y), mul_shoup(c, difference, w))
}

/// One forward pass over the `len` words from `start`.
///
/// # Safety
/// As [`Tables::forward`], for the words `start .. start + len`, a whole number of the pass's blocks.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn forward_pass(c: &Consts, pass: &Pass<Twiddle>, dst: *mut u64, src: *const u64, start: usize, len: usize) {
    let (stride, table) = (pass.stride, pass.twiddles(start));
    // SAFETY: the caller vouches for the features and for the words from `start` on, whole blocks of the pass; the
    // table goes on with the twiddles of these blocks.
    unsafe {
        let (dst, src) = (dst.add(start), src.add(start));
        by_levels!(
            pass.levels,
            pass.reduce,
            [4 => forward16, 3 => forward8, 2 => forward4, _ => forward2],
            (c, table, dst, src, stride, len)
        );
    }
}

/// One inverse pass over the `len` words from `start`; with `top`, the last one, whose results are scaled and
/// canonical.
///
/// # Safety
/// As [`forward_pass`].
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn inverse_pass(
    c: &Consts,
    pass: &Pass<Twiddle>,
    a: *mut u64,
    start: usize,
    len: usize,
    top: Option<&[Twiddle; 2]>,
) {
    let (stride, table) = (pass.stride, pass.twiddles(start));
    // SAFETY: the caller vouches for the features and for the words from `start` on, whole blocks of the pass; the
    // table goes on with the twiddles of these blocks.
    unsafe {
        let (a, factors) = (a.add(start), top.unwrap_or(&[[0; 2]; 2]));
        by_levels!(
            pass.levels,
            top.is_some(),
            [4 => inverse16, 3 => inverse8, 2 => inverse4, _ => inverse2],
            (c, table, a, stride, len, factors)
        );
    }
}

macro_rules! forward_radix {
    ($name:ident, $radix:tt, [$($level:tt)*], $last:tt) => {
        /// # Safety
        /// As [`forward_pass`], with `table` at the first block's twiddles.
        #[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
        unsafe fn $name<const REDUCE: bool>(
            c: &Consts,
            mut table: *const Twiddle,
            dst: *mut u64,
            src: *const u64,
            stride: usize,
            len: usize,
        ) {
            let c = *c;
            for block in (0..len).step_by($radix * stride) {
                for j in (block..block + stride).step_by(8) {
                    // SAFETY: the caller vouches for `len` words, whole blocks of `$radix·stride`:
                    // `j + i·stride + 8 ≤ len` for `i < radix`, as the stride is a multiple of 16; `table` is at this
                    // block's `$radix − 1` twiddles.
                    unsafe {
                        let mut v = [c.q; $radix];
                        for i in 0..$radix {
                            v[i] = load(src.add(j + i * stride));
                        }
                        macro_rules! b {
                            ($x:literal, $y:literal, $t:literal) => {
                                (v[$x], v[$y]) = cooley_tukey(&c, v[$x], v[$y], twiddle(table, $t));
                            };
                        }
                        $(pairs!($radix, $level, b);)*
                        if REDUCE {
                            for i in (0..$radix).step_by(2) {
                                v[i] = reduce(&c, v[i]);
                            }
                        }
                        pairs!($radix, $last, b);
                        for i in 0..$radix {
                            store(dst.add(j + i * stride), v[i]);
                        }
                    }
                }
                table = table.wrapping_add($radix - 1);
            }
        }
    };
}

forward_radix!(forward16, 16, [0 1 2], 3);
forward_radix!(forward8, 8, [0 1], 2);
forward_radix!(forward4, 4, [0], 1);
forward_radix!(forward2, 2, [], 0);

macro_rules! inverse_radix {
    // Each level with the bound of its operands and the indices to bring below 2q before it; then the last level; then
    // the results to bring below 2q.
    ($name:ident, $radix:tt, [$($level:tt $bound:ident [$($reduced:literal)*])*], $last_bound:ident, [$($mid:literal)*], [$($end:literal)*]) => {
        /// # Safety
        /// As [`inverse_pass`], with `table` at the first block's twiddles.
        #[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
        unsafe fn $name<const TOP: bool>(
            c: &Consts,
            mut table: *const Twiddle,
            a: *mut u64,
            stride: usize,
            len: usize,
            top: &[Twiddle; 2],
        ) {
            let c = *c;
            for block in (0..len).step_by($radix * stride) {
                for j in (block..block + stride).step_by(8) {
                    // SAFETY: the caller vouches for `len` words, whole blocks of `$radix·stride`:
                    // `j + i·stride + 8 ≤ len` for `i < radix`, as the stride is a multiple of 16; `table` is at this
                    // block's `$radix − 1` twiddles, and `top` is two factors.
                    unsafe {
                        let mut v = [c.q; $radix];
                        for i in 0..$radix {
                            v[i] = load(a.add(j + i * stride));
                        }
                        $(
                            $(v[$reduced] = reduce(&c, v[$reduced]);)*
                            macro_rules! b {
                                ($x:literal, $y:literal, $t:literal) => {
                                    (v[$x], v[$y]) = gentleman_sande(&c, v[$x], v[$y], twiddle(table, $t), c.$bound);
                                };
                            }
                            pairs!($radix, $level, b);
                        )*
                        $(v[$mid] = reduce(&c, v[$mid]);)*
                        if TOP {
                            macro_rules! b {
                                ($x:literal, $y:literal, $t:literal) => {
                                    let difference = _mm512_sub_epi64(_mm512_add_epi64(v[$x], c.$last_bound), v[$y]);
                                    let sum = _mm512_add_epi64(v[$x], v[$y]);
                                    v[$x] = canonical(&c, mul_shoup(&c, sum, twiddle(top.as_ptr(), 0)));
                                    v[$y] = canonical(&c, mul_shoup(&c, difference, twiddle(top.as_ptr(), 1)));
                                };
                            }
                            pairs!($radix, 0, b);
                        } else {
                            macro_rules! b {
                                ($x:literal, $y:literal, $t:literal) => {
                                    (v[$x], v[$y]) = gentleman_sande(&c, v[$x], v[$y], twiddle(table, $t), c.$last_bound);
                                };
                            }
                            pairs!($radix, 0, b);
                            $(v[$end] = reduce(&c, v[$end]);)*
                        }
                        for i in 0..$radix {
                            store(a.add(j + i * stride), v[i]);
                        }
                    }
                }
                table = table.wrapping_add($radix - 1);
            }
        }
    };
}

inverse_radix!(inverse16, 16, [3 q4 [] 2 q8 [] 1 q4 [0 4 8 12]], q8, [], [0 1 2 3]);
inverse_radix!(inverse8, 8, [2 q4 [] 1 q8 []], q4, [0 4], [1]);
inverse_radix!(inverse4, 4, [1 q4 []], q8, [], [0]);
inverse_radix!(inverse2, 2, [], q4, [], [0]);
