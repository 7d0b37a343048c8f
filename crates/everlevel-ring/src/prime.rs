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

use crate::{HalfProduct, PrimeGadget, Representation};

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

    /// The residue nearest to zero.
    fn centred(&self, x: u64) -> i64 {
        let q = self.modulus().q();
        if x > q / 2 { x as i64 - q as i64 } else { x as i64 }
    }

    /// The transform of a polynomial.
    pub fn transform(&self, poly: &[u64]) -> Vec<u64> {
        let mut values = poly.to_vec();
        self.ntt.forward(&mut values);
        values
    }

    /// Adds to a sum another one times a polynomial that is transformed.
    pub fn add_turned(&self, sum: &mut [u64], other: &[u64], by: &[u64]) {
        self.modulus().mul_add_assign(sum, other, by);
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

    fn row_count(&self, gadget: &PrimeGadget) -> usize {
        gadget.digits as usize
    }

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

impl HalfProduct for PrimeRing {
    /// A transform for each digit.
    type Digits = Vec<Vec<u64>>;
    /// A transform for each row.
    type Rows = Vec<Vec<u64>>;
    /// One transform: there are no masks.
    type Sum = Vec<u64>;

    fn digits(&self, gadget: &PrimeGadget, polys: &[&Vec<u64>]) -> Vec<Self::Digits> {
        let modulus = self.modulus();
        let of_one = |poly: &&Vec<u64>| {
            let mut digits = vec![vec![0; self.degree]; gadget.digits as usize];
            for (i, &x) in poly.iter().enumerate() {
                gadget.decompose(self.centred(x), |row, digit| digits[row][i] = modulus.reduce_i64(digit));
            }
            digits.iter_mut().for_each(|digit| self.ntt.forward(digit));
            digits
        };
        polys.iter().map(of_one).collect()
    }

    fn multiply(&self, digits: &[&Self::Digits], rows: &Self::Rows) -> Vec<Vec<u64>> {
        let product = |digits: &&Self::Digits| {
            let mut sum = vec![0; self.degree];
            digits.iter().zip(rows).for_each(|(digit, row)| self.modulus().mul_add_assign(&mut sum, digit, row));
            sum
        };
        digits.iter().map(product).collect()
    }

    fn finish(&self, sums: Vec<Vec<u64>>, _: &PrimeGadget, (): &()) -> Vec<Vec<Vec<u64>>> {
        let inverse = |mut sum: Vec<u64>| {
            self.ntt.inverse(&mut sum);
            vec![sum]
        };
        sums.into_iter().map(inverse).collect()
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
