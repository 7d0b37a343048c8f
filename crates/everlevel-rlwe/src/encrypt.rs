//! Ciphertexts over residues, and public keys.

use std::sync::OnceLock;

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed, sampler};
use everlevel_ring::{Eval, Poly, PrimeSet, Representation, Ring};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::{Encryptor, Randomness, Rlwe, SIGMA, SecretKey};

/// `b = −a·s + e` over some primes; `a` is the stream of `mask_seed`.
#[derive(Debug)]
pub struct PublicKey {
    mask_seed: Seed,
    /// Body and mask.
    pair: Rlwe,
}

/// The table of the error distribution.
fn gaussian() -> &'static Gaussian {
    static TABLE: OnceLock<Gaussian> = OnceLock::new();
    TABLE.get_or_init(|| Gaussian::new(SIGMA).expect("sigma is inside the sampler's range"))
}

/// The encryptor of a secret, whose errors have deviation [`SIGMA`] in units of the ring's last place.
pub fn encryptor<'a, R: Representation>(ring: &'a R, secret: &'a R::Secret) -> Encryptor<'a, R> {
    Encryptor { ring, secret, error: gaussian() }
}

impl Rlwe {
    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        self.c0.set()
    }

    /// `self *= c` for an integer.
    pub fn mul_integer_assign(&mut self, ring: &Ring, c: u64) {
        for part in [&mut self.c0, &mut self.c1] {
            ring.mul_residues_assign(part, |m| m.reduce(c));
        }
    }

    /// [`Ring::rescale`] of both parts.
    pub fn rescale(self, ring: &Ring, target: &PrimeSet) -> Self {
        Self::rescale_many(vec![self], ring, target).remove(0)
    }

    /// [`Ring::rescale`] of both parts of several ciphertexts over the same primes.
    pub fn rescale_many(all: Vec<Self>, ring: &Ring, target: &PrimeSet) -> Vec<Self> {
        let pairs = all.into_iter().map(|ct| [ct.c0, ct.c1]).collect();
        ring.rescale_pairs(pairs, target).into_iter().map(Self::from).collect()
    }

    /// [`Poly::restricted`] of both parts.
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        self.map(|part| part.restricted(set))
    }
}

impl PublicKey {
    /// A public key over `set`, which includes the special primes that encryption divides by.
    pub fn generate(ring: &Ring, set: &PrimeSet, secret: &SecretKey, randomness: impl Into<Randomness>) -> Self {
        let randomness = randomness.into();
        let mask_seed = randomness.masks().clone();
        let pair = Rlwe::encrypt_zero(ring, set, secret, randomness);
        Self { mask_seed, pair }
    }

    /// A key from what [`PublicKey::body`] and its neighbours give; the mask expands from the seed.
    pub fn from_parts(ring: &Ring, mask_seed: Seed, body: Poly<Eval>) -> Self {
        let c1 = ring.uniform_poly(body.set(), &mask_seed, 0);
        Self { mask_seed, pair: Rlwe { c0: body, c1 } }
    }

    /// The body.
    pub fn body(&self) -> &Poly<Eval> {
        &self.pair.c0
    }

    /// The primes, the special ones among them.
    pub fn set(&self) -> &PrimeSet {
        self.pair.set()
    }

    /// The seed that the mask expands from.
    pub fn mask_seed(&self) -> &Seed {
        &self.mask_seed
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.pair.nbytes()
    }

    /// Encryption of zero over `target`: made over `target` and `special` together and divided by `special`, so that
    /// the noise is that of one rounding.
    ///
    /// The ephemeral secret is uniform ternary; `seed` must be secret and fresh.
    pub fn encrypt_zero(&self, ring: &Ring, target: &PrimeSet, special: &PrimeSet, seed: &Seed) -> Rlwe {
        let set = target.union(special);
        let mut ephemeral = Zeroizing::new(vec![0i8; ring.n()]);
        sampler::ternary(&mut seed.stream(Domain::Ephemeral, 0), &mut ephemeral);
        let wide: Zeroizing<Vec<i64>> = Zeroizing::new(ephemeral.iter().map(|&c| i64::from(c)).collect());
        let v = Zeroizing::new(ring.to_eval(ring.from_i64(&set, &wide)));
        // Masks are the public key's own: only the noise is fresh.
        let randomness = Randomness::new(self.mask_seed.clone(), seed.clone());
        let errors = encryptor(ring, &v);
        let halves: Vec<_> = [&self.pair.c0, &self.pair.c1]
            .par_iter()
            .enumerate()
            .map(|(i, part)| {
                let mut c = errors.error(&set, Domain::EncryptionNoise, &randomness, 1 + i as u64);
                ring.mul_add_assign(&mut c, &v, part);
                ring.rescale(c, target)
            })
            .collect();
        let [c0, c1] = <[Poly<Eval>; 2]>::try_from(halves).unwrap_or_else(|_| unreachable!("two halves"));
        Rlwe { c0, c1 }
    }
}
