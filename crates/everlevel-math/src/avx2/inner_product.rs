//! Sums of products and basis conversion: each product is reduced to about `q/2`, and the sum every [`TERMS`] terms.

use core::arch::x86_64::*;

use super::elementwise::factor;
use super::{Consts, from_words, mul, read, reduce, to_words, write};
use crate::Modulus;

/// Terms between reductions of a sum: each is below `0.6·q`, and `32·q` would be too much.
const TERMS: usize = 16;

/// Vectors done together.
const TOGETHER: usize = 4;

/// Words done together.
const STEP: usize = 4 * TOGETHER;

/// Sums the terms `f(k)` for `k` in `0..terms`.
macro_rules! sum_terms {
    ($c:expr, $terms:expr, |$k:ident, $i:ident| $f:expr) => {{
        let mut acc = [_mm256_setzero_pd(); TOGETHER];
        for $k in 0..$terms {
            for $i in 0..TOGETHER {
                acc[$i] = _mm256_add_pd(acc[$i], $f);
            }
            if $k % TERMS == TERMS - 1 {
                for acc in &mut acc {
                    *acc = reduce($c, *acc);
                }
            }
        }
        acc
    }};
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn finish(c: &Consts, out: &mut [u64], acc: [__m256d; TOGETHER]) {
    for (out, acc) in out.as_chunks_mut::<4>().0.iter_mut().zip(acc) {
        write(out, to_words(c, reduce(c, acc)));
    }
}

/// The four words from `at + 4·i`, as doubles.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn vector(c: &Consts, x: &[u64], at: usize, i: usize) -> __m256d {
    from_words(c, read(&x[at..at + STEP].as_chunks::<4>().0[i]))
}

/// The four residues in the first 24 bytes of `packed`, as doubles.
///
/// # Panics
/// If `packed` has fewer than 28 bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn unpack4(c: &Consts, packed: &[u8]) -> __m256d {
    from_words(c, unpack4_words(packed))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn unpack4_words(packed: &[u8]) -> __m256i {
    let bytes = &packed[..28];
    let index = _mm256_set_epi8(
        -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0, -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0,
    );
    // SAFETY: the loads are of bytes 0..16 and 12..28 of the slice.
    let both = unsafe {
        let low = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), _mm_loadu_si128(bytes.as_ptr().add(12).cast()))
    };
    _mm256_shuffle_epi8(both, index)
}

/// Unpacks a prefix and returns its length.
#[target_feature(enable = "avx2,fma")]
pub(crate) fn unpack(out: &mut [u64], packed: &[u8]) -> usize {
    let out = out.as_chunks_mut::<4>().0;
    let len = 4 * out.len();
    for (i, out) in out.iter_mut().enumerate() {
        write(out, unpack4_words(&packed[24 * i..]));
    }
    len
}

#[target_feature(enable = "avx2,fma")]
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

/// `out_c = Σ_k x_k·y_{c,k}` for each of `OUTPUTS` columns of packed limbs.
#[target_feature(enable = "avx2,fma")]
pub(crate) fn inner_products_packed_into<const OUTPUTS: usize>(
    m: &Modulus,
    out: [&mut [u64]; OUTPUTS],
    x: &[&[u64]],
    y: [&[&[u8]]; OUTPUTS],
) -> usize {
    let c = &Consts::new(m.q());
    let mut len = 0;
    for (out, y) in out.into_iter().zip(y) {
        let blocks = out.as_chunks_mut::<STEP>().0;
        len = blocks.len() * STEP;
        for (block, out) in blocks.iter_mut().enumerate() {
            let at = block * STEP;
            let acc =
                sum_terms!(c, x.len(), |k, i| mul(c, vector(c, x[k], at, i), unpack4(c, &y[k][6 * at + 24 * i..])));
            finish(c, out, acc);
        }
    }
    len
}

/// `out_i = trunc(1/2 + Σ_j y_j[i]·reciprocal_j)` on a prefix, whose length is returned: products and sums are rounded
/// one by one, in order.
#[target_feature(enable = "avx2,fma")]
pub(crate) fn quotients(out: &mut [u64], y: &[&[u64]], reciprocal: &[f64]) -> usize {
    // The constants of conversion don't depend on the modulus.
    let c = &Consts::new(3);
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let mut sum = [_mm256_set1_pd(0.5); TOGETHER];
        for (y, r) in y.iter().zip(reciprocal) {
            for i in 0..TOGETHER {
                let term = _mm256_mul_pd(vector(c, y, block * STEP, i), _mm256_set1_pd(*r));
                sum[i] = _mm256_add_pd(sum[i], term);
            }
        }
        for (out, sum) in out.as_chunks_mut::<4>().0.iter_mut().zip(sum) {
            write(out, to_words(c, _mm256_floor_pd(sum)));
        }
    }
    len
}

/// `out_i = v[i]·w_k + Σ_{j<k} y_j[i]·w_j mod m` on a prefix, whose length is returned; `y` from `start` of the limbs.
#[target_feature(enable = "avx2,fma")]
pub(crate) fn weighted_sum(m: &Modulus, w: &[u64], out: &mut [u64], y: &[&[u64]], v: &[u64]) -> usize {
    let c = &Consts::new(m.q());
    let blocks = out.as_chunks_mut::<STEP>().0;
    let len = blocks.len() * STEP;
    for (block, out) in blocks.iter_mut().enumerate() {
        let at = block * STEP;
        let mut acc = sum_terms!(c, y.len(), |k, i| mul(c, vector(c, y[k], at, i), factor(m, w[k])));
        let last = factor(m, w[y.len()]);
        for i in 0..TOGETHER {
            acc[i] = _mm256_add_pd(acc[i], mul(c, vector(c, v, at, i), last));
        }
        finish(c, out, acc);
    }
    len
}
