//! LWE ciphertexts on the torus: encryption, sums, extraction from GLWE ciphertexts; public keys, key and modulus
//! switches below.

use std::sync::Arc;

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::TorusWord;
use zeroize::Zeroizing;

use crate::Randomness;

mod key_switch;
mod mod_switch;
mod public_key;

pub use key_switch::{KeySwitchKey, SeededKeySwitchKey, SwitchShape};
pub use mod_switch::switch_modulus;
pub use public_key::CompactPublicKey;

/// `(a_1, …, a_dim, b)` with phase `b − Σ a_i·s_i`; torus elements are the leading bits of the words, the body is the
/// last word. Copies share their words until one is changed.
#[derive(Debug, Clone)]
pub struct Lwe {
    words: Arc<Vec<u64>>,
    /// The mask's address, until the mask is changed.
    address: Option<MaskAddress>,
}

/// What a fresh ciphertext's mask is expanded from: a public seed, which the ciphertexts of one call share, and a place
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
