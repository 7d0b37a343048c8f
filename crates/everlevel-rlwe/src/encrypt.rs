//! The distribution of errors, and ciphertexts over residues.

use std::sync::OnceLock;

use everlevel_rand::sampler::Gaussian;
use everlevel_ring::{PrimeSet, Representation, Ring};

use crate::{Encryptor, Rlwe, SIGMA};

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

    /// [`everlevel_ring::Poly::restricted`] of both parts.
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        self.map(|part| part.restricted(set))
    }
}
