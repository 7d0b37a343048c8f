//! One prime modulus and the arithmetic of single residues. The kernels on slices are methods of [`Modulus`] too, in
//! [`crate::elementwise`] and [`crate::inner_product`].

use crate::{Error, MAX_MODULUS_BITS, Simd, primes};

/// A factor `w` of many products modulo `q`, and its Shoup word `⌊w·2^64/q⌋`.
pub(crate) type Factor = (u64, u64);

/// The factor `w` below `q`.
pub(crate) fn factor(w: u64, q: u64) -> Factor {
    (w, ((u128::from(w) << 64) / u128::from(q)) as u64)
}

/// `a·w mod q`, in `[0, 2q)`, for any 64-bit `a`.
#[inline(always)]
pub(crate) fn mul_lazy(a: u64, (w, shoup): Factor, q: u64) -> u64 {
    let estimate = ((u128::from(a) * u128::from(shoup)) >> 64) as u64;
    a.wrapping_mul(w).wrapping_sub(estimate.wrapping_mul(q))
}

/// `a·w mod q`, in `[0, q)`, for any 64-bit `a`.
#[inline(always)]
pub(crate) fn mul_factor(a: u64, w: Factor, q: u64) -> u64 {
    let r = mul_lazy(a, w, q);
    r.min(r.wrapping_sub(q))
}

/// Sums that [`Modulus::sums_into`] has in registers at once.
const TOGETHER: usize = 4;

/// A prime `q < 2^48` with its reduction constants and the backend that its kernels run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    q: u64,
    bits: u32,
    /// `⌊2^(2·bits) / q⌋`, at most `bits + 1` bits.
    barrett: u64,
    /// `⌊2^64/q⌋`.
    reciprocal: u64,
    /// `w = 2^52 mod q`, and `⌊w·2^52/q⌋`, its Shoup word for products of 52 bits.
    #[cfg(target_arch = "x86_64")]
    two_52: [u64; 2],
    /// `2^64 mod q`.
    two_64: Factor,
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
        let reciprocal = ((1u128 << 64) / u128::from(q)) as u64;
        let two_64 = factor(((1u128 << 64) % u128::from(q)) as u64, q);
        Ok(Self {
            q,
            bits,
            barrett,
            reciprocal,
            #[cfg(target_arch = "x86_64")]
            two_52: {
                let w = (1 << 52) % q;
                [w, ((u128::from(w) << 52) / u128::from(q)) as u64]
            },
            two_64,
            simd,
        })
    }

    /// The prime.
    pub fn q(&self) -> u64 {
        self.q
    }

    /// `2^52 mod q`, and its Shoup word for products of 52 bits.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn two_52(&self) -> [u64; 2] {
        self.two_52
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

    /// `x mod q` for any 64-bit integer, by Barrett reduction: no branch and no division depends on `x`.
    ///
    /// With `m = ⌊2^64/q⌋`, `x·m/2^64` is below `x/q` by less than 1, so that its floor is the quotient or one less.
    #[inline]
    pub fn reduce(&self, x: u64) -> u64 {
        mul_factor(x, (1, self.reciprocal), self.q)
    }

    /// `x mod q`, in `[0, q)`, for a signed integer; as [`Modulus::reduce`], without a branch.
    #[inline]
    pub fn reduce_i64(&self, x: i64) -> u64 {
        // The word of a negative integer is 2^64 too large.
        self.sub(self.reduce(x as u64), self.two_64.0 & (x >> 63) as u64)
    }

    /// `x mod q`, in `[0, q)`, for a signed 128-bit integer.
    pub fn reduce_i128(&self, x: i128) -> u64 {
        let r = (x.unsigned_abs() % u128::from(self.q)) as u64;
        if x < 0 { self.neg(r) } else { r }
    }

    /// `x mod q` for any sum of products below `2^128`: its upper word times `2^64` and its lower word are each
    /// reduced to less than `2q`.
    #[inline]
    pub(crate) fn reduce_wide(&self, x: u128) -> u64 {
        let high = mul_lazy((x >> 64) as u64, self.two_64, self.q);
        let r = high + mul_lazy(x as u64, (1, self.reciprocal), self.q);
        let r = r.min(r.wrapping_sub(2 * self.q));
        r.min(r.wrapping_sub(self.q))
    }

    /// Portable sums of products, each below `2^128`: writes `out[i]` for `i` from `done` on. `add(i, sums)` adds the
    /// products of `out[i]`, `out[i + 1]`, … to `sums`.
    #[inline(always)]
    pub(crate) fn sums_into(&self, out: &mut [u64], done: usize, add: impl Fn(usize, &mut [u128])) {
        let (together, rest) = out[done..].as_chunks_mut();
        let mut at = done;
        for out in together {
            let mut sums = [0; TOGETHER];
            add(at, &mut sums);
            *out = sums.map(|sum| self.reduce_wide(sum));
            at += TOGETHER;
        }
        for out in rest {
            let mut sum = [0];
            add(at, &mut sum);
            *out = self.reduce_wide(sum[0]);
            at += 1;
        }
    }

    /// `a^e mod q`.
    pub(crate) fn pow(&self, mut a: u64, mut e: u64) -> u64 {
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

    /// The root of unity of order `2^log_order`, at least 2, that transforms use, if there is one: the first
    /// of the powers `g^((q − 1)/2^log_order)`, `g = 2, 3, …`, that has this order.
    pub(crate) fn root(&self, log_order: u32) -> Option<u64> {
        let order = 1u64 << log_order;
        if !(self.q - 1).is_multiple_of(order) {
            return None;
        }
        (2..).map(|g| self.pow(g, (self.q - 1) / order)).find(|&root| self.pow(root, order / 2) == self.q - 1)
    }

    /// `a^-1 mod q` for `a ≢ 0`.
    pub fn inv(&self, a: u64) -> u64 {
        self.pow(a, self.q - 2)
    }
}
