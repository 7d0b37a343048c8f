//! The element-wise kernels in four lanes, for AVX2 and NEON.

use super::kernels::kernels;
use crate::Modulus;
use crate::lanes::four::{
    Consts, Words, add, add_pd, and, factor, from_words, high_halves, is_negative, mul, negate_if, negate_words_if,
    read, reduce, splat, sub, sub_pd, to_words, write,
};

/// `x + y mod q`, on words.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn add_residues(q: Words, x: Words, y: Words) -> Words {
    lift(q, sub(add(x, y), q))
}

/// `x + q` for lanes with a negative `x`, `x` for the others.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn lift(q: Words, x: Words) -> Words {
    add(x, and(is_negative(x), q))
}

/// `x·y mod q`, on words.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn mul_words(c: &Consts, x: Words, y: Words) -> Words {
    to_words(c, mul(c, from_words(c, x), from_words(c, y)))
}

kernels! {
    4, "avx2,fma";
    add_assign(m, a, b;) = |x, y| { let q = splat(m.q()); } add_residues(q, x, y);
    sub_assign(m, a, b;) = |x, y| { let q = splat(m.q()); } lift(q, sub(x, y));
    neg_assign(m, a;) = |x| { let q = splat(m.q()); } lift(q, sub(splat(0), x));
    add_scalar_assign(m, a; w: u64) = |x| { let (q, w) = (splat(m.q()), splat(w)); } add_residues(q, x, w);
    mul_assign(m, a, b;) = |x, y| { let c = Consts::new(m.q()); } mul_words(&c, x, y);
    mul_add_assign(m, a, b, b2;) = |x, y, z| { let (c, q) = (Consts::new(m.q()), splat(m.q())); }
        add_residues(q, x, mul_words(&c, y, z));
    mul_scalar_assign(m, a; w: u64) = |x| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        to_words(&c, mul(&c, from_words(&c, x), w));
    mul_scalar_add_assign(m, a, b; w: u64) = |x, y| { let (c, q, w) = (Consts::new(m.q()), splat(m.q()), factor(m, w)); }
        add_residues(q, x, to_words(&c, mul(&c, from_words(&c, y), w)));
    mul_scalar_into(m, a, b; w: u64) = |_x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        to_words(&c, mul(&c, from_words(&c, y), w));
    mul_scalars_add_assign(m, a, b; v: u64, w: u64) = |x, y| {
        let (c, q, v, w) = (Consts::new(m.q()), splat(m.q()), factor(m, v), factor(m, w));
    } add_residues(q, to_words(&c, mul(&c, from_words(&c, x), v)), to_words(&c, mul(&c, from_words(&c, y), w)));
    sub_mul_scalar_assign(m, a, b; w: u64) = |x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        to_words(&c, mul(&c, sub_pd(from_words(&c, x), from_words(&c, y)), w));
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn tensor_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) -> usize {
    let c = &Consts::new(m.q());
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<4>().0);
    let [a0, a1, b0, b1] = [a[0], a[1], b[0], b[1]].map(|x| &x.as_chunks::<4>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let [x0, x1, y0, y1] = [a0, a1, b0, b1].map(|x| from_words(c, read(&x[i])));
        write(d0, to_words(c, mul(c, x0, y0)));
        write(d1, to_words(c, reduce(c, add_pd(mul(c, x0, y1), mul(c, x1, y0)))));
        write(d2, to_words(c, mul(c, x1, y1)));
    }
    4 * a0.len()
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn tensor_square_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2]) -> usize {
    let c = &Consts::new(m.q());
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<4>().0);
    let [a0, a1] = a.map(|x| &x.as_chunks::<4>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let [x0, x1] = [a0, a1].map(|x| from_words(c, read(&x[i])));
        let product = mul(c, x0, x1);
        write(d0, to_words(c, mul(c, x0, x0)));
        write(d1, to_words(c, reduce(c, add_pd(product, product))));
        write(d2, to_words(c, mul(c, x1, x1)));
    }
    4 * a0.len()
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn reduce_i64_into(m: &Modulus, out: &mut [u64], x: &[i64]) -> usize {
    let c = &Consts::new(m.q());
    let two_32 = factor(m, 1 << 32);
    let out = out.as_chunks_mut::<4>().0;
    let len = 4 * out.len();
    for (out, x) in out.iter_mut().zip(x.as_chunks::<4>().0) {
        let x = read(bytemuck::cast_ref(x));
        let negative = is_negative(x);
        let magnitude = negate_words_if(negative, x);
        let high = from_words(c, high_halves(magnitude));
        let low = from_words(c, and(magnitude, splat(u64::from(u32::MAX))));
        let r = reduce(c, add_pd(mul(c, high, two_32), reduce(c, low)));
        write(out, to_words(c, negate_if(negative, r)));
    }
    len
}
