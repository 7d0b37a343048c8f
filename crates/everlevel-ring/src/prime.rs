//! Polynomials over one small prime: the ring of NTRU's keys and accumulators.
//!
//! *No masks.* An encryption of zero is `g/f`, one polynomial: an error divided by the secret, in place of a body that
//! a mask hides. So samples have rank 0, and what a representation does to hide a body is that division here. A row
//! whose message is `v/f` hides `v` from products with plain polynomials (the form that the field names after
//! key-dependent messages).

use std::sync::Arc;

use everlevel_math::{Error, Modulus, Ntt};
use everlevel_rand::{Domain, Seed, sampler, secrecy};
use zeroize::{Zeroize, Zeroizing};

use crate::{PrimeGadget, Representation};

/// The ring of one degree and one prime `Q` that is 1 modulo `2N`. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PrimeRing {
    ntt: Arc<Ntt>,
    degree: usize,
}

/// The inverse of a secret polynomial, transformed.
#[derive(Debug)]
pub struct PrimeSecret(Vec<u64>);

impl PrimeRing {
    /// The ring of degree `2^log_n` over a prime.
    ///
    /// # Errors
    /// If there is no such transform: `log_n` is 3 to 17, and the prime is 1 modulo `2N`.
    pub fn new(log_n: u32, prime: u64) -> Result<Self, Error> {
        Ok(Self { ntt: Arc::new(Ntt::new(log_n, Modulus::new(prime)?)?), degree: 1 << log_n })
    }

    /// The prime.
    pub fn modulus(&self) -> &Modulus {
        self.ntt.modulus()
    }

    /// Whether a polynomial has an inverse: no value of its transform is zero.
    pub fn is_invertible(&self, coeffs: &[i8]) -> bool {
        // Every value is looked at.
        self.transformed(coeffs).iter().fold(1, |all, &value| all & u64::from(value != 0)) == 1
    }

    fn transformed(&self, coeffs: &[i8]) -> Zeroizing<Vec<u64>> {
        let wide = Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let mut values = Zeroizing::new(vec![0; self.degree]);
        self.modulus().reduce_i64_into(&mut values, &wide);
        self.ntt.forward(&mut values);
        values
    }

    /// `a·b`, of which `b` is transformed.
    fn multiply(&self, a: &mut [u64], b: &[u64]) {
        self.ntt.forward(a);
        let mut product = Zeroizing::new(vec![0; self.degree]);
        self.modulus().mul_add_assign(&mut product, a, b);
        a.copy_from_slice(&product);
        self.ntt.inverse(a);
    }
}

impl Representation for PrimeRing {
    type Modulus = ();
    /// Residues below the prime.
    type Poly = Vec<u64>;
    type Secret = PrimeSecret;
    type Gadget = PrimeGadget;

    fn degree(&self) -> usize {
        self.degree
    }

    fn key_modulus(&self, _: &PrimeGadget) {}

    /// Words of the stream at `row`, as residues.
    fn uniform(&self, (): &(), rank: usize, masks: &Seed, row: u64) -> Vec<Vec<u64>> {
        let mut stream = masks.stream(Domain::Mask, row);
        let mask = |_| {
            let mut mask = vec![0; self.degree];
            sampler::uniform_mod(&mut stream, &mut mask, self.modulus().q());
            mask
        };
        (0..rank).map(mask).collect()
    }

    fn small(&self, (): &(), coeffs: &[i64]) -> Vec<u64> {
        let mut poly = vec![0; coeffs.len()];
        self.modulus().reduce_i64_into(&mut poly, coeffs);
        poly
    }

    /// # Panics
    /// If the polynomial has no inverse: [`PrimeRing::is_invertible`].
    fn secret(&self, coeffs: &[i8]) -> PrimeSecret {
        // Every secret that is kept has one, which tells nothing of it.
        assert!(secrecy::declassified(self.is_invertible(coeffs)), "a secret with an inverse");
        let (modulus, values) = (self.modulus(), self.transformed(coeffs));
        PrimeSecret(values.iter().map(|&value| modulus.inv(value)).collect())
    }

    fn erase(secret: &mut PrimeSecret) {
        secret.0.zeroize();
    }

    fn rank(_: &PrimeSecret) -> usize {
        0
    }

    /// `body /= f`: one plus the phase is the product with `f`.
    fn mask_body(&self, body: &mut Vec<u64>, _: &[Vec<u64>], secret: &PrimeSecret) {
        self.multiply(body, &secret.0);
    }

    fn add_message(&self, body: &mut Vec<u64>, gadget: &PrimeGadget, row: usize, message: &Vec<u64>) {
        let (modulus, unit) = (self.modulus(), 1 << gadget.log2_unit(row));
        body.iter_mut().zip(message).for_each(|(b, &m)| *b = modulus.add(*b, modulus.mul(unit, m)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_divided_by_the_secret() {
        let ring = PrimeRing::new(4, 1_032_193).expect("a prime that is 1 modulo 32");
        let coeffs = [1, 0, -1, 1, 1, 0, 0, -1, 1, 1, 0, -1, 0, 0, 1, 1];
        let secret = ring.secret(&coeffs);
        let small: Vec<i64> = (0..16).map(|i| i * i - 40).collect();
        let mut body = ring.small(&(), &small);
        ring.mask_body(&mut body, &[], &secret);
        // Times the secret, by the schoolbook.
        let mut product = [0i64; 16];
        for (i, &s) in coeffs.iter().enumerate() {
            for (j, &b) in body.iter().enumerate() {
                let sign = if i + j < 16 { 1 } else { -1 };
                product[(i + j) % 16] += sign * i64::from(s) * b as i64;
            }
        }
        let residues: Vec<u64> = product.iter().map(|&x| ring.modulus().reduce_i64(x)).collect();
        assert_eq!(residues, ring.small(&(), &small));
        assert!(!ring.is_invertible(&[0; 16]));
    }
}
