//! Secret keys, and the keys of half products.

use std::collections::BTreeMap;

use everlevel_ring::LimbRing;
use everlevel_rlwe::SwitchingKey;

use crate::ParamsLiteral;

/// A dense ternary secret.
#[derive(Debug)]
pub struct SecretKey {
    pub(crate) literal: ParamsLiteral,
    pub(crate) key: everlevel_rlwe::SecretKey<LimbRing>,
}

/// The keys of one secret that evaluation needs. They are public.
#[derive(Debug)]
pub struct EvalKeys {
    pub(crate) literal: ParamsLiteral,
    pub(crate) secret_id: u64,
    pub(crate) relinearization: SwitchingKey<LimbRing>,
    /// By Galois element, with the amount of the rotation, or 0 for the swap of rows.
    pub(crate) galois: BTreeMap<u64, (i64, SwitchingKey<LimbRing>)>,
}

impl EvalKeys {
    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        let rotations = self.galois.values().map(|(_, key)| key.rows().nbytes());
        self.relinearization.rows().nbytes() + rotations.sum::<usize>()
    }
}
