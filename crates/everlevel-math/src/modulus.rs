//! One prime modulus and the element-wise kernels over it.

use crate::simd::Level;
use crate::{Error, MAX_MODULUS_BITS, Simd, packed, primes};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512};

/// The kernel of the modulus's backend, where it has one: the length of the prefix that it did, or 0.
macro_rules! vector_prefix {
    ($m:expr, $kernel:ident($($arg:expr),*)) => {
        match $m.simd.0 {
            // SAFETY, twice: a `Simd` of this level is made only where the CPU has its features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::kernels::$kernel($m, $($arg),*) },
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => unsafe { avx512::kernels::$kernel($m, $($arg),*) },
            _ => 0,
        }
    };
}

/// A prime `q < 2^48` with its reduction constants and the backend that its kernels run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    q: u64,
    bits: u32,
    /// `⌊2^(2·bits) / q⌋`, at most `bits + 1` bits.
    barrett: u64,
    /// `2^52 mod q`.
    two_52: u64,
    simd: Simd,
}

impl Modulus {
    /// A modulus on the best backend of this CPU.
    ///
    /// # Errors
    /// [`Error::BadModulus`] unless `q` is an odd prime below `2^48`.
    pub fn new(q: u64) -> Result<Self, Error> {
        Self::with_simd(q, Simd::best())
    }

    /// A modulus on a chosen backend.
    ///
    /// # Errors
    /// As [`Modulus::new`].
    pub fn with_simd(q: u64, simd: Simd) -> Result<Self, Error> {
        if q < 3 || q >> MAX_MODULUS_BITS != 0 || !primes::is_prime(q) {
            return Err(Error::BadModulus { q });
        }
        let bits = u64::BITS - q.leading_zeros();
        let barrett = ((1u128 << (2 * bits)) / u128::from(q)) as u64;
        Ok(Self { q, bits, barrett, two_52: ((1u128 << 52) % u128::from(q)) as u64, simd })
    }

    /// The prime.
    pub fn q(&self) -> u64 {
        self.q
    }

    /// log2 of the prime.
    pub fn log2(&self) -> f64 {
        (self.q as f64).log2()
    }

    /// The backend.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// `a + b mod q`.
    #[inline]
    pub fn add(&self, a: u64, b: u64) -> u64 {
        let s = a + b;
        s.min(s.wrapping_sub(self.q))
    }

    /// `a − b mod q`.
    #[inline]
    pub fn sub(&self, a: u64, b: u64) -> u64 {
        let d = a.wrapping_sub(b);
        d.min(d.wrapping_add(self.q))
    }

    /// `−a mod q`.
    #[inline]
    pub fn neg(&self, a: u64) -> u64 {
        self.sub(0, a)
    }

