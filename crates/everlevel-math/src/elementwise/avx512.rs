//! The element-wise kernels for AVX-512.

use core::arch::x86_64::*;

use super::kernels::kernels;
use crate::Modulus;
use crate::lanes::avx512::{Consts, Wide, add, add_mul_shoup, canonical, canonical4, factor, mul_shoup, read, write};

/// Constants to multiply two variables.
///
/// For canonical x and y, `b` the bit length of q, and `h = ⌊⌊x·y/2^(b−1)⌋·⌊2^(b+51)/q⌋/2^52⌋`: each of the three
/// roundings costs less than `1`, `1/8` and `1`, so `x·y − h·q` is in `[0, 3q)`, and in `[0, 4q)` for a sum of two
/// products.
#[derive(Clone, Copy)]
struct Product {
    c: Consts,
    /// `52 − b`.
    shift: __m512i,
    /// `⌊2^(b+51)/q⌋`.
    quotient: __m512i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(m: &Modulus) -> Self {
        let q = m.q();
        let bits = u64::BITS - q.leading_zeros();
        Self {
            c: Consts::new(q),
            shift: _mm512_set1_epi64(i64::from(52 - bits)),
            quotient: _mm512_set1_epi64(((1u128 << (bits + 51)) / u128::from(q)) as i64),
        }
    }

    /// `Σ x_i·y_i` for one or two terms, below `4q`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn sum<const TERMS: usize>(&self, terms: [(__m512i, __m512i); TERMS]) -> __m512i {
        const { assert!(TERMS <= 2) };
        let mut high = _mm512_setzero_si512();
        let mut low = _mm512_setzero_si512();
        for (x, y) in terms {
            high = _mm512_madd52hi_epu64(high, _mm512_add_epi64(x, x), _mm512_sllv_epi64(y, self.shift));
            low = _mm512_madd52lo_epu64(low, x, y);
        }
        let h = _mm512_madd52hi_epu64(_mm512_setzero_si512(), high, self.quotient);
        _mm512_madd52lo_epu64(low, h, self.c.neg_q)
    }

    /// `x·y mod q`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn mul(&self, x: __m512i, y: __m512i) -> __m512i {
        canonical4(&self.c, self.sum([(x, y)]))
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sub(c: &Consts, x: __m512i, y: __m512i) -> __m512i {
    let d = _mm512_sub_epi64(x, y);
    _mm512_min_epu64(d, _mm512_add_epi64(d, c.q))
}

kernels! {
    8, "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi";
    add_assign(m, a, b;) = |x, y| { let c = Consts::new(m.q()); } add(&c, x, y);
    sub_assign(m, a, b;) = |x, y| { let c = Consts::new(m.q()); } sub(&c, x, y);
    neg_assign(m, a;) = |x| { let c = Consts::new(m.q()); } sub(&c, _mm512_setzero_si512(), x);
    add_scalar_assign(m, a; w: u64) = |x| { let (c, w) = (Consts::new(m.q()), _mm512_set1_epi64(w as i64)); } add(&c, x, w);
    mul_assign(m, a, b;) = |x, y| { let p = Product::new(m); } p.mul(x, y);
    mul_add_assign(m, a, b, b2;) = |x, y, z| { let p = Product::new(m); } add(&p.c, x, p.mul(y, z));
    mul_scalar_assign(m, a; w: u64) = |x| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        canonical(&c, mul_shoup(&c, x, w));
    mul_scalar_add_assign(m, a, b; w: u64) = |x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        canonical4(&c, add_mul_shoup(&c, x, y, w));
    mul_scalar_into(m, a, b; w: u64) = |_x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        canonical(&c, mul_shoup(&c, y, w));
    mul_scalars_add_assign(m, a, b; v: u64, w: u64) = |x, y| {
        let (c, v, w) = (Consts::new(m.q()), factor(m, v), factor(m, w));
    } canonical4(&c, add_mul_shoup(&c, mul_shoup(&c, x, v), y, w));
    sub_mul_scalar_assign(m, a, b; w: u64) = |x, y| { let (c, w) = (Consts::new(m.q()), factor(m, w)); }
        canonical(&c, mul_shoup(&c, _mm512_sub_epi64(_mm512_add_epi64(x, c.q), y), w));
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn tensor_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) -> usize {
    let p = Product::new(m);
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<8>().0);
    let [a0, a1, b0, b1] = [a[0], a[1], b[0], b[1]].map(|x| &x.as_chunks::<8>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let (x0, x1, y0, y1) = (read(&a0[i]), read(&a1[i]), read(&b0[i]), read(&b1[i]));
        write(d0, p.mul(x0, y0));
        write(d1, canonical4(&p.c, p.sum([(x0, y1), (x1, y0)])));
        write(d2, p.mul(x1, y1));
    }
    8 * a0.len()
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn tensor_square_into(m: &Modulus, d: [&mut [u64]; 3], a: [&[u64]; 2]) -> usize {
    let p = Product::new(m);
    let [d0, d1, d2] = d.map(|d| d.as_chunks_mut::<8>().0);
    let [a0, a1] = a.map(|x| &x.as_chunks::<8>().0[..d0.len()]);
    let outputs = d0.iter_mut().zip(d1).zip(d2);
    for (i, ((d0, d1), d2)) in outputs.enumerate() {
        let (x0, x1) = (read(&a0[i]), read(&a1[i]));
        let product = p.mul(x0, x1);
        write(d0, p.mul(x0, x0));
        write(d1, add(&p.c, product, product));
        write(d2, p.mul(x1, x1));
    }
    8 * a0.len()
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn reduce_i64_into(m: &Modulus, out: &mut [u64], x: &[i64]) -> usize {
    let wide = Wide::new(m);
    let out = out.as_chunks_mut::<8>().0;
    let len = 8 * out.len();
    for (out, x) in out.iter_mut().zip(x.as_chunks::<8>().0) {
        let x = read(bytemuck::cast_ref(x));
        let magnitude = _mm512_abs_epi64(x);
        let r = wide.reduce(_mm512_and_si512(magnitude, wide.c.mask), _mm512_srli_epi64::<52>(magnitude));
        let negative = _mm512_movepi64_mask(x);
        let r = _mm512_mask_sub_epi64(r, negative, _mm512_setzero_si512(), r);
        write(out, _mm512_min_epu64(r, _mm512_add_epi64(r, wide.c.q)));
    }
    len
}
