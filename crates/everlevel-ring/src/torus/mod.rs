//! Polynomials over the torus, one machine word a coefficient: the ring of TFHE's keys and accumulators.
//!
//! *Words.* A torus element `x/2^BITS` is a [`TorusWord`], of 32 or 64 bits; outside of rings it is the leading bits of
//! a `u64`. *Products with secrets* are exact, by number-theoretic transforms over two primes: noise that a rounding
//! transform adds would be part of keys for ever. They run on the calling thread: secrets are made outside of pools, in
//! forked processes too, and rows of keys in parallel. *Products with keys* are by the complex transform of
//! `math::fft`. The small ring of key switches, of degree 1 to 32, is [`SmallTorusRing`]: its products with secrets are
//! by the schoolbook.

mod small;
mod word;

use std::marker::PhantomData;
use std::sync::Arc;

use everlevel_math::fft::Fft;
use everlevel_math::primes::ntt_primes_below;
use everlevel_math::{Error, Modulus, Ntt};
use everlevel_rand::{Domain, Seed};
use zeroize::{Zeroize, Zeroizing};

pub use small::SmallTorusRing;
pub use word::{TorusWord, log2_key_unit};

use crate::{Eval, Limb, Poly, Representation, Ring, WordGadget};

/// The ring of one degree, for words `T`. Cheap to clone.
#[derive(Debug)]
pub struct TorusRing<T> {
    tables: Arc<Tables>,
    word: PhantomData<T>,
}

#[derive(Debug)]
struct Tables {
    /// Two primes below `2^48`: the product of signed 64-bit words with a secret of small coefficients is known as an
    /// integer, since `k·2^63·2^16 < p·q/2` for the ranks `k` in use.
    residues: Ring,
    /// The first prime's inverse modulo the second.
    inverse: u64,
    fft: Fft,
}

/// The polynomials of a secret in the exact transform's domain.
#[derive(Debug)]
pub struct TorusSecret(Vec<Poly<Eval>>);

impl Tables {
    /// A polynomial's transform modulo one of the primes.
    fn transformed(&self, prime: usize, coeffs: &[i64]) -> Limb {
        let mut limb = self.residues.scratch_limb();
        self.residues.modulus(prime).reduce_i64_into(&mut limb, coeffs);
        self.residues.ntt(prime).forward(&mut limb);
        limb
    }

    /// The integer nearest to zero of two residues, modulo `2^64`. No branch depends on it.
    fn integer(&self, x: u64, y: u64) -> i64 {
        let (p, q) = (self.residues.modulus(0).q(), self.residues.modulus(1));
        let digit = q.mul(q.sub(y, q.reduce(x)), self.inverse);
        let product = u128::from(p) * u128::from(q.q());
        let value = u128::from(x) + u128::from(p) * u128::from(digit);
        let negative = u128::from(value > product / 2).wrapping_neg() & product;
        value.wrapping_sub(negative) as i64
    }
}

impl<T> Clone for TorusRing<T> {
    fn clone(&self) -> Self {
        Self { tables: Arc::clone(&self.tables), word: PhantomData }
    }
}

impl<T: TorusWord> TorusRing<T> {
    /// The ring of degree `2^log_n`.
    ///
    /// # Errors
    /// If the complex transform has no such size: `log_n` is 8 to 16.
    pub fn new(log_n: u32) -> Result<Self, Error> {
        let fft = Fft::new(1 << log_n)?;
        let transforms = ntt_primes_below(48, log_n).take(2).map(|q| Ntt::new(log_n, Modulus::new(q)?));
        let residues = Ring::of_transforms(log_n, transforms.collect::<Result<_, Error>>()?);
        let (p, q) = (residues.modulus(0).q(), residues.modulus(1));
        let inverse = q.inv(q.reduce(p));
        Ok(Self { tables: Arc::new(Tables { residues, inverse, fft }), word: PhantomData })
    }

    /// This ring for other words.
    pub fn with_words<U: TorusWord>(&self) -> TorusRing<U> {
        TorusRing { tables: Arc::clone(&self.tables), word: PhantomData }
    }

    /// The transform of products with keys.
    pub fn fft(&self) -> &Fft {
        &self.tables.fft
    }

    /// Writes the transform of one polynomial of a row into a matrix of `(rows, columns)`, at `(row, column)`.
    ///
    /// # Panics
    /// If a length or a place doesn't fit.
    pub fn prepare_column(
        &self,
        matrix: &mut [T::Key],
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        poly: &[T],
    ) {
        let (fft, n) = (self.fft(), self.fft().n());
        let mut transform = vec![0.0; n];
        fft.forward_torus(&mut transform, poly);
        let key = transform.iter().map(|&x| T::to_key(x, n));
        fft.interleave(matrix, (row, column), (rows, columns), key);
    }
}

