//! The transform in four lanes, for AVX2 and NEON: residues as doubles, in passes of up to three levels.
//!
//! Between passes the limb holds the bits of doubles. The first pass (forward) or the groups' kernel (inverse) reads
//! words, the last writer writes words. Blocks as in the AVX-512 transform; ranges in `docs/notes/ntt-ranges.md`.

use super::four_lanes_groups::all_groups;
use super::pairs::pairs;
use super::passes::{self, Pass, by_levels};
use crate::lanes::centred;
use crate::lanes::four::{
    Consts, Doubles, add_pd, broadcast, from_words, load, load_pd, mul, reduce, splat_pd, store, store_pd, sub_pd,
    to_words,
};

/// Smallest `log_n` of these kernels.
pub(super) const MIN_LOG_N: u32 = 4;

/// Doubles of table per group of eight values, one of them unused.
pub(super) const GROUP_WORDS: usize = 8;

/// The twiddles of one direction.
#[derive(Debug, Clone)]
struct Direction {
    /// The passes, in forward order for both directions.
    passes: Vec<Pass<f64>>,
    /// Eight for each group: `ψ^brv(k)`, unused, `ψ^brv(2k)`, `ψ^brv(2k+1)`, `ψ^brv(4k)`, … `ψ^brv(4k+3)`.
    groups: Vec<f64>,
}

/// The tables of one transform.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    log_n: u32,
    q: u64,
    forward: Direction,
    inverse: Direction,
}

/// The levels of each pass before the last three levels: threes after the remainder, for the sweeps over
/// the limb and for the blocks apart.
fn plan(log_n: u32) -> Vec<u32> {
    let threes =
        |levels: u32| (!levels.is_multiple_of(3)).then_some(levels % 3).into_iter().chain((0..levels / 3).map(|_| 3));
    let sweeps = passes::swept_levels(log_n);
    threes(sweeps).chain(threes(log_n - sweeps - 3)).collect()
}

impl Direction {
    /// `roots[i] = ψ^±brv(i)`.
    fn new(log_n: u32, q: u64, roots: &[u64]) -> Self {
        let passes = Pass::all(plan(log_n).into_iter().map(|levels| (levels, false)), log_n, roots, |w| centred(w, q));
        let groups = (1usize << (log_n - 3)..2 << (log_n - 3))
            .flat_map(|k| [k, k, 2 * k, 2 * k + 1, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3])
            .map(|i| centred(roots[i], q))
            .collect();
        Self { passes, groups }
    }
}

impl Tables {
    /// Tables from `roots[i] = ψ^brv(i)` and `inv_roots[i] = ψ^-brv(i)`.
    ///
    /// # Panics
    /// If `log_n` is outside `4..=17` or a table is shorter than `n`.
    pub(super) fn new(log_n: u32, q: u64, roots: &[u64], inv_roots: &[u64]) -> Self {
        assert!((MIN_LOG_N..=17).contains(&log_n));
        Self { log_n, q, forward: Direction::new(log_n, q, roots), inverse: Direction::new(log_n, q, inv_roots) }
    }

    /// Forward transform of the `n` words at `src` to `dst`.
    ///
    /// # Safety
    /// The CPU has the features; `src` is readable and `dst` writable for `n` words; they are equal or don't overlap.
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    pub(super) unsafe fn forward(&self, dst: *mut u64, src: *const u64) {
        let n = 1usize << self.log_n;
        let c = &Consts::new(self.q);
        let Direction { passes, groups } = &self.forward;
        passes::forward(
            n,
            passes,
            // SAFETY: the caller vouches for the features and `n` words at `src` and `dst`; `passes::forward` gives
            // ranges of the limb, of whole blocks, and only the pass at the top reads `src`, before anything else is
            // written.
            |pass, start, len| unsafe {
                let top = pass.is_top(n);
                forward_pass(c, pass, dst, if top { src } else { dst }, start, len, top);
            },
            // SAFETY: the caller vouches for the features and `n` words at `dst`, of which the range is a part; the
            // groups' records are from the range's first group on.
            |start, len| unsafe { all_groups::<false>(c, &groups[start / 8 * GROUP_WORDS..], dst.add(start), len) },
        );
    }

