//! Products of torus polynomials with secrets, exact modulo `2^64`: for keys and encryptions, where a transform's
//! rounding would be noise and time matters less.
//!
//! The number-theoretic transforms of the other schemes do it: over two primes below `2^48`, the product of signed
//! 64-bit words with a binary polynomial of degree up to `2^16` is known as an integer, since `2^63·2^16 < p·q/2`.

use everlevel_math::primes::ntt_primes_below;
use everlevel_math::{Modulus, Ntt};
use zeroize::{Zeroize, Zeroizing};

/// Plans for one degree.
#[derive(Debug)]
pub(crate) struct ExactRing {
    n: usize,
    plans: [Ntt; 2],
    /// `p⁻¹ mod q`.
    p_inv: u64,
}

/// A binary polynomial in both transform domains. Erased on drop.
pub(crate) struct Prepared([Zeroizing<Vec<u64>>; 2]);

impl ExactRing {
    /// The plans of degree `2^log_n`, `log_n` in `3..=16`.
    pub(crate) fn new(log_n: u32) -> Self {
        let mut primes = ntt_primes_below(48, log_n);
        let mut plan = || {
            let modulus = primes.next().and_then(|q| Modulus::new(q).ok()).expect("there are thousands of such primes");
            Ntt::new(log_n, modulus).expect("the prime is one for this size")
        };
        let plans = [plan(), plan()];
        let (p, q) = (plans[0].modulus().q(), plans[1].modulus());
        Self { n: 1 << log_n, p_inv: q.inv(q.reduce(p)), plans }
    }

    /// A polynomial of bits.
    pub(crate) fn prepare(&self, bits: &[u8]) -> Prepared {
        Prepared(std::array::from_fn(|i| {
            let mut limb: Zeroizing<Vec<u64>> = Zeroizing::new(bits.iter().map(|&bit| u64::from(bit)).collect());
            self.plans[i].forward(&mut limb);
            limb
        }))
    }

    /// `out += Σ_i a_i·s_i mod (X^n + 1, 2^64)`; `a` is the polynomials one after another.
    pub(crate) fn multiply_add(&self, out: &mut [u64], a: &[u64], s: &[Prepared]) {
        assert_eq!((out.len(), a.len()), (self.n, self.n * s.len()));
        // A sum of k products has k times the size: k·2^79 < 2^94 for every rank.
        let [x, y] = [0, 1].map(|i| {
            let (plan, m) = (&self.plans[i], self.plans[i].modulus());
            let mut sum = Zeroizing::new(vec![0u64; self.n]);
            let mut limb = vec![0u64; self.n];
            for (a, s) in a.chunks_exact(self.n).zip(s) {
                for (limb, &a) in limb.iter_mut().zip(a) {
                    *limb = m.reduce_i64(a as i64);
                }
                plan.forward(&mut limb);
                m.mul_add_assign(&mut sum, &limb, &s.0[i]);
            }
            plan.inverse(&mut sum);
            sum
        });
        let (p, q) = (self.plans[0].modulus().q(), self.plans[1].modulus());
        let half = u128::from(p) * u128::from(q.q()) / 2;
        let product = u128::from(p) * u128::from(q.q());
        for (out, (&x, &y)) in out.iter_mut().zip(x.iter().zip(y.iter())) {
            let digit = q.mul(q.sub(y, q.reduce(x)), self.p_inv);
            let value = u128::from(x) + u128::from(p) * u128::from(digit);
            let negative = u128::from(value > half).wrapping_neg() & product;
            *out = out.wrapping_add(value.wrapping_sub(negative) as u64);
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|limb| limb.zeroize());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        let (ring, n) = (ExactRing::new(5), 32);
        let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64);
        let a: Vec<u64> = (0..2 * n).map(|i| if i % 7 == 0 { 1 << 63 } else { word(i) }).collect();
        let bits: Vec<Vec<u8>> = (0..2).map(|p| (0..n).map(|i| (word(i + 99 * p) >> 63) as u8).collect()).collect();
        let prepared: Vec<Prepared> = bits.iter().map(|bits| ring.prepare(bits)).collect();
        let mut out: Vec<u64> = (0..n).map(|i| word(i + 7)).collect();
        let mut expected = out.clone();
        for (a, bits) in a.chunks(n).zip(&bits) {
            for i in 0..n {
                for j in (0..n).filter(|&j| bits[j] == 1) {
                    let (k, sign) = ((i + j) % n, if i + j < n { 1 } else { u64::MAX });
                    expected[k] = expected[k].wrapping_add(sign.wrapping_mul(a[i]));
                }
            }
        }
        ring.multiply_add(&mut out, &a, &prepared);
        assert_eq!(out, expected);
    }
}
