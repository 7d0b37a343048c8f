//! Sums, products and scalings of limbs, residue by residue: methods of [`Modulus`].
//!
//! A vector backend does a prefix of whole vectors and the portable loop the rest.

use crate::Modulus;
use crate::modulus::{factor, mul_factor};
use crate::simd::vector_prefix;

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four_lanes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernels;

impl Modulus {
    /// `a_i += b_i`.
    pub fn add_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self.simd(), add_assign(self, a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.add(*x, *y);
        }
    }

    /// `a_i −= b_i`.
    pub fn sub_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self.simd(), sub_assign(self, a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.sub(*x, *y);
        }
    }

    /// `a_i = −a_i`.
    pub fn neg_assign(&self, a: &mut [u64]) {
        let done = vector_prefix!(self.simd(), neg_assign(self, a));
        for x in &mut a[done..] {
            *x = self.neg(*x);
        }
    }

    /// `a_i += w`.
    pub fn add_scalar_assign(&self, a: &mut [u64], w: u64) {
        let done = vector_prefix!(self.simd(), add_scalar_assign(self, a, w));
        for x in &mut a[done..] {
            *x = self.add(*x, w);
        }
    }

    /// `a_i *= b_i`.
    pub fn mul_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self.simd(), mul_assign(self, a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.mul(*x, *y);
        }
    }

    /// `acc_i += a_i·b_i`.
    pub fn mul_add_assign(&self, acc: &mut [u64], a: &[u64], b: &[u64]) {
        assert_eq!(acc.len(), a.len());
        assert_eq!(acc.len(), b.len());
        let done = vector_prefix!(self.simd(), mul_add_assign(self, acc, a, b));
        for ((x, y), z) in acc[done..].iter_mut().zip(&a[done..]).zip(&b[done..]) {
            *x = self.add(*x, self.mul(*y, *z));
        }
    }

    /// `a_i *= w`.
    pub fn mul_scalar_assign(&self, a: &mut [u64], w: u64) {
        let done = vector_prefix!(self.simd(), mul_scalar_assign(self, a, w));
        let (w, q) = (factor(w, self.q()), self.q());
        for x in &mut a[done..] {
            *x = mul_factor(*x, w, q);
        }
    }

    /// `out_i = a_i·w`.
    pub fn mul_scalar_into(&self, out: &mut [u64], a: &[u64], w: u64) {
        assert_eq!(out.len(), a.len());
        let done = vector_prefix!(self.simd(), mul_scalar_into(self, out, a, w));
        let (w, q) = (factor(w, self.q()), self.q());
        for (x, y) in out[done..].iter_mut().zip(&a[done..]) {
            *x = mul_factor(*y, w, q);
        }
    }

    /// `a_i = a_i·v + b_i·w`.
    pub fn mul_scalars_add_assign(&self, a: &mut [u64], b: &[u64], [v, w]: [u64; 2]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self.simd(), mul_scalars_add_assign(self, a, b, v, w));
        let ([v, w], q) = ([v, w].map(|w| factor(w, self.q())), self.q());
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.add(mul_factor(*x, v, q), mul_factor(*y, w, q));
        }
    }

    /// `acc_i += a_i·w`.
    pub fn mul_scalar_add_assign(&self, acc: &mut [u64], a: &[u64], w: u64) {
        assert_eq!(acc.len(), a.len());
        let done = vector_prefix!(self.simd(), mul_scalar_add_assign(self, acc, a, w));
        let (w, q) = (factor(w, self.q()), self.q());
        for (x, y) in acc[done..].iter_mut().zip(&a[done..]) {
            *x = self.add(*x, mul_factor(*y, w, q));
        }
    }

    /// `a_i = (a_i − b_i)·w`: the last step of a division by part of the modulus.
    pub fn sub_mul_scalar_assign(&self, a: &mut [u64], b: &[u64], w: u64) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self.simd(), sub_mul_scalar_assign(self, a, b, w));
        let (w, q) = (factor(w, self.q()), self.q());
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = mul_factor(*x + q - *y, w, q);
        }
    }

    /// The tensor product of two linear polynomials in the secret:
    /// `(d0, d1, d2) = (a0·b0, a0·b1 + a1·b0, a1·b1)`.
    pub fn tensor_into(&self, d: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let [d0, d1, d2] = d;
        let n = d0.len();
        assert!([d1.len(), d2.len(), a[0].len(), a[1].len(), b[0].len(), b[1].len()].iter().all(|&l| l == n));
        let done = vector_prefix!(self.simd(), tensor_into(self, [&mut *d0, &mut *d1, &mut *d2], a, b));
        for i in done..n {
            d0[i] = self.mul(a[0][i], b[0][i]);
            d1[i] = self.add(self.mul(a[0][i], b[1][i]), self.mul(a[1][i], b[0][i]));
            d2[i] = self.mul(a[1][i], b[1][i]);
        }
    }

    /// [`Modulus::tensor_into`] of `a` with itself: `(a0^2, 2·a0·a1, a1^2)`.
    pub fn tensor_square_into(&self, d: [&mut [u64]; 3], a: [&[u64]; 2]) {
        let [d0, d1, d2] = d;
        let n = d0.len();
        assert!([d1.len(), d2.len(), a[0].len(), a[1].len()].iter().all(|&l| l == n));
        let done = vector_prefix!(self.simd(), tensor_square_into(self, [&mut *d0, &mut *d1, &mut *d2], a));
        for i in done..n {
            let product = self.mul(a[0][i], a[1][i]);
            d0[i] = self.mul(a[0][i], a[0][i]);
            d1[i] = self.add(product, product);
            d2[i] = self.mul(a[1][i], a[1][i]);
        }
    }

    /// `out_i = x_i mod q` for signed integers.
    pub fn reduce_i64_into(&self, out: &mut [u64], x: &[i64]) {
        assert_eq!(out.len(), x.len());
        let done = vector_prefix!(self.simd(), reduce_i64_into(self, out, x));
        for (o, x) in out[done..].iter_mut().zip(&x[done..]) {
            *o = self.reduce_i64(*x);
        }
    }
}
