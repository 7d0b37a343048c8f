//! Blind rotation: the interface that schemes implement, and the stored keys that they are made ready from.

use std::fmt::Debug;

use everlevel_rand::Seed;
use everlevel_rlwe::Lwe;

use crate::lut::Lut;

/// A bootstrapping key ready for use: a scheme's accumulators and products.
pub(crate) trait BlindRotate: Debug + Send + Sync {
    /// Bytes of the key.
    fn nbytes(&self) -> usize;

    /// The stored key's bodies, where the key gives them back to the bit: `None` where its transforms round.
    fn bodies(&self) -> Option<Vec<u64>> {
        None
    }

    /// Inputs that one pass over the key serves: their accumulators fit a cache together.
    fn tile(&self) -> usize;

    /// For each input of a tile, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each
    /// table of the input's [`Lut`], are returned. Inputs are whole vectors of exponents, mask and then body, since the
    /// order of automorphisms depends on them all; `alone` says that no other input is waiting for the key.
    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>>;
}

/// A bootstrapping key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededBootstrapKey {
    /// The masks' seed; NTRU's rows have no masks.
    pub mask_seed: Seed,
    /// For each row, `N` leading bits.
    pub bodies: Vec<u64>,
}
