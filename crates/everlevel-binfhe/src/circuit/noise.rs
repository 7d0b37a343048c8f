//! The noise of circuit bootstraps and of look-ups in large tables (`docs/notes/circuit-bootstrap.md`, *Noise*).

use super::params::CircuitParams;
use crate::common::digit_square;
use crate::half_products;
use crate::key_noise::RARE;
use crate::noise::{self, rounding};

/// Variances of a circuit bootstrap's parts, as parts of the torus squared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CircuitNoise {
    /// The rotation's: of the constant coefficient of each row.
    pub rotation: f64,
    /// Noise that the automorphisms' half products add to a row, summed over its coefficients.
    pub expansion: f64,
    /// Noise that the half product with the secret's square adds to each coefficient of a row of the masks.
    pub square: f64,
    /// A CMux.
    pub cmux: f64,
    /// `m²·V_x/V²`, where the largest variance `V` that a table of margin `m` accepts has a part `V_x` from its input.
    pub tail: f64,
}

impl CircuitNoise {
    /// The noise of a look-up through so many CMuxes one after another: the variance of a Gaussian that fails as often.
    ///
    /// The errors of a look-up's rows are drawn once for it, so that its noise is a mixture of Gaussians, of variances
    /// with a chi-squared distribution of as many degrees of freedom as it has rows.
    pub fn output(&self, cmuxes: usize) -> f64 {
        let rows = cmuxes * CircuitParams::TREE.digits as usize;
        let x = self.tail / rows as f64;
        let mixture = if x > 1e-6 { x / -(-x).exp_m1() } else { 1.0 };
        mixture * cmuxes as f64 * self.cmux
    }

    fn new(params: &CircuitParams, rotation: f64, (deviations, turned): (f64, f64)) -> Self {
        let (n, outer) = (params.n() as f64, params.outer());
        // Ones of the secret, and the sum of the squares of its square's coefficients.
        let weight = outer.big_weight(deviations);
        let square_weight = n.powi(3) / 48.0 * (1.0 + 2.0 * deviations / n.sqrt());
        let half_product = |gadget, message| {
            half_products::variance(
                outer,
                (1, gadget),
                (half_products::digit_squares(gadget, 0, 1.0), message),
                deviations,
            )
        };
        // A step's noise is multiplied by two in each later step, which leaves half of the coefficients.
        let expansion = n * n * half_product(CircuitParams::EXPANSION, weight);
        let square = half_product(CircuitParams::SQUARE, square_weight);
        let (mask, body) = (CircuitParams::TREE, CircuitParams::TREE_BODY);
        let [mask_digits, body_digits] = [mask, body].map(|gadget| f64::from(gadget.digits) * digit_square(gadget));
        let row = rotation + expansion;
        let cmux = mask_digits * (weight * row + n * square)
            + body_digits * row
            + turned * (weight * rounding(mask) + rounding(body))
            + noise::of_transforms(outer.log_n, mask_digits + body_digits, weight);
        let margin = outer.margin_torus();
        let largest = noise::variance_at(margin, outer.max_log2_p_fail);
        let tail = (margin / largest).powi(2) * (largest - outer.noise().at_table(0.0)).max(0.0);
        Self { rotation, expansion, square, cmux, tail }
    }
}

impl CircuitParams {
    /// The noise that all keys but one in `2^40` stay below, whatever bits select.
    pub fn noise(&self) -> CircuitNoise {
        CircuitNoise::new(self, self.rotation().noise().blind_rotation, (RARE, 1.0))
    }

    /// The noise on average over keys, and over bits.
    pub fn mean_noise(&self) -> CircuitNoise {
        CircuitNoise::new(self, self.rotation().mean_noise().blind_rotation, (0.0, 0.5))
    }
}
