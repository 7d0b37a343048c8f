//! Ciphertexts.

use everlevel_limbs::Origin;
use everlevel_ring::LimbRing;
use everlevel_rlwe::{Rlwe, SecretId};

use crate::Params;
use crate::noise::Noise;

/// An encrypted vector, and what is known about its noise.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(crate) origin: Origin,
    pub(crate) ct: Rlwe<LimbRing>,
    pub(crate) noise: Noise,
    pub(crate) budget_bits: f64,
}

impl Ciphertext {
    pub(crate) fn new(params: &Params, origin: Origin, ct: Rlwe<LimbRing>, noise: Noise) -> Self {
        Self { origin, ct, noise, budget_bits: params.budget_bits(noise) }
    }

    /// The name of the secret that it is under.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// log2 of the noise's standard deviation as a part of the torus, by the formulas.
    pub fn log2_noise(&self) -> f64 {
        self.noise.log2
    }

    /// Bits by which the noise may still grow.
    pub fn budget_bits(&self) -> f64 {
        self.budget_bits
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.ct.nbytes()
    }
}
