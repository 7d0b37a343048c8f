//! Sums of products in four lanes, for AVX2 and NEON: each product is reduced to about `q/2`, and the sum every
//! [`TERMS`] terms.

use crate::lanes::four::{
    Consts, Doubles, add_pd, from_words, mirrored, mul, read, reduce, splat_pd, to_words, unpack4, write,
};
use crate::{Modulus, packed};

/// Terms between reductions of a sum: each is below `0.6·q`, and `32·q` would be too much.
pub(crate) const TERMS: usize = 16;

/// Vectors done together.
pub(crate) const TOGETHER: usize = 4;

/// Words done together.
pub(crate) const STEP: usize = 4 * TOGETHER;

/// Sums the terms `f(k)` for `k` in `0..terms`.
macro_rules! sum_terms {
    ($c:expr, $terms:expr, |$k:ident, $i:ident| $f:expr) => {{
        let mut acc = [splat_pd(0.0); TOGETHER];
        for $k in 0..$terms {
            for $i in 0..TOGETHER {
                acc[$i] = add_pd(acc[$i], $f);
            }
            if $k % $crate::inner_product::four_lanes::TERMS == $crate::inner_product::four_lanes::TERMS - 1 {
                for acc in &mut acc {
                    *acc = reduce($c, *acc);
                }
            }
        }
        acc
    }};
}
pub(crate) use sum_terms;

/// The sums as canonical words.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn finish(c: &Consts, out: &mut [u64], acc: [Doubles; TOGETHER]) {
    for (out, acc) in out.as_chunks_mut::<4>().0.iter_mut().zip(acc) {
        write(out, to_words(c, reduce(c, acc)));
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
    let c = &Consts::new(m.q());
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let at = block * STEP;
        let acc = sum_terms!(c, x.len(), |k, i| mul(c, vector(c, x[k], at, i), vector(c, y[k], at, i)));
        finish(c, out, acc);
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
    let c = &Consts::new(m.q());
    let mut len = 0;
    for (out, y) in out.into_iter().zip(y) {
        let n = out.len();
        let blocks = out.as_chunks_mut::<STEP>().0;
        len = blocks.len() * STEP;
        for (block, out) in blocks.iter_mut().enumerate() {
            let at = block * STEP;
            let acc = sum_terms!(c, x.len(), |k, i| mul(
                c,
                vector(c, x[k], at, i),
                packed_vector::<MIRRORED>(c, y[k], n, at, i)
            ));
            finish(c, out, acc);
        }
    }
    len
}
