//! Secret keys, and the keys of half products.

use std::collections::BTreeMap;

use everlevel_rand::Seed;
use everlevel_ring::LimbRing;
use everlevel_rlwe::SwitchingKey;

use crate::ParamsLiteral;

/// A dense ternary secret.
#[derive(Debug)]
pub struct SecretKey {
    pub(crate) literal: ParamsLiteral,
    /// What stands for it in files.
    pub(crate) seed: Seed,
    pub(crate) key: everlevel_rlwe::SecretKey<LimbRing>,
}

impl SecretKey {
    /// The secret's name, which is public.
    pub fn id(&self) -> u64 {
        self.key.id().0
    }

    /// Bytes in memory: its coefficients, and their transforms modulo three primes.
    pub fn nbytes(&self) -> usize {
        (1 + 3 * 8) * self.key.coeffs().len()
    }
}

/// A half product's key, and the seed of its masks, which is public.
#[derive(Debug)]
pub(crate) struct Key {
    pub masks: Seed,
    pub key: SwitchingKey<LimbRing>,
}

/// The keys of one secret that evaluation needs. They are public.
#[derive(Debug)]
pub struct EvalKeys {
    pub(crate) literal: ParamsLiteral,
    pub(crate) secret_id: u64,
    pub(crate) relinearization: Key,
    /// By Galois element, with the amount of the rotation.
    pub(crate) rotations: BTreeMap<u64, (i64, Key)>,
    pub(crate) swap_rows: Option<Key>,
}

impl EvalKeys {
    /// The name of the secret that they belong to.
    pub fn secret_id(&self) -> u64 {
        self.secret_id
    }

    /// The amounts of rotations that have keys.
    pub fn rotations(&self) -> Vec<i64> {
        let mut amounts: Vec<i64> = self.rotations.values().map(|(amount, _)| *amount).collect();
        amounts.sort_unstable();
        amounts
    }

    /// Whether rows can be swapped.
    pub fn has_swap_rows(&self) -> bool {
        self.swap_rows.is_some()
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        let rotations = self.rotations.values().map(|(_, key)| key);
        let all = rotations.chain(&self.swap_rows).chain([&self.relinearization]);
        all.map(|key| key.key.rows().nbytes()).sum()
    }
}
