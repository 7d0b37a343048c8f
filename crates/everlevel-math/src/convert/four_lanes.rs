//! Basis conversion in four lanes, for AVX2 and NEON.

use crate::Modulus;
use crate::inner_product::four_lanes::{STEP, Sums, TOGETHER, vector};
use crate::lanes::four::{Consts, add_pd, floor_pd, from_words, mul_pd, read, splat_pd, to_words, write};

/// Sources of a conversion at most, and the quotient.
const MOST_TERMS: usize = 61;

/// `out_i = trunc(1/2 + Σ_j y_j[i]·reciprocal_j)` on a prefix, whose length is returned: products and sums are rounded
/// one by one, in order.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn quotients(out: &mut [u64], y: &[&[u64]], reciprocal: &[f64]) -> usize {
    // The constants of conversion don't depend on the modulus.
    let c = &Consts::new(3);
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let mut sum = [splat_pd(0.5); TOGETHER];
        for (y, r) in y.iter().zip(reciprocal) {
            for i in 0..TOGETHER {
                let term = mul_pd(vector(c, y, block * STEP, i), splat_pd(*r));
                sum[i] = add_pd(sum[i], term);
            }
        }
        for (out, sum) in out.as_chunks_mut::<4>().0.iter_mut().zip(sum) {
            write(out, to_words(c, floor_pd(sum)));
        }
    }
    len
}

/// Targets of one pass over the sources.
pub(super) const TARGETS: usize = 2;

/// Residues of a step of [`weighted_sums`].
pub(super) const RESIDUES: usize = 4 * TOGETHER / TARGETS;

/// `out_t[i] = v[i]·w_(t,k) + Σ_{j<k} y_j[i]·w_(t,j) mod m_t` for each target; lengths are multiples of [`RESIDUES`].
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn weighted_sums(
    m: &[Modulus; TARGETS],
    w: &[Vec<u64>; TARGETS],
    out: &mut [&mut [u64]; TARGETS],
    y: &[&[u64]],
    v: &[u64],
) {
    let sums = [Sums::new(&m[0]), Sums::new(&m[1])];
    // One vector modulo both, and then the next.
    let each = [&sums[0], &sums[1], &sums[0], &sums[1]];
    let sources = || y.iter().copied().chain([v]);
    let mut terms = [([0.0; TARGETS], v); MOST_TERMS];
    let count = w[0].len();
    for ((term, y), j) in terms.iter_mut().zip(sources()).zip(0..) {
        *term = ([w[0][j] as f64, w[1][j] as f64], y);
    }
    let terms = &terms[..count];
    for at in (0..v.len()).step_by(RESIDUES) {
        let all = Sums::of(each, count, |k, i| {
            let (w, y) = &terms[k];
            let x = read(&y[at..at + RESIDUES].as_chunks::<4>().0[i / TARGETS]);
            (from_words(&sums[0].c, x), splat_pd(w[i % TARGETS]))
        });
        for i in 0..TOGETHER {
            let out = &mut out[i % TARGETS][at..at + RESIDUES].as_chunks_mut::<4>().0[i / TARGETS];
            write(out, to_words(&each[i].c, all[i]));
        }
    }
}

/// `out_i = v[i]·w_k + Σ_{j<k} y_j[i]·w_j mod m` on a prefix, whose length is returned.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn weighted_sum(m: &Modulus, w: &[u64], out: &mut [u64], y: &[&[u64]], v: &[u64]) -> usize {
    let sums = Sums::new(m);
    let c = &sums.c;
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    let source = |k: usize| y.get(k).copied().unwrap_or(v);
    for (block, out) in blocks.iter_mut().enumerate() {
        sums.write(out, w.len(), |k, i| (vector(c, source(k), block * STEP, i), splat_pd(w[k] as f64)));
    }
    len
}
