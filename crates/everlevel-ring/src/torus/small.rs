//! The small ring of a key switch: 32-bit torus words in `Z[X]/(X^R + 1)` for a degree from 1, where it is plain LWE.

use everlevel_rand::{Domain, Seed};
use zeroize::{Zeroize, Zeroizing};

use crate::{Representation, WordGadget};

/// The ring of a degree `R` that is a power of two. Products with secrets are by the schoolbook: `R` is at most a few
/// dozens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallTorusRing {
    degree: usize,
}

impl SmallTorusRing {
    /// The ring of a degree.
    ///
    /// # Panics
    /// Unless the degree is a power of two.
    pub fn new(degree: usize) -> Self {
        assert!(degree.is_power_of_two(), "degree {degree} is a power of two");
        Self { degree }
    }
}

impl Representation for SmallTorusRing {
    type Modulus = ();
    type Poly = Vec<u32>;
    /// The coefficients, polynomial by polynomial.
    type Secret = Vec<Zeroizing<Vec<i8>>>;
    type Gadget = WordGadget;

    fn degree(&self) -> usize {
        self.degree
    }

    fn key_modulus(&self, _: &WordGadget) {}

    /// Two words of a mask to a word of the stream at `row`, the low half first.
    fn uniform(&self, (): &(), rank: usize, masks: &Seed, row: u64) -> Vec<Vec<u32>> {
        let len = rank * self.degree;
        let mut words = vec![0u64; len.div_ceil(2)];
        masks.stream(Domain::Mask, row).fill_u64(&mut words);
        let halves: Vec<u32> = words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).take(len).collect();
        halves.chunks_exact(self.degree).map(<[u32]>::to_vec).collect()
    }

    fn small(&self, (): &(), coeffs: &[i64]) -> Vec<u32> {
        coeffs.iter().map(|&x| x as u32).collect()
    }

    fn secret(&self, coeffs: &[i8]) -> Self::Secret {
        coeffs.chunks_exact(self.degree).map(|s| Zeroizing::new(s.to_vec())).collect()
    }

    fn erase(secret: &mut Self::Secret) {
        secret.iter_mut().for_each(Zeroize::zeroize);
    }

    fn rank(secret: &Self::Secret) -> usize {
        secret.len()
    }

    /// `body += Σ A_i·S_i`: the phase is the body less the masks times the secret.
    fn mask_body(&self, body: &mut Vec<u32>, masks: &[Vec<u32>], secret: &Self::Secret) {
        let n = self.degree;
        for (a, s) in masks.iter().zip(secret) {
            for (i, &s) in s.iter().enumerate() {
                let s = s as u32;
                let (wrapped, straight) = body.split_at_mut(i);
                let (low, high) = a.split_at(n - i);
                straight.iter_mut().zip(low).for_each(|(b, &a)| *b = b.wrapping_add(a.wrapping_mul(s)));
                wrapped.iter_mut().zip(high).for_each(|(b, &a)| *b = b.wrapping_sub(a.wrapping_mul(s)));
            }
        }
    }

    fn add_message(&self, body: &mut Vec<u32>, gadget: &WordGadget, row: usize, message: &Vec<u32>) {
        let shift = 32 - gadget.log2_unit(row);
        body.iter_mut().zip(message).for_each(|(b, &m)| *b = b.wrapping_add(m << shift));
    }
}
