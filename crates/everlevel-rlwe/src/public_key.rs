//! Public keys in any representation.

use everlevel_rand::{Domain, Seed, sampler};
use everlevel_ring::{PrimeSet, Representation, Ring, SampleRing};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::encryptor::encryptor;
use crate::sample::rounding_std_dev;
use crate::{Randomness, Rlwe, SIGMA, SecretKey};

/// `b = −a·s + e` over a modulus; `a` is the stream of `mask_seed`.
pub struct PublicKey<R: Representation = Ring> {
    mask_seed: Seed,
    /// Body and mask.
    pair: Rlwe<R>,
}

impl<R: Representation> std::fmt::Debug for PublicKey<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicKey").field("mask_seed", &self.mask_seed).finish_non_exhaustive()
    }
}

impl<R: SampleRing> PublicKey<R> {
    /// A public key over a modulus, which includes what encryption divides by.
    pub fn generate(ring: &R, modulus: &R::Modulus, secret: &SecretKey<R>, randomness: impl Into<Randomness>) -> Self {
        let randomness = randomness.into();
        let mask_seed = randomness.masks().clone();
        let pair = Rlwe::encrypt_zero(ring, modulus, secret, randomness);
        Self { mask_seed, pair }
    }

    /// A key from what [`PublicKey::body`] and [`PublicKey::mask_seed`] give; the mask expands from the seed.
    pub fn from_parts(ring: &R, modulus: &R::Modulus, mask_seed: Seed, body: R::Poly) -> Self {
        let c1 = ring.uniform(modulus, 1, &mask_seed, 0).remove(0);
        Self { mask_seed, pair: Rlwe { c0: body, c1 } }
    }

    /// The body.
    pub fn body(&self) -> &R::Poly {
        &self.pair.c0
    }

    /// The seed that the mask expands from.
    pub fn mask_seed(&self) -> &Seed {
        &self.mask_seed
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.pair.nbytes()
    }

    /// Encryption of zero over a modulus that the key's has, by an ephemeral secret that is uniform ternary; `seed`
    /// must be secret and fresh.
    pub fn encrypt_zero(&self, ring: &R, modulus: &R::Modulus, seed: &Seed) -> Rlwe<R> {
        let mut coeffs = Zeroizing::new(vec![0i8; ring.degree()]);
        sampler::ternary(&mut seed.stream(Domain::Ephemeral, 0), &mut coeffs);
        let mut ephemeral = ring.secret_over(modulus, &coeffs);
        // Masks are the public key's own: only the noise is fresh.
        let randomness = Randomness::new(self.mask_seed.clone(), seed.clone());
        let errors = encryptor(ring, &ephemeral);
        let half = |(i, part): (usize, &R::Poly)| {
            let mut c = errors.error(modulus, Domain::EncryptionNoise, &randomness, 1 + i as u64);
            ring.add_masked(&mut c, part, &ephemeral);
            c
        };
        let halves: Vec<R::Poly> = [&self.pair.c0, &self.pair.c1].into_par_iter().enumerate().map(half).collect();
        R::erase(&mut ephemeral);
        <[R::Poly; 2]>::try_from(halves).unwrap_or_else(|_| unreachable!("two halves")).into()
    }
}

impl PublicKey {
    /// The primes, the special ones among them.
    pub fn set(&self) -> &PrimeSet {
        self.pair.set()
    }

    /// [`PublicKey::encrypt_zero`] over `target` and `special` together, divided by `special`, so that the noise is
    /// that of one rounding.
    pub fn encrypt_zero_divided(&self, ring: &Ring, target: &PrimeSet, special: &PrimeSet, seed: &Seed) -> Rlwe {
        self.encrypt_zero(ring, &target.union(special), seed).rescale(ring, target)
    }
}

/// A public-key encryption: `σ·√(2n/3 + 1 + weight)`.
pub fn undivided_public_encryption_std_dev(n: usize, weight: usize) -> f64 {
    SIGMA * (2.0 * n as f64 / 3.0 + 1.0 + weight as f64).sqrt()
}

/// A public-key encryption over `target·special`, divided by `special`.
pub fn public_encryption_std_dev(n: usize, weight: usize, log2_special: f64) -> f64 {
    (undivided_public_encryption_std_dev(n, weight) * (-log2_special).exp2()).hypot(rounding_std_dev(weight))
}