    /// Inverse transform of the `n` words at `src` to `dst`, with the last level's factors given: `c/n` and
    /// `ψ^(-n/2)·c/n`.
    ///
    /// # Safety
    /// The CPU has the features; `src` is readable and `dst` writable for `n` words; they are equal or don't overlap.
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    pub(super) unsafe fn inverse(&self, dst: *mut u64, src: *const u64, scale: u64, scaled_root: u64) {
        let n = 1usize << self.log_n;
        let c = &Consts::new(self.q);
        let Direction { passes, groups } = &self.inverse;
        let top = [scale, scaled_root].map(|w| centred(w, self.q));
        passes::inverse(
            n,
            passes,
            // SAFETY: the caller vouches for the features and `n` words at `dst`; `passes::inverse` gives ranges of the
            // limb, of whole blocks.
            |pass, start, len| unsafe { inverse_pass(c, pass, dst, start, len, pass.is_top(n).then_some(&top)) },
            // SAFETY: the caller vouches for the features and `n` words at `src` and `dst`, of which the range is a
            // part; the groups' records are from the range's first group on.
            |start, len| unsafe {
                passes::take_block(dst, src, start, len);
                all_groups::<true>(c, &groups[start / 8 * GROUP_WORDS..], dst.add(start), len);
            },
        );
    }
}

/// `(x + y·w, x − y·w)`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn cooley_tukey(c: &Consts, x: Doubles, y: Doubles, w: Doubles) -> (Doubles, Doubles) {
    let v = mul(c, y, w);
    (add_pd(x, v), sub_pd(x, v))
}

/// `(x + y, (x − y)·w)`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn gentleman_sande(c: &Consts, x: Doubles, y: Doubles, w: Doubles) -> (Doubles, Doubles) {
    (add_pd(x, y), mul(c, sub_pd(x, y), w))
}

/// Twiddle `t` of a block, in every lane.
///
/// # Safety
/// `table` is readable for `t + 1` doubles.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) unsafe fn twiddle(table: *const f64, t: usize) -> Doubles {
    // SAFETY: the caller vouches for `t + 1` readable doubles at `table`.
    unsafe { broadcast(table.add(t)) }
}

/// One forward pass over the `len` words from `start`; `first` if `src` holds words.
///
/// # Safety
/// As [`Tables::forward`], for the words `start .. start + len`, a whole number of the pass's blocks.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn forward_pass(
    c: &Consts,
    pass: &Pass<f64>,
    dst: *mut u64,
    src: *const u64,
    start: usize,
    len: usize,
    first: bool,
) {
    let (stride, table) = (pass.stride, pass.twiddles(start));
    // SAFETY: the caller vouches for the features and for the words from `start` on, whole blocks of the pass; the
    // table goes on with the twiddles of these blocks.
    unsafe {
        let (dst, src) = (dst.add(start), src.add(start));
        by_levels!(
            pass.levels, first, [3 => forward8, 2 => forward4, _ => forward2], (c, table, dst, src, stride, len)
        );
    }
}

/// One inverse pass over the `len` words from `start`; with `top`, the last one, whose results are scaled words.
///
/// # Safety
/// As [`forward_pass`].
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
unsafe fn inverse_pass(c: &Consts, pass: &Pass<f64>, a: *mut u64, start: usize, len: usize, top: Option<&[f64; 2]>) {
    let (stride, table) = (pass.stride, pass.twiddles(start));
    // SAFETY: the caller vouches for the features and for the words from `start` on, whole blocks of the pass; the
    // table goes on with the twiddles of these blocks.
    unsafe {
        let (a, factors) = (a.add(start), top.unwrap_or(&[0.0; 2]));
        by_levels!(
            pass.levels, top.is_some(), [3 => inverse8, 2 => inverse4, _ => inverse2], (c, table, a, stride, len, factors)
        );
    }
}

/// Vectors side by side in a forward pass, to have independent work in flight: more cost more in spills than they gain,
/// as two do in the inverse. A vector of NEON's is two registers.
const COLUMNS: usize = if cfg!(target_arch = "x86_64") { 2 } else { 1 };

