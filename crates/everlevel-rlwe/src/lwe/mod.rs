//! LWE ciphertexts on the torus: encryption, sums, extraction from GLWE ciphertexts, modulus switches; public keys and
//! key switches below.

use std::sync::Arc;

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::TorusWord;
use zeroize::Zeroizing;

use crate::Randomness;

mod key_switch;
mod public_key;

pub use key_switch::{KeySwitchKey, SeededKeySwitchKey, SwitchShape};
pub use public_key::CompactPublicKey;

/// `(a_1, …, a_dim, b)` with phase `b − Σ a_i·s_i`; torus elements are the leading bits of the words, the body is the
/// last word. Copies share their words until one is changed.
#[derive(Debug, Clone)]
pub struct Lwe {
    words: Arc<Vec<u64>>,
    /// The mask's address, until the mask is changed.
    address: Option<MaskAddress>,
}

/// Origin of a fresh ciphertext's mask: a public seed, which the ciphertexts of one call share, and a place
/// of its own.
#[derive(Debug, Clone)]
pub struct MaskAddress {
    /// The seed.
    pub seed: Arc<Seed>,
    /// The place.
    pub place: u64,
}

impl MaskAddress {
    fn expand_into(&self, mask: &mut [u64]) {
        self.seed.stream(Domain::EncryptionMask, self.place).fill_u64(mask);
    }
}

/// Ciphertexts of the same words are the same, wherever these came from.
impl PartialEq for Lwe {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for Lwe {}

/// Words of a mask that tell it from others, as a hash would: they are uniform.
pub const DIGEST_DIM: usize = 4;

impl Lwe {
    /// The ciphertext of these words, mask first.
    ///
    /// # Panics
    /// If there are fewer than two.
    pub fn from_words(words: Vec<u64>) -> Self {
        assert!(words.len() >= 2, "a mask and a body");
        Self { words: Arc::new(words), address: None }
    }

    /// The ciphertext of this body whose mask, of `dim` words, is at this address.
    pub fn expand(address: MaskAddress, dim: usize, body: u64) -> Self {
        let mut words = vec![body; dim + 1];
        address.expand_into(&mut words[..dim]);
        Self { words: Arc::new(words), address: Some(address) }
    }

    /// `value` without noise or mask: anybody can read it.
    pub fn trivial(dim: usize, value: u64) -> Self {
        let mut words = vec![0; dim + 1];
        words[dim] = value;
        Self { words: Arc::new(words), address: None }
    }

    /// An encryption under a secret of small coefficients, at a place of the randomness that no other one has.
    pub fn encrypt(secret: &[i8], error: &Gaussian, value: u64, randomness: &Randomness, place: u64) -> Self {
        let mut fresh = Self::expand(MaskAddress { seed: randomness.shared_masks(), place }, secret.len(), value);
        let mut noise = Zeroizing::new([0i64]);
        randomness.errors(error, Domain::EncryptionNoise, place, &mut noise[..]);
        fresh.add_plain(inner_product(fresh.mask(), secret).wrapping_add(noise[0] as u64));
        fresh
    }

    /// The mask's address, if it is as it was when the ciphertext was made.
    pub fn address(&self) -> Option<&MaskAddress> {
        self.address.as_ref()
    }

    /// `b − Σ a_i·s_i`.
    pub fn phase(&self, secret: &[i8]) -> u64 {
        assert_eq!(secret.len(), self.dim(), "the secret's dimension");
        self.body().wrapping_sub(inner_product(self.mask(), secret))
    }

    /// Length of the mask.
    pub fn dim(&self) -> usize {
        self.words.len() - 1
    }

    /// The mask.
    pub fn mask(&self) -> &[u64] {
        &self.words[..self.dim()]
    }

    /// The body.
    pub fn body(&self) -> u64 {
        self.words[self.dim()]
    }

    /// Mask and body.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// `self += factor·other`.
    pub fn add_multiple(&mut self, other: &Self, factor: i64) {
        assert_eq!(self.words.len(), other.words.len(), "dimensions");
        self.address = None;
        for (x, y) in Arc::make_mut(&mut self.words).iter_mut().zip(other.words()) {
            *x = x.wrapping_add(y.wrapping_mul(factor as u64));
        }
    }

    /// `self += value`.
    pub fn add_plain(&mut self, value: u64) {
        let dim = self.dim();
        let body = &mut Arc::make_mut(&mut self.words)[dim];
        *body = body.wrapping_add(value);
    }