impl<T: TorusWord> Representation for TorusRing<T> {
    type Modulus = ();
    type Poly = Vec<T>;
    type Secret = TorusSecret;
    type Gadget = WordGadget;

    fn degree(&self) -> usize {
        self.tables.fft.n()
    }

    fn key_modulus(&self, _: &WordGadget) {}

    /// Masks are consecutive pieces of the stream at `row`; a 32-bit torus keeps the upper half of each word.
    fn uniform(&self, (): &(), rank: usize, masks: &Seed, row: u64) -> Vec<Vec<T>> {
        let n = self.degree();
        let mut words = vec![0; rank * n];
        masks.stream(Domain::Mask, row).fill_u64(&mut words);
        words.chunks_exact(n).map(|mask| mask.iter().map(|&word| T::from_leading(word)).collect()).collect()
    }

    fn small(&self, (): &(), coeffs: &[i64]) -> Vec<T> {
        coeffs.iter().map(|&x| T::from_integer(x)).collect()
    }

    fn secret(&self, coeffs: &[i8]) -> TorusSecret {
        let prepared = |coeffs: &[i8]| {
            let wide = Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
            let ring = &self.tables.residues;
            let limbs = (0..2).map(|prime| self.tables.transformed(prime, &wide)).collect();
            Poly::from_limbs(ring.all_primes(), limbs)
        };
        TorusSecret(coeffs.chunks_exact(self.degree()).map(prepared).collect())
    }

    fn erase(secret: &mut TorusSecret) {
        secret.0.iter_mut().for_each(Poly::zeroize);
    }

    fn rank(secret: &TorusSecret) -> usize {
        secret.0.len()
    }

    /// `body += Σ A_i·S_i`: the phase is the body less the masks times the secret.
    fn mask_body(&self, body: &mut Vec<T>, masks: &[Vec<T>], secret: &TorusSecret) {
        let tables = &*self.tables;
        let masks: Vec<Vec<i64>> = masks.iter().map(|a| a.iter().map(|x| x.to_integer()).collect()).collect();
        let [mut x, mut y] = [0, 1].map(|prime| {
            let mut sum = tables.residues.scratch_limb();
            sum.fill(0);
            for (a, s) in masks.iter().zip(&secret.0) {
                let a = tables.transformed(prime, a);
                tables.residues.modulus(prime).mul_add_assign(&mut sum, &a, s.limb(prime));
            }
            tables.residues.ntt(prime).inverse(&mut sum);
            sum
        });
        for (b, (&x, &y)) in body.iter_mut().zip(x.iter().zip(y.iter())) {
            *b = b.add(T::from_integer(tables.integer(x, y)));
        }
        x.zeroize();
        y.zeroize();
    }

    fn add_message(&self, body: &mut Vec<T>, gadget: &WordGadget, row: usize, message: &Vec<T>) {
        let shift = T::BITS - gadget.log2_unit(row);
        body.iter_mut().zip(message).for_each(|(b, m)| *b = b.add(m.shifted(shift)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_secrets_are_exact() {
        let (ring, n) = (TorusRing::<u64>::new(8).expect("a size"), 256);
        let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64);
        let a = |p: usize| (0..n).map(|i| if i % 7 == 0 { 1 << 63 } else { word(i + p * n) }).collect::<Vec<u64>>();
        let masks = [a(0), a(1)];
        let secret: Vec<i8> = (0..2 * n).map(|i| (word(i + 99) >> 62) as i8 % 3 - 1).collect();
        let mut body: Vec<u64> = (0..n).map(|i| word(i + 7)).collect();
        let mut expected = body.clone();
        for (a, s) in masks.iter().zip(secret.chunks(n)) {
            for i in 0..n {
                for j in 0..n {
                    let (k, sign) = ((i + j) % n, if i + j < n { 1 } else { u64::MAX });
                    expected[k] = expected[k].wrapping_add(sign.wrapping_mul(a[i]).wrapping_mul(s[j] as u64));
                }
            }
        }
        ring.mask_body(&mut body, &masks, &ring.secret(&secret));
        assert_eq!(body, expected);
        let narrow = |words: &[u64]| words.iter().map(|&x| u32::from_leading(x)).collect::<Vec<u32>>();
        let (mut body, ring) = (vec![0; n], ring.with_words::<u32>());
        ring.mask_body(&mut body, &[narrow(&masks[0])], &ring.secret(&secret[..n]));
        let product = |k: usize| {
            let term = |i: usize| {
                let (s, sign) = (secret[(k + n - i) % n] as u32, if i <= k { 1 } else { u32::MAX });
                sign.wrapping_mul(narrow(&masks[0])[i]).wrapping_mul(s)
            };
            (0..n).map(term).fold(0, u32::wrapping_add)
        };
        assert!((0..n).step_by(37).all(|k| body[k] == product(k)));
    }
}