macro_rules! forward_radix {
    ($name:ident, $radix:tt, [$($level:tt)*]) => {
        /// # Safety
        /// As [`forward_pass`], with `table` at the first block's twiddles.
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
        unsafe fn $name<const FIRST: bool>(
            c: &Consts,
            mut table: *const f64,
            dst: *mut u64,
            src: *const u64,
            stride: usize,
            len: usize,
        ) {
            let c = *c;
            for block in (0..len).step_by($radix * stride) {
                for j in (block..block + stride).step_by(4 * COLUMNS) {
                    // SAFETY: the caller vouches for `len` words, whole blocks of `$radix·stride`:
                    // `j + 4·u + i·stride + 4 ≤ len` for `i < radix`, as the stride is a multiple of `4·COLUMNS`;
                    // `table` is at this block's `$radix − 1` twiddles.
                    unsafe {
                        let mut v = [[splat_pd(0.0); COLUMNS]; $radix];
                        for i in 0..$radix {
                            for u in 0..COLUMNS {
                                let p = src.add(j + 4 * u + i * stride);
                                v[i][u] = if FIRST { from_words(&c, load(p)) } else { load_pd(p) };
                            }
                        }
                        macro_rules! b {
                            ($x:literal, $y:literal, $t:literal) => {
                                for u in 0..COLUMNS {
                                    (v[$x][u], v[$y][u]) = cooley_tukey(&c, v[$x][u], v[$y][u], twiddle(table, $t));
                                }
                            };
                        }
                        $(pairs!($radix, $level, b);)*
                        for i in 0..$radix {
                            for u in 0..COLUMNS {
                                store_pd(dst.add(j + 4 * u + i * stride), v[i][u]);
                            }
                        }
                    }
                }
                table = table.wrapping_add($radix - 1);
            }
        }
    };
}

forward_radix!(forward8, 8, [0 1 2]);
forward_radix!(forward4, 4, [0 1]);
forward_radix!(forward2, 2, [0]);

macro_rules! inverse_radix {
    // The levels but the last, then the results to reduce.
    ($name:ident, $radix:tt, [$($level:tt)*], [$($end:literal)*]) => {
        /// # Safety
        /// As [`inverse_pass`], with `table` at the first block's twiddles.
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
        unsafe fn $name<const TOP: bool>(
            c: &Consts,
            mut table: *const f64,
            a: *mut u64,
            stride: usize,
            len: usize,
            top: &[f64; 2],
        ) {
            let c = *c;
            for block in (0..len).step_by($radix * stride) {
                for j in (block..block + stride).step_by(4) {
                    // SAFETY: the caller vouches for `len` words, whole blocks of `$radix·stride`:
                    // `j + i·stride + 4 ≤ len` for `i < radix`, as the stride is a multiple of 8; `table` is at this
                    // block's `$radix − 1` twiddles, and `top` is two factors.
                    unsafe {
                        let mut v = [splat_pd(0.0); $radix];
                        for i in 0..$radix {
                            v[i] = load_pd(a.add(j + i * stride));
                        }
                        macro_rules! b {
                            ($x:literal, $y:literal, $t:literal) => {
                                (v[$x], v[$y]) = gentleman_sande(&c, v[$x], v[$y], twiddle(table, $t));
                            };
                        }
                        $(pairs!($radix, $level, b);)*
                        if TOP {
                            macro_rules! b {
                                ($x:literal, $y:literal, $t:literal) => {
                                    let sum = mul(&c, add_pd(v[$x], v[$y]), twiddle(top.as_ptr(), 0));
                                    let difference = mul(&c, sub_pd(v[$x], v[$y]), twiddle(top.as_ptr(), 1));
                                    store(a.add(j + $x * stride), to_words(&c, reduce(&c, sum)));
                                    store(a.add(j + $y * stride), to_words(&c, reduce(&c, difference)));
                                };
                            }
                            pairs!($radix, 0, b);
                        } else {
                            pairs!($radix, 0, b);
                            $(v[$end] = reduce(&c, v[$end]);)*
                            for i in 0..$radix {
                                store_pd(a.add(j + i * stride), v[i]);
                            }
                        }
                    }
                }
                table = table.wrapping_add($radix - 1);
            }
        }
    };
}

inverse_radix!(inverse8, 8, [2 1], [0 1]);
inverse_radix!(inverse4, 4, [1], [0]);
inverse_radix!(inverse2, 2, [], [0]);