    /// The first words of the mask, and the body.
    pub fn digest(&self) -> [u64; DIGEST_DIM + 1] {
        let mut words = [0; DIGEST_DIM + 1];
        words.iter_mut().zip(self.mask()).take(DIGEST_DIM).for_each(|(out, &word)| *out = word);
        words[DIGEST_DIM] = self.body();
        words
    }
}

/// `Σ a_i·s_i` without a branch on the secret.
fn inner_product(a: &[u64], secret: &[i8]) -> u64 {
    a.iter().zip(secret).fold(0, |sum: u64, (&a, &s)| sum.wrapping_add(a.wrapping_mul(s as u64)))
}

/// Coefficient `h` of a GLWE ciphertext of degree `n`, masks and then body, as an LWE ciphertext under the secret's
/// first `dim` coefficients: mask word `(i, j)` is `A_i[h − j]`, negated where the index wraps. The secret's other
/// coefficients are zero, and what they would be multiplied by is left out.
pub fn extract<T: TorusWord>(glwe: &[T], n: usize, h: usize, dim: usize) -> Lwe {
    let (masks, body) = glwe.split_at(glwe.len() - n);
    let mut words = Vec::with_capacity(dim + 1);
    for (a, wanted) in masks.chunks_exact(n).zip((1..=dim).rev().step_by(n)) {
        let straight = a[..=h].iter().rev().map(|&x| x.to_leading());
        let wrapped = a[h + 1..].iter().rev().map(|&x| x.neg().to_leading());
        words.extend(straight.chain(wrapped).take(wanted));
    }
    words.push(body[h].to_leading());
    Lwe::from_words(words)
}

/// A GLWE ciphertext of degree `n`, masks and then body, of which coefficient 0 is an LWE ciphertext under the secret's
/// first coefficients, as [`extract`] gives it back. The body's other coefficients are zero.
pub fn embed(lwe: &Lwe, n: usize) -> Vec<u64> {
    let len = lwe.dim().next_multiple_of(n);
    let mut words = vec![0; len + n];
    for (out, mask) in words[..len].chunks_exact_mut(n).zip(lwe.mask().chunks(n)) {
        out[0] = mask[0];
        out.iter_mut().rev().zip(&mask[1..]).for_each(|(out, x)| *out = x.wrapping_neg());
    }
    words[len] = lwe.body();
    words
}

/// `out`, mask and body, in multiples of `2^skip` below `2^log_two_n`: each word of `small` rounded to the grid. What
/// the mask's roundings `e_i` do to the phase, `−Σ e_i·s_i`, has mean `−µ·Σ e_i` over secrets whose coefficients have
/// the mean `µ`, here a numerator and a denominator. Anybody can compute that: the body is corrected by it before it is
/// rounded (the centred mean), which halves the standard deviation of bits' roundings.
///
/// # Panics
/// If lengths differ, or a denominator is 0.
pub fn switch_modulus(out: &mut [u32], small: &[u32], log_two_n: u32, skip: u32, mean: (u32, u32)) {
    assert_eq!(out.len(), small.len());
    let shift = 32 - (log_two_n - skip);
    let mask = ((1u64 << log_two_n) - 1) as u32;
    let round = |x: u32| (x.wrapping_add(1 << (shift - 1)) >> shift) << skip & mask;
    let last = small.len() - 1;
    let mut sum = 0i64;
    for (out, &a) in out[..last].iter_mut().zip(small) {
        let rounded = a.wrapping_add(1 << (shift - 1)) & (u32::MAX << shift);
        sum += i64::from(rounded.wrapping_sub(a) as i32);
        *out = round(a);
    }
    let (numerator, denominator) = (i64::from(mean.0), i64::from(mean.1));
    out[last] = round(small[last].wrapping_add((sum * numerator).div_euclid(denominator) as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_ciphertexts_are_extracted_again() {
        for (dim, n) in [(8, 8), (24, 8), (20, 8), (3, 8)] {
            let lwe = Lwe::from_words((1..=dim as u64 + 1).map(|x| x << 40 | x).collect());
            let glwe = embed(&lwe, n);
            assert_eq!((extract(&glwe, n, 0, dim), glwe.len()), (lwe, dim.next_multiple_of(n) + n));
            assert!(glwe[glwe.len() - n + 1..].iter().all(|&x| x == 0));
        }
    }

    #[test]
    fn exponents_are_the_nearest_and_wrap() {
        let mut out = [0; 4];
        switch_modulus(&mut out, &[0x8000_0000, 0xffff_ffff, 0x000f_ffff, 0x4000_0000], 11, 0, (1, 2));
        assert_eq!(out, [1024, 0, 0, 512]);
        // Two roundings of almost half a step each move the body by half their sum.
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4010_0000], 11, 0, (1, 2));
        assert_eq!(out, [0, 0, 0, 512]);
        // By a third of it, or not at all.
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4019_9999], 11, 0, (1, 3));
        assert_eq!(out, [0, 0, 0, 512]);
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4010_0000], 11, 0, (0, 1));
        assert_eq!(out, [0, 0, 0, 513]);
        switch_modulus(&mut out, &[0x0040_0000, 0, 0, 0x4100_0000], 11, 2, (1, 2));
        assert!(out.iter().all(|x| x % 4 == 0));
    }
}
