//! Ciphertexts over limbs.

use everlevel_limbs::{Origin, log2_hypot};
use everlevel_ring::LimbRing;
use everlevel_rlwe::{Rlwe, SecretId};

use crate::claims::doubles;

/// An encrypted vector, with what is known of its values and of its noise.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(super) origin: Origin,
    pub(super) ct: Rlwe<LimbRing>,
    pub(super) budget_bits: u32,
    pub(super) bound: f64,
    /// log2 of the noise's standard deviation in a coefficient, as a part of the torus.
    pub(super) log2_noise: f64,
}

impl Ciphertext {
    /// The name of the secret that it is under.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

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

    /// log2 of the root mean square of the error of a decrypted slot, by the formulas: of the noise, and of the doubles
    /// that values leave as.
    pub fn log2_error(&self) -> f64 {
        let n = self.ct.c0.limb(0).len();
        let of_noise = self.log2_noise + f64::from(self.budget_bits) + 0.5 * (n as f64).log2();
        let of_doubles = 2f64.sqrt() * doubles::transform(n / 2) * self.bound.max(f64::MIN_POSITIVE);
        log2_hypot(of_noise, of_doubles.log2())
    }
}
