//! One prime modulus and the arithmetic of single residues. The kernels on slices are methods of [`Modulus`] too, in
//! [`crate::elementwise`] and [`crate::inner_product`].

use crate::{Error, MAX_MODULUS_BITS, Simd, primes};

/// A prime `q < 2^48` with its reduction constants and the backend that its kernels run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modulus {
    q: u64,
    bits: u32,
    /// `⌊2^(2·bits) / q⌋`, at most `bits + 1` bits.
    barrett: u64,
    /// `⌊2^64/q⌋`.
    reciprocal: u64,
    /// `2^52 mod q`.
    two_52: u64,
    /// `⌊2^52·(2^52 mod q)/q⌋`.
    two_52_quotient: u64,
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
        let two_52 = (1 << 52) % q;
        let two_52_quotient = ((u128::from(two_52) << 52) / u128::from(q)) as u64;
        Ok(Self { q, bits, barrett, reciprocal, two_52, two_52_quotient, simd })
    }

    /// The prime.
    pub fn q(&self) -> u64 {
        self.q
    }

    /// `2^52 mod q` and its Shoup word.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn two_52(&self) -> [u64; 2] {
        [self.two_52, self.two_52_quotient]
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
        let estimate = (u128::from(x) * u128::from(self.reciprocal)) >> 64;
        let r = x.wrapping_sub((estimate as u64).wrapping_mul(self.q));
        r.min(r.wrapping_sub(self.q))
    }

    /// `x mod q`, in `[0, q)`, for a signed integer; as [`Modulus::reduce`], without a branch.
    #[inline]
    pub fn reduce_i64(&self, x: i64) -> u64 {
        // The word of a negative integer is 2^64 too large; 2^64 mod q is 2^64 − q·⌊2^64/q⌋.
        let two_64 = self.reciprocal.wrapping_mul(self.q).wrapping_neg();
        self.sub(self.reduce(x as u64), two_64 & (x >> 63) as u64)
    }

    /// `x mod q`, in `[0, q)`, for a signed 128-bit integer.
    pub fn reduce_i128(&self, x: i128) -> u64 {
        let r = (x.unsigned_abs() % u128::from(self.q)) as u64;
        if x < 0 { self.neg(r) } else { r }
    }

    /// `x mod q` for a sum of products below `2^112`.
    #[inline]
    pub(crate) fn reduce_wide(&self, x: u128) -> u64 {
        let high = self.reduce((x >> 52) as u64);
        let low = self.reduce(x as u64 & ((1 << 52) - 1));
        self.add(self.mul(high, self.two_52), low)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_are_remainders_at_every_edge() {
        for q in [3, 5, 257, 65_537, (1 << 31) - 1, 0xffff_fffa_0001, (1 << 48) - 59] {
            let m = Modulus::new(q).expect("a prime");
            let multiples = [0, 1, 2, u64::MAX / q / 2, u64::MAX / q - 1, u64::MAX / q].map(|k| k * q);
            let near = multiples.into_iter().flat_map(|x| (-2..=2).map(move |d: i64| x.wrapping_add_signed(d)));
            for x in near.chain([1 << 63, (1 << 63) - 1, u64::MAX]) {
                assert_eq!(m.reduce(x), x % q, "{x} modulo {q}");
                let signed = x as i64;
                assert_eq!(
                    i128::from(m.reduce_i64(signed)),
                    i128::from(signed).rem_euclid(q.into()),
                    "{signed} modulo {q}"
                );
            }
        }
    }
}
