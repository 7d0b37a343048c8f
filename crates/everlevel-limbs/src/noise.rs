//! Formulas of noise, as log2 of standard deviations of a coefficient, in units of the torus: they lie far below what a
//! double holds.

use everlevel_ring::LimbGadget;
use everlevel_rlwe::noise::{
    key_switch_std_dev, rounding_std_dev, square_rounding_std_dev, undivided_public_encryption_std_dev,
};

use crate::Shape;

/// `log2 √(2^2a + 2^2b)`: of a sum of errors that don't depend on each other.
pub fn log2_hypot(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + 0.5 * (1.0 + (2.0 * (low - high)).exp2()).log2()
}

/// `log2 (2^a + 2^b)`: of a sum of errors that may depend on each other, as those of a vector and itself.
pub fn log2_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + (1.0 + (low - high).exp2()).log2()
}

impl Shape {
    /// Nonzero coefficients of a secret, at its mean.
    pub fn weight(&self) -> usize {
        2 * self.n() / 3
    }

    /// Bits of so many limbs.
    pub fn bits_of(&self, limbs: usize) -> u32 {
        limbs as u32 * self.log2_base
    }

    /// log2 of a unit of the last of so many limbs.
    pub fn log2_unit(&self, limbs: usize) -> f64 {
        -f64::from(self.bits_of(limbs))
    }

    /// An encryption: its error, and the rounding of the message.
    pub fn fresh_noise(&self) -> f64 {
        self.log2_unit(self.limbs) + everlevel_rlwe::SIGMA.hypot((1.0f64 / 12.0).sqrt()).log2()
    }

    /// An encryption by a public key: the key's error times an ephemeral secret, its own, and the mask's error times
    /// the secret; and the rounding of the message.
    pub fn public_noise(&self) -> f64 {
        let key = undivided_public_encryption_std_dev(self.n(), self.weight());
        self.log2_unit(self.limbs) + key.hypot((1.0f64 / 12.0).sqrt()).log2()
    }

    /// The rounding of both parts to a number of bits.
    pub fn rounding_noise(&self, bits: u32) -> f64 {
        rounding_std_dev(self.weight()).log2() - f64::from(bits)
    }

    /// The rounding of both parts of so many limbs, times `2^up`, to a number of bits: none where that drops nothing.
    /// Few bits that are dropped have many ties, whose rounding is the largest: `d` bits are one of `2^d` fractions,
    /// and the variance of their rounding is `(1 + 2·4^−d)/12`.
    pub fn shift_noise(&self, limbs: usize, up: u32, bits: u32) -> f64 {
        let dropped = i64::from(self.bits_of(limbs)) - i64::from(up + bits);
        if dropped <= 0 {
            return f64::NEG_INFINITY;
        }
        self.rounding_noise(bits) + 0.5 * (1.0 + (1.0 - 2.0 * dropped as f64).exp2()).log2()
    }

    /// The rounding of a tensor product's three parts to so many limbs.
    pub fn tensor_noise(&self, limbs: usize) -> f64 {
        self.log2_unit(limbs) + square_rounding_std_dev(self.weight()).log2()
    }

    /// A half product with a key, of an element of so many limbs, rounded to as many.
    pub fn switch_noise(&self, limbs: usize) -> f64 {
        let LimbGadget { digits, digit_limbs, limbs: of_key } = self.gadget();
        let digits = digits.min(limbs.div_ceil(digit_limbs));
        let key = key_switch_std_dev(self.n(), digits, 0.0, 0.0).log2() + self.log2_unit(of_key - digit_limbs);
        log2_hypot(key, self.rounding_noise(self.bits_of(limbs)))
    }
}
