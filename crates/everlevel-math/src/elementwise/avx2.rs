//! The element-wise kernels for AVX2.

use core::arch::x86_64::*;

use super::kernels::kernels;
use crate::Modulus;
use crate::lanes::avx2::{Consts, factor, from_words, mul, read, reduce, to_words, write};

/// `x + y mod q`, on words.
#[inline]
#[target_feature(enable = "avx2")]
fn add(q: __m256i, x: __m256i, y: __m256i) -> __m256i {
    lift(q, _mm256_sub_epi64(_mm256_add_epi64(x, y), q))
}

/// `x + q` for lanes with a negative `x`, `x` for the others.
#[inline]
#[target_feature(enable = "avx2")]
fn lift(q: __m256i, x: __m256i) -> __m256i {
    let negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
    _mm256_add_epi64(x, _mm256_and_si256(negative, q))
}

/// `x·y mod q`, on words.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_words(c: &Consts, x: __m256i, y: __m256i) -> __m256i {
    to_words(c, mul(c, from_words(c, x), from_words(c, y)))
}

/// A word in every lane.
#[inline]
#[target_feature(enable = "avx2")]
fn word(w: u64) -> __m256i {
    _mm256_set1_epi64x(w.cast_signed())
}

kernels! {
    4, "avx2,fma";
    add_assign(m, a, b;) = |x, y| { let q = word(m.q()); } add(q, x, y);
    sub_assign(m, a, b;) = |x, y| { let q = word(m.q()); } lift(q, _mm256_sub_epi64(x, y));
    neg_assign(m, a;) = |x| { let q = word(m.q()); } lift(q, _mm256_sub_epi64(_mm256_setzero_si256(), x));
    add_scalar_assign(m, a; w: u64) = |x| { let (q, w) = (word(m.q()), word(w)); } add(q, x, w);
    mul_assign(m, a, b;) = |x, y| { let c = Consts::new(m.q()); } mul_words(&c, x, y);
    mul_add_assign(m, a, b, b2;) = |x, y, z| { let (c, q) = (Consts::new(m.q()), word(m.q())); }
        add(q, x, mul_words(&c, y, z));
    mul_scalar_assign(m, a; w: u64) = |x| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        to_words(&c, mul(&c, from_words(&c, x), w));
    mul_scalar_add_assign(m, a, b; w: u64) = |x, y| { let (c, q, w) = (Consts::new(m.q()), word(m.q()), factor(m, w)); }
        add(q, x, to_words(&c, mul(&c, from_words(&c, y), w)));
    sub_mul_scalar_assign(m, a, b; w: u64) = |x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        to_words(&c, mul(&c, _mm256_sub_pd(from_words(&c, x), from_words(&c, y)), w));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn tensor_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) -> usize {
    let c = &Consts::new(m.q());
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<4>().0);
    let [a0, a1, b0, b1] = [a[0], a[1], b[0], b[1]].map(|x| &x.as_chunks::<4>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let [x0, x1, y0, y1] = [a0, a1, b0, b1].map(|x| from_words(c, read(&x[i])));
        write(d0, to_words(c, mul(c, x0, y0)));
        write(d1, to_words(c, reduce(c, _mm256_add_pd(mul(c, x0, y1), mul(c, x1, y0)))));
        write(d2, to_words(c, mul(c, x1, y1)));
    }
    4 * a0.len()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn tensor_square_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2]) -> usize {
    let c = &Consts::new(m.q());
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<4>().0);
    let [a0, a1] = a.map(|x| &x.as_chunks::<4>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let [x0, x1] = [a0, a1].map(|x| from_words(c, read(&x[i])));
        let product = mul(c, x0, x1);
        write(d0, to_words(c, mul(c, x0, x0)));
        write(d1, to_words(c, reduce(c, _mm256_add_pd(product, product))));
        write(d2, to_words(c, mul(c, x1, x1)));
    }
    4 * a0.len()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn reduce_i64_into(m: &Modulus, out: &mut [u64], x: &[i64]) -> usize {
    let c = &Consts::new(m.q());
    let two_32 = factor(m, 1 << 32);
    let out = out.as_chunks_mut::<4>().0;
    let len = 4 * out.len();
    for (out, x) in out.iter_mut().zip(x.as_chunks::<4>().0) {
        let x = read(bytemuck::cast_ref(x));
        let negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
        let magnitude = _mm256_sub_epi64(_mm256_xor_si256(x, negative), negative);
        let high = from_words(c, _mm256_srli_epi64::<32>(magnitude));
        let low = from_words(c, _mm256_and_si256(magnitude, word(u64::from(u32::MAX))));
        let r = reduce(c, _mm256_add_pd(mul(c, high, two_32), reduce(c, low)));
        let sign = _mm256_and_pd(_mm256_castsi256_pd(negative), _mm256_set1_pd(-0.0));
        write(out, to_words(c, _mm256_xor_pd(r, sign)));
    }
    len
}
