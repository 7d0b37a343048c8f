//! The negacyclic number-theoretic transform of size `n = 2^3 … 2^17`.

use crate::{Error, Modulus};

/// A plan: roots of unity for one size and one modulus. Deterministic, so a seed gives the same key everywhere: `ψ` is the
/// smallest power of the smallest generator candidate that has order `2n`.
#[derive(Debug, Clone)]
pub struct Ntt {
    log_n: u32,
    modulus: Modulus,
    /// `ψ^brv(i)` and `⌊· 2^64/q⌋`, for `i` in `0..n`.
    roots: Vec<(u64, u64)>,
    /// `ψ^-brv(i)` likewise.
    inv_roots: Vec<(u64, u64)>,
    n_inv: u64,
}

fn shoup64(w: u64, q: u64) -> (u64, u64) {
    (w, ((u128::from(w) << 64) / u128::from(q)) as u64)
}

/// `a·w mod q`, in `[0, 2q)`, for any 64-bit `a`.
#[inline]
fn mul_shoup_lazy(a: u64, (w, w_shoup): (u64, u64), q: u64) -> u64 {
    let estimate = ((u128::from(a) * u128::from(w_shoup)) >> 64) as u64;
    a.wrapping_mul(w).wrapping_sub(estimate.wrapping_mul(q))
}

impl Ntt {
    /// Builds the plan.
    ///
    /// # Errors
    /// [`Error::BadSize`] or [`Error::NoRoot`].
    pub fn new(log_n: u32, modulus: Modulus) -> Result<Self, Error> {
        if !(3..=17).contains(&log_n) {
            return Err(Error::BadSize { log_n });
        }
        let q = modulus.q();
        let two_n = 2u64 << log_n;
        if (q - 1) % two_n != 0 {
            return Err(Error::NoRoot {
                q,
                log_two_n: log_n + 1,
            });
        }
        let psi = (2..)
            .map(|g| modulus.pow(g, (q - 1) / two_n))
            .find(|&psi| modulus.pow(psi, two_n / 2) == q - 1)
            .unwrap_or(1);
        let table = |root: u64| {
            let n = 1usize << log_n;
            let mut powers = vec![(0, 0); n];
            let mut power = 1;
            for i in 0..n {
                let at = i.reverse_bits() >> (usize::BITS - log_n);
                powers[at] = shoup64(power, q);
                power = modulus.mul(power, root);
            }
            powers
        };
        Ok(Self {
            log_n,
            modulus,
            roots: table(psi),
            inv_roots: table(modulus.inv(psi)),
            n_inv: modulus.inv(1 << log_n),
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Forward negacyclic NTT in place: `out[i] = Σ_j a[j]·ψ^((2·brv(i)+1)·j) mod q`.
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn forward(&self, a: &mut [u64]) {
        let n = 1usize << self.log_n;
        assert_eq!(a.len(), n);
        let q = self.modulus.q();
        // Values stay below 4q (Harvey's butterfly).
        for level in 0..self.log_n {
            let half = n >> (level + 1);
            for (block, chunk) in a.chunks_exact_mut(2 * half).enumerate() {
                let w = self.roots[(1 << level) + block];
                let (lo, hi) = chunk.split_at_mut(half);
                for (x, y) in lo.iter_mut().zip(hi) {
                    let u = (*x).min((*x).wrapping_sub(2 * q));
                    let v = mul_shoup_lazy(*y, w, q);
                    (*x, *y) = (u + v, u + 2 * q - v);
                }
            }
        }
        for x in a {
            *x = (*x).min((*x).wrapping_sub(2 * q));
            *x = (*x).min((*x).wrapping_sub(q));
        }
    }

    /// Inverse of [`Ntt::forward`], in place.
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn inverse(&self, a: &mut [u64]) {
        self.inverse_scaled(a, 1);
    }

    /// Inverse transform times the constant `c`, at no cost above [`Ntt::inverse`].
    ///
    /// # Panics
    /// If `a.len() != n`.
    pub fn inverse_scaled(&self, a: &mut [u64], c: u64) {
        let n = 1usize << self.log_n;
        assert_eq!(a.len(), n);
        let q = self.modulus.q();
        // Values stay below 2q.
        for level in (0..self.log_n).rev() {
            let half = n >> (level + 1);
            for (block, chunk) in a.chunks_exact_mut(2 * half).enumerate() {
                let w = self.inv_roots[(1 << level) + block];
                let (lo, hi) = chunk.split_at_mut(half);
                for (x, y) in lo.iter_mut().zip(hi) {
                    let (u, v) = (*x, *y);
                    let s = u + v;
                    *x = s.min(s.wrapping_sub(2 * q));
                    *y = mul_shoup_lazy(u + 2 * q - v, w, q);
                }
            }
        }
        let scale = shoup64(self.modulus.mul(self.n_inv, c), q);
        for x in a {
            let y = mul_shoup_lazy(*x, scale, q);
            *x = y.min(y.wrapping_sub(q));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes;

    #[test]
    fn forward_is_evaluation_at_odd_powers() {
        let log_n = 5;
        let n = 1usize << log_n;
        for bits in [20, 33, 48] {
            let m = Modulus::new(primes::ntt_primes_below(bits, log_n).next().expect("prime")).expect("modulus");
            let ntt = Ntt::new(log_n, m).expect("plan");
            let a: Vec<u64> = (0..n as u64)
                .map(|i| m.reduce(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
                .collect();
            let mut b = a.clone();
            ntt.forward(&mut b);
            let psi = ntt.roots[n / 2].0; // ψ^brv(n/2) = ψ
            for i in 0..n {
                let point = m.pow(psi, 2 * (i.reverse_bits() >> (usize::BITS - log_n)) as u64 + 1);
                let slow = a.iter().rev().fold(0, |acc, &c| m.add(m.mul(acc, point), c));
                assert_eq!(b[i], slow);
            }
            ntt.inverse(&mut b);
            assert_eq!(a, b);
        }
    }
}
