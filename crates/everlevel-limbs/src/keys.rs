//! Secret keys, and the keys of half products.

use std::collections::BTreeMap;

use everlevel_objects::Origin;
use everlevel_rand::Seed;
use everlevel_ring::LimbRing;
use everlevel_rlwe::{SecretId, SwitchingKey};

/// A dense ternary secret.
#[derive(Debug)]
pub struct SecretKey {
    pub(crate) origin: Origin,
    /// Number in files.
    pub(crate) seed: Seed,
    pub(crate) key: everlevel_rlwe::SecretKey<LimbRing>,
}

impl SecretKey {
    /// The secret's name, which is public.
    pub fn id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// Parameters and name.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The secret, ready for products.
    pub fn key(&self) -> &everlevel_rlwe::SecretKey<LimbRing> {
        &self.key
    }

    /// Bytes in memory: its coefficients, and their transforms modulo three primes.
    pub fn nbytes(&self) -> usize {
        (1 + 3 * 8) * self.key.coeffs().len()
    }
}

/// A key that encrypts, and can't decrypt.
#[derive(Debug)]
pub struct PublicKey {
    pub(crate) origin: Origin,
    pub(crate) key: everlevel_rlwe::PublicKey<LimbRing>,
}

impl PublicKey {
    /// The name of the secret that it belongs to.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.key.nbytes()
    }
}

/// A key to encrypt with: a secret's, whose ciphertexts have the smaller noise, or a public one.
#[derive(Debug, Clone, Copy)]
pub enum EncryptionKey<'a> {
    /// The secret itself.
    Secret(&'a SecretKey),
    /// The public key of a secret.
    Public(&'a PublicKey),
}

impl EncryptionKey<'_> {
    /// The parameters, and the name of the secret.
    pub fn origin(self) -> Origin {
        match self {
            Self::Secret(key) => key.origin,
            Self::Public(key) => key.origin,
        }
    }
}

impl<'a> From<&'a SecretKey> for EncryptionKey<'a> {
    fn from(key: &'a SecretKey) -> Self {
        Self::Secret(key)
    }
}

impl<'a> From<&'a PublicKey> for EncryptionKey<'a> {
    fn from(key: &'a PublicKey) -> Self {
        Self::Public(key)
    }
}

/// The keys of one secret that evaluation needs, for every precision. They are public.
#[derive(Debug)]
pub struct EvalKeys {
    pub(crate) origin: Origin,
    pub(crate) relinearization: SwitchingKey<LimbRing>,
    /// By Galois element, with the amount of the rotation.
    pub(crate) rotations: BTreeMap<u64, (i64, SwitchingKey<LimbRing>)>,
    pub(crate) inversion: Option<SwitchingKey<LimbRing>>,
}

impl EvalKeys {
    /// The name of the secret that they belong to.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// Their parameters, and their secret.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The key that takes the square of the secret away.
    pub fn relinearization(&self) -> &SwitchingKey<LimbRing> {
        &self.relinearization
    }

    /// The amounts of rotations that have keys.
    pub fn rotations(&self) -> Vec<i64> {
        let mut amounts: Vec<i64> = self.rotations.values().map(|(amount, _)| *amount).collect();
        amounts.sort_unstable();
        amounts
    }

    /// Whether there is a key for the inversion `X ↦ X^−1`: the swap of BFV's rows, or CKKS's conjugation.
    pub fn has_inversion(&self) -> bool {
        self.inversion.is_some()
    }

    /// Whether seeds and bodies are held alone.
    pub fn is_seeded(&self) -> bool {
        self.relinearization.rows().is_seeded()
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        let rotations = self.rotations.values().map(|(_, key)| key);
        let all = rotations.chain(&self.inversion).chain([&self.relinearization]);
        all.map(|key| key.nbytes()).sum()
    }
}
