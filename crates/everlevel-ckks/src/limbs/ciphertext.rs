//! Ciphertexts over limbs.

use everlevel_rlwe::LimbRlwe;

/// An encrypted vector, with what is known of its values and of its noise.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(super) secret_id: u64,
    pub(super) ct: LimbRlwe,
    pub(super) budget_bits: u32,
    pub(super) bound: f64,
    /// log2 of the noise's standard deviation, as a part of the torus.
    pub(super) log2_noise: f64,
}

impl Ciphertext {
    /// Bits that products and rescalings may spend: values are below `2^(budget − 2)`.
    pub fn budget_bits(&self) -> u32 {
        self.budget_bits
    }

    /// The bound of the values' sizes.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Limbs of either part.
    pub fn limbs(&self) -> usize {
        self.ct.limbs()
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.ct.nbytes()
    }

    /// Bits of the values' coefficients below the point that are above the noise's deviation, by the formulas; those of
    /// slots are `½·log2 n` fewer.
    pub fn precision_bits(&self) -> f64 {
        -(self.log2_noise + f64::from(self.budget_bits))
    }
}
