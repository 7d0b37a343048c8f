//! Ciphertexts.

use everlevel_limbs::Origin;
use everlevel_ring::LimbRing;
use everlevel_rlwe::{Rlwe, SecretId};

use crate::Params;
use crate::noise::Noise;

/// An encrypted vector, and what is known about its noise. A vector longer than the slots has several *units*, one
/// after the other, all of one noise: the largest. Operations act on each unit, and two operands have equally many.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(crate) origin: Origin,
    /// At least one.
    pub(crate) units: Vec<Rlwe<LimbRing>>,
    pub(crate) noise: Noise,
    pub(crate) budget_bits: f64,
}

impl Ciphertext {
    pub(crate) fn new(params: &Params, origin: Origin, units: Vec<Rlwe<LimbRing>>, noise: Noise) -> Self {
        Self { origin, units, noise, budget_bits: params.budget_bits(noise) }
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

    /// The number of units: at least 1.
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// Each unit as a vector of its own.
    pub fn units(&self) -> Vec<Self> {
        self.units.iter().map(|unit| Self { units: vec![unit.clone()], ..*self }).collect()
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.units.iter().map(Rlwe::nbytes).sum()
    }
}
