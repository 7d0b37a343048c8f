//! Sums of products in four lanes, for AVX2 and NEON: exact, and reduced every [`TERMS`] terms.
//!
//! *Exact sums in two doubles.* A sum begins at `s = 3·2^(E−1)`, and a term is added by one fused operation: `s' =
//! fl(s + x·y)`. All of these are in `[2^E, 2^(E+1))`, so that `s' − s` is exact, a multiple of `2^(E−52)`; what the
//! operation rounded away, `x·y − (s' − s)`, is an integer of at most `2^(E−53)`, which another fused operation gives
//! exactly, and whose sum is exact below `2^53`. For `x < 2^48`, `y < q < 2^b` and sixteen terms, `E = 53 + b` does,
//! and that sum is below `2^(b+4)`. `docs/notes/ntt-ranges.md` has the bounds of the reduction.

use crate::lanes::four::{
    Consts, Doubles, add_pd, from_words, mirrored, mul_add_pd, mul_sub_pd, read, reduce, reduce_wide, splat, splat_pd,
    sub_pd, to_words, unpack4, write,
};
use crate::{Modulus, packed};

use super::prefetch_ahead;

/// Terms between reductions of a sum.
const TERMS: usize = 16;

/// Vectors done together.
pub(crate) const TOGETHER: usize = 4;

/// Words done together.
pub(crate) const STEP: usize = 4 * TOGETHER;

/// The constants of sums modulo a prime.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    pub(crate) c: Consts,
    /// `3·2^(E−1)`.
    start: Doubles,
}

impl Sums {
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    pub(crate) fn new(m: &Modulus) -> Self {
        let bits = u64::BITS - m.q().leading_zeros();
        Self { c: Consts::new(m.q()), start: splat_pd(1.5 * 2f64.powi(53 + bits.cast_signed())) }
    }

    /// The sum at each place `i` of the terms whose factors `factors(k, i)` gives, words below `2^48` and residues, of
    /// size at most `0.51·q`: each modulo its own prime.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    pub(crate) fn of(
        each: [&Self; TOGETHER],
        terms: usize,
        factors: impl Fn(usize, usize) -> (Doubles, Doubles),
    ) -> [Doubles; TOGETHER] {
        let mut low = [splat_pd(0.0); TOGETHER];
        for first in (0..terms).step_by(TERMS) {
            let mut high = each.map(|sums| sums.start);
            for k in first..terms.min(first + TERMS) {
                for i in 0..TOGETHER {
                    let (x, y) = factors(k, i);
                    let sum = mul_add_pd(x, y, high[i]);
                    low[i] = add_pd(low[i], mul_sub_pd(x, y, sub_pd(sum, high[i])));
                    high[i] = sum;
                }
            }
            for i in 0..TOGETHER {
                let Self { c, start } = each[i];
                low[i] = reduce(c, add_pd(reduce_wide(c, sub_pd(high[i], *start)), low[i]));
            }
        }
        low
    }

    /// The sums of [`Sums::of`] as canonical words.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    pub(crate) fn write(
        &self,
        out: &mut [u64; STEP],
        terms: usize,
        factors: impl Fn(usize, usize) -> (Doubles, Doubles),
    ) {
        let sums = Self::of([self; TOGETHER], terms, factors);
        for (out, sum) in out.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            write(out, to_words(&self.c, sum));
        }
    }
}

/// The four words from `at + 4·i`, as doubles.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn vector(c: &Consts, x: &[u64], at: usize, i: usize) -> Doubles {
    from_words(c, read(&x[at..at + STEP].as_chunks::<4>().0[i]))
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn inner_product_into(m: &Modulus, out: &mut [u64], x: &[&[u64]], y: &[&[u64]]) -> usize {
    let sums = Sums::new(m);
    let c = &sums.c;
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let at = block * STEP;
        sums.write(out, x.len(), |k, i| (vector(c, x[k], at, i), vector(c, y[k], at, i)));
    }
    len
}

/// The four residues from `at + 4·i` of a packed limb of `n`, as doubles; from its last residue on backwards, where it
/// is `MIRRORED`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn packed_vector<const MIRRORED: bool>(c: &Consts, y: &[u8], n: usize, at: usize, i: usize) -> Doubles {
    if MIRRORED {
        let block = packed::block(y, n - at - STEP, STEP);
        return from_words(c, mirrored(unpack4(&block[24 * (TOGETHER - 1 - i)..])));
    }
    from_words(c, unpack4(&y[6 * at + 24 * i..]))
}

/// `out_c = Σ_k x_k·y_{c,k}` for each of `OUTPUTS` columns of packed limbs, which are read from the last residue to the
/// first where they are `MIRRORED`.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn inner_products_packed_into<const OUTPUTS: usize, const MIRRORED: bool>(
    m: &Modulus,
    out: [&mut [u64]; OUTPUTS],
    x: &[&[u64]],
    y: [&[&[u8]]; OUTPUTS],
) -> usize {
    let sums = Sums::new(m);
    let c = &sums.c;
    let mut len = 0;
    for (out, y) in out.into_iter().zip(y) {
        let n = out.len();
        let blocks = out.as_chunks_mut::<STEP>().0;
        len = blocks.len() * STEP;
        for (block, out) in blocks.iter_mut().enumerate() {
            let at = block * STEP;
            for y in y {
                let first = if MIRRORED { n - at - STEP } else { at };
                prefetch_ahead::<MIRRORED>(packed::block(y, first, STEP), STEP);
            }
            sums.write(out, x.len(), |k, i| (vector(c, x[k], at, i), packed_vector::<MIRRORED>(c, y[k], n, at, i)));
        }
    }
    len
}

/// See [`Modulus::inner_product_pair_by_runs_into`], for runs of [`STEP`] words and more.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn inner_product_pair_by_runs_into(
    m: &Modulus,
    out: [&mut [u64]; 2],
    x: [&[&[u64]]; 2],
    y: &[&[u64]],
    log_run: u32,
) -> usize {
    if 1 << log_run < STEP {
        return 0;
    }
    let sums = Sums::new(m);
    let c = &sums.c;
    let mut len = 0;
    for (out, x) in out.into_iter().zip(x) {
        let blocks = out.as_chunks_mut::<STEP>().0;
        len = blocks.len() * STEP;
        for (block, out) in blocks.iter_mut().enumerate() {
            let at = block * STEP;
            let value = |k: usize| from_words(c, splat(y[k][at >> log_run]));
            sums.write(out, x.len(), |k, i| (vector(c, x[k], at, i), value(k)));
        }
    }
    len
}

/// See [`Modulus::inner_product_pair_by_packed_into`].
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn inner_product_pair_by_packed_into(
    m: &Modulus,
    out: [&mut [u64]; 2],
    x: [&[&[u64]]; 2],
    y: &[&[u8]],
) -> usize {
    let sums = Sums::new(m);
    let c = &sums.c;
    let [first, second] = out;
    let n = first.len();
    let each = first.as_chunks_mut::<STEP>().0.iter_mut().zip(second.as_chunks_mut::<STEP>().0);
    let mut len = 0;
    // Both sums of a step, so that its packed residues are in cache for the second.
    for outs in each {
        y.iter().for_each(|y| prefetch_ahead::<false>(packed::block(y, len, STEP), STEP));
        for (out, x) in [outs.0, outs.1].into_iter().zip(x) {
            sums.write(out, x.len(), |k, i| (vector(c, x[k], len, i), packed_vector::<false>(c, y[k], n, len, i)));
        }
        len += STEP;
    }
    len
}
