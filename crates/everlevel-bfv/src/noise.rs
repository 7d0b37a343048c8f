//! Formulas of noise, as log2 of standard deviations in units of the torus: they lie far below what a double holds.
//!
//! With `n` coefficients, a secret of `w = 2n/3` nonzero ones and phases `φ_i = m_i/t + e_i + I_i`, lifted to real
//! numbers of deviation `√((w + 1)/12)`, the product `t·φ_1·φ_2` has the error `t·(φ_1·e_2 + φ_2·e_1)`, up to terms
//! that are smaller by a factor `e/φ`. Operands may share their errors, so that deviations add up, and not variances.
//!
//! *Powers of the secret.* Every phase is the secret times something, and in a product of phases it is the same secret:
//! at a root of unity `ζ`, `|s(ζ)|²/w` is distributed as an exponential variable `x`, over the roots, so that errors
//! with `d` phases in them have a variance of `E(x^d) = d!` times what independent factors would have. A product
//! multiplies the variance by `d + 1`, and by no more than the largest of the `n/2` values, which exceeds
//! `ln(n/2) + 20` with probability `e^−20`.

use everlevel_limbs::{log2_hypot, log2_sum};

use crate::Params;

/// log2 of the probability that a decryption's coefficient is wrong where the budget is 0.
pub const LOG2_P_FAIL: f64 = -128.0;

/// log2 of the number of deviations that a Gaussian exceeds with that probability: 13.06.
const LOG2_DEVIATIONS: f64 = 3.707;

/// A ciphertext's noise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noise {
    /// log2 of the noise's standard deviation.
    pub log2: f64,
    /// The most phases that are factors of the noise's errors.
    pub phases: u32,
}

impl Noise {
    /// The noise of a sum of errors that don't depend on each other, of which the second has no phases.
    #[must_use]
    pub fn and(self, log2_other: f64) -> Self {
        Self { log2: log2_hypot(self.log2, log2_other), ..self }
    }

    /// The noise of a sum of errors that may depend on each other, as those of a vector and itself.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { log2: log2_sum(self.log2, other.log2), phases: self.phases.max(other.phases) }
    }

    /// The noise that bounds both.
    #[must_use]
    pub fn largest(self, other: Self) -> Self {
        Self { log2: self.log2.max(other.log2), phases: self.phases.max(other.phases) }
    }

    /// The noise times a factor.
    #[must_use]
    pub fn times(self, log2_factor: f64) -> Self {
        Self { log2: self.log2 + log2_factor, ..self }
    }
}

impl Params {
    /// Bits by which noise may grow: `log2(1/2t)` less the deviations of [`LOG2_P_FAIL`].
    pub(crate) fn budget_bits(&self, noise: Noise) -> f64 {
        -1.0 - (self.plain_modulus() as f64).log2() - LOG2_DEVIATIONS - noise.log2
    }

    /// log2 of a unit of the last limb.
    pub(crate) fn log2_unit(&self) -> f64 {
        self.shape().log2_unit(self.limbs())
    }

    /// An encryption: its error, and the rounding of the message.
    pub(crate) fn fresh_noise(&self) -> Noise {
        Noise { log2: self.shape().fresh_noise(), phases: 0 }
    }

    /// An encryption by a public key, whose mask's error is multiplied by the secret, as a phase is.
    pub(crate) fn public_noise(&self) -> Noise {
        Noise { log2: self.shape().public_noise(), phases: 1 }
    }

    /// log2 of the noise of a half product with a key, rounded to the ciphertext's limbs.
    pub(crate) fn switch_noise(&self) -> f64 {
        self.shape().switch_noise(self.limbs())
    }

    /// A product of two ciphertexts of these noises, relinearised.
    pub(crate) fn product_noise(&self, a: Noise, b: Noise) -> Noise {
        let sum = a.plus(b);
        let phases = sum.phases + 1;
        let power = f64::from(phases).min((self.n() as f64 / 2.0).ln() + 20.0);
        let log2_phase = 0.5 * (power * (self.shape().weight() as f64 + 1.0) / 12.0).log2();
        let factor = (self.plain_modulus() as f64).log2() + 0.5 * (self.n() as f64).log2() + log2_phase;
        let rounding = self.shape().tensor_noise(self.limbs());
        Noise { phases, ..sum.times(factor).and(rounding).and(self.switch_noise()) }
    }
}
