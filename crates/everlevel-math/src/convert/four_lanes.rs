//! Basis conversion in four lanes, for AVX2 and NEON.

use crate::Modulus;
use crate::inner_product::four_lanes::{STEP, TOGETHER, finish, sum_terms, vector};
use crate::lanes::four::{Consts, add_pd, factor, floor_pd, mul, mul_pd, reduce, splat_pd, to_words, write};

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

/// `out_i = v[i]·w_k + Σ_{j<k} y_j[i]·w_j mod m` on a prefix, whose length is returned.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn weighted_sum(m: &Modulus, w: &[u64], out: &mut [u64], y: &[&[u64]], v: &[u64]) -> usize {
    let c = &Consts::new(m.q());
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let at = block * STEP;
        let mut acc = sum_terms!(c, y.len(), |k, i| mul(c, vector(c, y[k], at, i), factor(m, w[k])));
        let last = factor(m, w[y.len()]);
        for i in 0..TOGETHER {
            acc[i] = add_pd(acc[i], mul(c, vector(c, v, at, i), last));
        }
        finish(c, out, acc);
    }
    len
}
