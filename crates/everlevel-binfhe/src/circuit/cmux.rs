//! The shape of CMuxes.

use everlevel_math::fft::{Digits, ExternalProduct, Fft};

use super::params::CircuitParams;

/// The external product of CMuxes: of a mask and a body, each with its digits.
pub(super) fn product(fft: Fft) -> ExternalProduct {
    ExternalProduct::new::<u64>(fft, &[Digits::from(CircuitParams::TREE), CircuitParams::TREE_BODY.into()], 0)
}
