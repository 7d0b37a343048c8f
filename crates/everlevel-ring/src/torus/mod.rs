//! Polynomials over the torus, one machine word a coefficient: the ring of TFHE's keys and accumulators.
//!
//! *Words.* A torus element `x/2^BITS` is a [`TorusWord`], of 32 or 64 bits; outside of rings it is the leading bits of
//! a `u64`. *Products with secrets* are exact, by number-theoretic transforms over two primes: noise that a rounding
//! transform adds would be part of keys for ever. *Products with keys* are by the complex transform of `math::fft`.
//! The small ring of key switches, of degree 1 to 32, is [`SmallTorusRing`]: its products with secrets are by the
//! schoolbook.

mod half_product;
mod small;
mod word;

use std::marker::PhantomData;
use std::sync::Arc;

use everlevel_math::Error;
use everlevel_math::fft::Fft;
use everlevel_math::primes::ntt_primes_below;
use everlevel_rand::{Domain, Seed};

pub use half_product::TorusRows;
pub use small::SmallTorusRing;
pub use word::{TorusWord, log2_key_unit};

use crate::{Eval, Poly, Representation, Ring, WordGadget};

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
    fft: Fft,
}

/// The polynomials of a secret in the exact transform's domain.
#[derive(Debug)]
pub struct TorusSecret(Vec<Poly<Eval>>);

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
        let primes: Vec<u64> = ntt_primes_below(48, log_n).take(2).collect();
        let residues = Ring::new(log_n, &primes).expect("primes of the transform are two different ones");
        Ok(Self { tables: Arc::new(Tables { residues, fft }), word: PhantomData })
    }

    /// The same ring for other words.
    pub fn with_words<U: TorusWord>(&self) -> TorusRing<U> {
        TorusRing { tables: Arc::clone(&self.tables), word: PhantomData }
    }

    /// The transform of products with keys.
    pub fn fft(&self) -> &Fft {
        &self.tables.fft
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

    fn row_count(&self, gadget: &WordGadget) -> usize {
        gadget.digits as usize
    }

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
        let ring = &self.tables.residues;
        let prepared = |coeffs: &[i8]| {
            let wide = zeroize::Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
            ring.to_eval(ring.from_i64(&ring.all_primes(), &wide))
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
        let ring = &self.tables.residues;
        let mut sum = ring.zero::<Eval>(&ring.all_primes());
        for (a, s) in masks.iter().zip(&secret.0) {
            let a: Vec<i64> = a.iter().map(|x| x.to_integer()).collect();
            ring.mul_add_assign(&mut sum, &ring.to_eval(ring.from_i64(&ring.all_primes(), &a)), s);
        }
        let sum = ring.to_coeff(sum);
        let products = zeroize::Zeroizing::new(ring.to_i128(&sum));
        body.iter_mut().zip(products.iter()).for_each(|(b, &x)| *b = b.add(T::from_integer(x as i64)));
        let mut sum = sum;
        sum.zeroize();
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
