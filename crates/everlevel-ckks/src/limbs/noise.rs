//! Formulas of noise, as log2 of standard deviations of a coefficient in units of the torus.
//!
//! A product's noise is `2^k·(m_a·2^−B_a·e_b + m_b·2^−B_b·e_a)`: a coefficient of `m·e` has the deviation of `e` times
//! the 2-norm of `m`, which is the root mean square of its slots, and at most their bound. Operands may share their
//! errors, so that deviations add up, and not variances.

use everlevel_ring::LimbGadget;
use everlevel_rlwe::noise::{key_switch_std_dev, rounding_std_dev, square_rounding_std_dev};

use super::Params;

/// log2 of `√(2^2a + 2^2b)`.
pub(super) fn and(a: f64, b: f64) -> f64 {
    a.max(b) + 0.5 * (1.0 + (-2.0 * (a - b).abs()).exp2()).log2()
}

/// log2 of `2^a + 2^b`.
pub(super) fn plus(a: f64, b: f64) -> f64 {
    a.max(b) + (1.0 + (-(a - b).abs()).exp2()).log2()
}

impl Params {
    /// Nonzero coefficients of a secret, at its mean.
    fn weight(&self) -> usize {
        2 * self.n() / 3
    }

    fn log2_unit(&self, limbs: usize) -> f64 {
        -f64::from(self.literal().log2_base) * limbs as f64
    }

    /// An encryption: its error, and the rounding of the message.
    pub(super) fn fresh_noise(&self) -> f64 {
        self.log2_unit(self.literal().limbs) + everlevel_rlwe::SIGMA.hypot((1.0f64 / 12.0).sqrt()).log2()
    }

    /// The rounding of both parts to a number of bits.
    pub(super) fn rounding_noise(&self, bits: u32) -> f64 {
        rounding_std_dev(self.weight()).log2() - f64::from(bits)
    }

    /// The rounding of a tensor product's three parts.
    pub(super) fn tensor_noise(&self, limbs: usize) -> f64 {
        self.log2_unit(limbs) + square_rounding_std_dev(self.weight()).log2()
    }

    /// A half product with a key, rounded to limbs.
    pub(super) fn switch_noise(&self, limbs: usize) -> f64 {
        let LimbGadget { digits, digit_limbs, limbs: of_key } = self.gadget();
        let digits = digits.min(limbs.div_ceil(digit_limbs));
        let key = key_switch_std_dev(self.n(), digits, 0.0, 0.0).log2() + self.log2_unit(of_key - digit_limbs);
        and(key, self.log2_unit(limbs) + rounding_std_dev(self.weight()).log2())
    }
}