    /// `a·b mod q` by Barrett reduction.
    #[inline]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        let x = u128::from(a) * u128::from(b);
        let estimate = ((x >> (self.bits - 1)) * u128::from(self.barrett)) >> (self.bits + 1);
        let mut r = (x as u64).wrapping_sub((estimate as u64).wrapping_mul(self.q));
        r = r.min(r.wrapping_sub(2 * self.q));
        r.min(r.wrapping_sub(self.q))
    }

    /// `x mod q` for any 64-bit integer.
    #[inline]
    pub fn reduce(&self, x: u64) -> u64 {
        if x < self.q { x } else { x % self.q }
    }

    /// `x mod q`, in `[0, q)`, for a signed integer.
    #[inline]
    pub fn reduce_i64(&self, x: i64) -> u64 {
        let r = self.reduce(x.unsigned_abs());
        if x < 0 { self.neg(r) } else { r }
    }

    /// `x mod q`, in `[0, q)`, for a signed 128-bit integer.
    pub fn reduce_i128(&self, x: i128) -> u64 {
        let r = (x.unsigned_abs() % u128::from(self.q)) as u64;
        if x < 0 { self.neg(r) } else { r }
    }

    /// `x mod q` for a sum of products below `2^112`.
    #[inline]
    pub fn reduce_wide(&self, x: u128) -> u64 {
        let high = self.reduce((x >> 52) as u64);
        let low = self.reduce(x as u64 & ((1 << 52) - 1));
        self.add(self.mul(high, self.two_52), low)
    }

    /// `a^e mod q`.
    pub fn pow(&self, mut a: u64, mut e: u64) -> u64 {
        let mut r = 1;
        while e > 0 {
            if e & 1 == 1 {
                r = self.mul(r, a);
            }
            a = self.mul(a, a);
            e >>= 1;
        }
        r
    }

    /// `a^-1 mod q` for `a ≢ 0`.
    pub fn inv(&self, a: u64) -> u64 {
        self.pow(a, self.q - 2)
    }

    // The element-wise kernels: a backend does a prefix of whole vectors and the portable loop the rest.

    /// `a_i += b_i`.
    pub fn add_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self, add_assign(a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.add(*x, *y);
        }
    }

    /// `a_i −= b_i`.
    pub fn sub_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self, sub_assign(a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.sub(*x, *y);
        }
    }

    /// `a_i = −a_i`.
    pub fn neg_assign(&self, a: &mut [u64]) {
        let done = vector_prefix!(self, neg_assign(a));
        for x in &mut a[done..] {
            *x = self.neg(*x);
        }
    }

    /// `a_i += w`.
    pub fn add_scalar_assign(&self, a: &mut [u64], w: u64) {
        let done = vector_prefix!(self, add_scalar_assign(a, w));
        for x in &mut a[done..] {
            *x = self.add(*x, w);
        }
    }

    /// `a_i *= b_i`.
    pub fn mul_assign(&self, a: &mut [u64], b: &[u64]) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self, mul_assign(a, b));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.mul(*x, *y);
        }
    }

    /// `acc_i += a_i·b_i`.
    pub fn mul_add_assign(&self, acc: &mut [u64], a: &[u64], b: &[u64]) {
        assert_eq!(acc.len(), a.len());
        assert_eq!(acc.len(), b.len());
        let done = vector_prefix!(self, mul_add_assign(acc, a, b));
        for ((x, y), z) in acc[done..].iter_mut().zip(&a[done..]).zip(&b[done..]) {
            *x = self.add(*x, self.mul(*y, *z));
        }
    }

    /// `a_i *= w`.
    pub fn mul_scalar_assign(&self, a: &mut [u64], w: u64) {
        let done = vector_prefix!(self, mul_scalar_assign(a, w));
        for x in &mut a[done..] {
            *x = self.mul(*x, w);
        }
    }

    /// `acc_i += a_i·w`.
    pub fn mul_scalar_add_assign(&self, acc: &mut [u64], a: &[u64], w: u64) {
        assert_eq!(acc.len(), a.len());
        let done = vector_prefix!(self, mul_scalar_add_assign(acc, a, w));
        for (x, y) in acc[done..].iter_mut().zip(&a[done..]) {
            *x = self.add(*x, self.mul(*y, w));
        }
    }

    /// `a_i = (a_i − b_i)·w`: the last step of a division by part of the modulus.
    pub fn sub_mul_scalar_assign(&self, a: &mut [u64], b: &[u64], w: u64) {
        assert_eq!(a.len(), b.len());
        let done = vector_prefix!(self, sub_mul_scalar_assign(a, b, w));
        for (x, y) in a[done..].iter_mut().zip(&b[done..]) {
            *x = self.mul(self.sub(*x, *y), w);
        }
    }

    /// The tensor product of two linear polynomials in the secret:
    /// `(d0, d1, d2) = (a0·b0, a0·b1 + a1·b0, a1·b1)`.
    pub fn tensor_into(&self, d: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let [d0, d1, d2] = d;
        let n = d0.len();
        assert!([d1.len(), d2.len(), a[0].len(), a[1].len(), b[0].len(), b[1].len()].iter().all(|&l| l == n));
        let done = vector_prefix!(self, tensor_into([&mut *d0, &mut *d1, &mut *d2], a, b));
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
        let done = vector_prefix!(self, tensor_square_into([&mut *d0, &mut *d1, &mut *d2], a));
        for i in done..n {
            let product = self.mul(a[0][i], a[1][i]);
            d0[i] = self.mul(a[0][i], a[0][i]);
            d1[i] = self.add(product, product);
            d2[i] = self.mul(a[1][i], a[1][i]);
        }
    }

    /// `out_i = Σ_k x_k[i]·y_k[i]`, at most 64 terms.
    pub fn inner_product_into(&self, out: &mut [u64], x: &[&[u64]], y: &[&[u64]]) {
        assert_eq!(x.len(), y.len());
        assert!(x.len() <= 64);
        assert!(x.iter().chain(y).all(|s| s.len() == out.len()));
        let done = vector_prefix!(self, inner_product_into(out, x, y));
        for (i, o) in out.iter_mut().enumerate().skip(done) {
            let sum: u128 = x.iter().zip(y).map(|(x, y)| u128::from(x[i]) * u128::from(y[i])).sum();
            *o = self.reduce_wide(sum);
        }
    }

    /// `out_i = Σ_k x_k[i]·y_k[i]` with the `y_k` in packed form (see [`packed`]), at most 64 terms.
    pub fn inner_product_packed_into(&self, out: &mut [u64], x: &[&[u64]], y: &[&[u8]]) {
        self.inner_products_packed_into([out], x, [y]);
    }

    /// Two [`Modulus::inner_product_packed_into`] with the same `x_k`, which are read once.
    pub fn inner_product_packed_pair_into(
        &self,
        out0: &mut [u64],
        out1: &mut [u64],
        x: &[&[u64]],
        y0: &[&[u8]],
        y1: &[&[u8]],
    ) {
        self.inner_products_packed_into([out0, out1], x, [y0, y1]);
    }

    fn inner_products_packed_into<const OUTPUTS: usize>(
        &self,
        mut out: [&mut [u64]; OUTPUTS],
        x: &[&[u64]],
        y: [&[&[u8]]; OUTPUTS],
    ) {
        let n = out[0].len();
        assert!(x.len() <= 64);
        assert!(x.iter().all(|s| s.len() == n) && out.iter().all(|s| s.len() == n));
        assert!(y.iter().all(|y| y.len() == x.len() && y.iter().all(|s| s.len() == packed::byte_len(n))));
        let done = vector_prefix!(self, inner_products_packed_into(out.each_mut().map(|o| &mut **o), x, y));
        for (out, y) in out.into_iter().zip(y) {
            for (i, o) in out.iter_mut().enumerate().skip(done) {
                let sum: u128 = x.iter().zip(y).map(|(x, y)| u128::from(x[i]) * u128::from(packed::get(y, i))).sum();
                *o = self.reduce_wide(sum);
            }
        }
    }

    /// `out_i = x_i mod q` for signed integers.
    pub fn reduce_i64_into(&self, out: &mut [u64], x: &[i64]) {
        assert_eq!(out.len(), x.len());
        let done = vector_prefix!(self, reduce_i64_into(out, x));
        for (o, x) in out[done..].iter_mut().zip(&x[done..]) {
            *o = self.reduce_i64(*x);
        }
    }
}
