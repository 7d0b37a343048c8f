#![doc = include_str!("../notes/tfhe.md")]
//!
//! Everything here is a variance of the phase, as a part of the torus squared, unless its name says otherwise.

use everlevel_math::fft::Together;
use everlevel_ring::WordGadget as Gadget;
use everlevel_ring::torus::log2_key_unit;

use crate::common::{Common, Order, SwitchStep, digit_square};
use crate::tfhe::ParamsLiteral;

/// Share of `2^-53` that the transform's rounding has, per level of the transform, as a variance: fitted to this
/// library's FFT (`tests/noise.rs` measures it).
pub(crate) const FFT_ERROR: f64 = 2.0;

/// The variance that each step of a bootstrap adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Error of one sample of the small secret.
    pub lwe: f64,
    /// Error of one sample of the large secret.
    pub glwe: f64,
    /// A fresh encryption.
    pub fresh: f64,
    /// One blind rotation.
    pub blind_rotation: f64,
    /// The key switch, or all of a key-switch chain.
    pub key_switch: f64,
    /// The modulus switch.
    pub mod_switch: f64,
    /// The output of a bootstrap: the blind rotation, and the key switch where the key switch comes last.
    pub bootstrapped: f64,
    order: Order,
}

impl Noise {
    /// The noise where a blind rotation, the key switches and the modulus switch add so much.
    pub(crate) fn new(c: &Common, blind_rotation: f64, key_switch: f64, mod_switch: f64) -> Self {
        let (lwe, glwe) = ((2.0 * c.lwe_log2_std_dev).exp2(), (2.0 * c.big_log2_std_dev).exp2());
        let (fresh, bootstrapped) = match c.order {
            Order::KeySwitchFirst => (glwe, blind_rotation),
            Order::BootstrapFirst => (lwe, blind_rotation + key_switch),
        };
        Self { lwe, glwe, fresh, blind_rotation, key_switch, mod_switch, bootstrapped, order: c.order }
    }

    /// The variance of the small ciphertext that selects a table's entry, where the input of the bootstrap has
    /// `variance`.
    pub fn at_table(&self, variance: f64) -> f64 {
        let key_switch = if self.order == Order::KeySwitchFirst { self.key_switch } else { 0.0 };
        variance + key_switch + self.mod_switch
    }
}

/// Variance of the part that a decomposition rounds away: `B^(−2l)/12`.
pub(crate) fn rounding(gadget: Gadget) -> f64 {
    (-2.0 * f64::from(gadget.bits())).exp2() / 12.0
}

/// The factors of the variance of one product's errors, and of a rounding's, for each bit of a step.
pub(crate) fn errors_per_bit(l: &ParamsLiteral) -> (f64, f64) {
    match l.together() {
        None => (1.0, 0.5),
        Some(Together::Pair) => (4.0, 0.75),
        Some(block) => (2.0, 2.0 / (block.bits() as f64 + 1.0)),
    }
}

/// The variance that a step of a blind rotation adds for each of its bits, on average over the bits. A step of one bit
/// is an external product: `N·σ²·(k·l_a·(B_a²+2) + l_b·(B_b²+2))/12 + ½·(φ/2·B_a^(−2l_a) + B_b^(−2l_b))/12`, and the
/// transforms' errors, where `φ` coefficients of the secret are drawn. A step of two bits is at most three products,
/// whose errors are multiplied by one or two factors `X^e − 1` that each double a variance, and a rounding that has
/// such a factor in three of four cases. Of a block of `ℓ` bits each has a product with one such factor, and the
/// rounding has one in `ℓ` of `ℓ + 1` cases.
pub fn external_product(l: &ParamsLiteral) -> f64 {
    let (n, k) = (l.n() as f64, l.rank as f64);
    let (a, b) = (l.mask_gadget, l.body_gadget);
    let digits = k * f64::from(a.digits) * digit_square(a) + f64::from(b.digits) * digit_square(b);
    let key = (2.0 * l.glwe_log2_std_dev).exp2() + stored_key(l);
    let secret = l.big_dim() as f64 / 2.0;
    let (products, rounded) = errors_per_bit(l);
    products * n * key * digits + rounded * (secret * rounding(a) + rounding(b)) + transforms(l)
}

/// The variance that storing transformed keys of a 32-bit torus as integers adds to the error of each row, seen through
/// the secret: `u²/12·2/N` for each of `1 + φ/2` coefficients, with `u` the unit.
pub fn stored_key(l: &ParamsLiteral) -> f64 {
    stored_key_of(l, l.big_dim() as f64 / 2.0)
}

/// [`stored_key`] through a secret of so many ones.
pub(crate) fn stored_key_of(l: &ParamsLiteral, weight: f64) -> f64 {
    if l.torus_bits != 32 {
        return 0.0;
    }
    let n = l.n() as f64;
    let unit = (f64::from(log2_key_unit(l.n())) - 32.0).exp2();
    (1.0 + weight) * unit * unit / 12.0 * 2.0 / n
}

/// The f64 transforms' rounding for each bit of a step: relative errors of `2^-53`, once a level, on sums of `rows·N`
/// products of digits and torus elements, seen through the secret.
pub fn transforms(l: &ParamsLiteral) -> f64 {
    transforms_of(l, l.big_dim() as f64 / 2.0)
}

/// [`transforms`] through a secret of so many ones.
pub(crate) fn transforms_of(l: &ParamsLiteral, weight: f64) -> f64 {
    let (a, b) = (l.mask_gadget, l.body_gadget);
    let digits = l.rank as f64 * f64::from(a.digits) * digit_square(a) + f64::from(b.digits) * digit_square(b);
    errors_per_bit(l).0 * of_transforms(l.log_n, digits, weight)
}

/// Variance of the transforms' rounding in a product with digits of this sum of mean squares, seen through a secret of
/// so many ones.
pub(crate) fn of_transforms(log_n: u32, digits: f64, weight: f64) -> f64 {
    let n = f64::from(log_n).exp2();
    FFT_ERROR * (-106.0f64).exp2() * f64::from(log_n) * n * digits / 12.0 * (1.0 + weight)
}

/// Variance of a key switch of `dim` coefficients whose key has errors of variance `error`, where the coefficients of
/// the secret that is switched from have the mean square `S` (`1/2` for bits): `dim·l·σ²·(B²+2)/12 + dim·S·B^(−2l)/12`.
pub fn key_switch(dim: usize, gadget: Gadget, error: f64, secret_square: f64) -> f64 {
    let dim = dim as f64;
    dim * f64::from(gadget.digits) * error * digit_square(gadget) + secret_square * dim * rounding(gadget)
}

/// Variance of key switches one after another: the sum of theirs, since each takes what the one before it gives.
pub fn stair(steps: &[SwitchStep], secret_square: f64) -> f64 {
    let of_step = |SwitchStep { shape, log2_std_dev }: &SwitchStep| {
        key_switch(shape.switched_dim(), shape.gadget, (2.0 * log2_std_dev).exp2(), secret_square)
    };
    steps.iter().map(of_step).sum()
}

/// Variance of a modulus switch to `2N`, where tables have `N` coefficients, with the mean of the rounding corrected:
/// `(S + 1)/(12·(2N)²)`, with `S` the secret's [`SmallSecret::centred_square`](crate::SmallSecret::centred_square),
/// `n/4` for bits.
pub fn mod_switch(centred_square: f64, n: usize) -> f64 {
    (centred_square + 1.0) / (12.0 * (2.0 * n as f64).powi(2))
}

/// Bound of `Σ_i |E_i(ω)|²` over the `k` polynomials of a public key's errors stays below, in units of the mean of one:
/// it is larger at a root with probability below `2^-60`.
fn largest_of_transform(rank: f64) -> f64 {
    64.0 + 4.0 * rank
}

/// Variance of ciphertexts of a public key, in any combination, for each of the factors' squares: the errors of a list
/// depend on each other, and this is what the largest eigenvalue of their covariance stays below,
/// `σ²·(1 + 2/3·N·(64 + 4k) + k/sin²(π/2N))`, for every secret, and all public keys but one in `2^50`.
///
/// A list's errors are `Σ_i E_i·r_i + F − Σ_j F_j·S_j`. Products with a polynomial `P` of ternary `r` or of errors `F`
/// have the eigenvalues `|P(ω)|²`, times the variance of a coefficient, at the primitive `2N`-th roots of unity `ω`.
/// Coefficients of the secret are at most 1, so that `|S(ω)|` is at most `1/sin(π/2N)`; `|E(ω)|²` is exponentially
/// distributed, with mean `N·σ²`.
pub fn public_key(c: &Common) -> f64 {
    let (n, rank) = (c.n() as f64, c.rank() as f64);
    let of_secret = rank / (std::f64::consts::PI / (2.0 * n)).sin().powi(2);
    let of_errors = 2.0 / 3.0 * n * largest_of_transform(rank);
    (2.0 * c.big_log2_std_dev).exp2() * (1.0 + of_errors + of_secret)
}

/// log2 of the probability that Gaussian noise of this variance exceeds a margin, on either side: `erfc(margin/√(2V))`.
pub fn log2_p_fail(margin_torus: f64, variance: f64) -> f64 {
    log2_erfc(margin_torus / (2.0 * variance).sqrt())
}

/// The variance at which Gaussian noise exceeds a margin with this probability: the inverse of [`log2_p_fail`], and
/// without an end where it always may.
pub fn variance_at(margin_torus: f64, log2_p_fail: f64) -> f64 {
    if log2_p_fail >= 0.0 {
        return f64::INFINITY;
    }
    // erfc(x) is below exp(−x²).
    let (mut low, mut high) = (0.0, (-log2_p_fail * std::f64::consts::LN_2).sqrt());
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if log2_erfc(middle) > log2_p_fail { low = middle } else { high = middle }
    }
    (margin_torus / high).powi(2) / 2.0
}

/// log2 of `erfc(x)` for `x ≥ 0`, by its continued fraction where that converges fast and by its series elsewhere.
pub fn log2_erfc(x: f64) -> f64 {
    use std::f64::consts::{FRAC_2_SQRT_PI, LOG2_E, PI};
    if x < 2.0 {
        let (mut sum, mut term) = (0.0, x);
        for i in 0..80 {
            sum += term / f64::from(2 * i + 1);
            term *= -x * x / f64::from(i + 1);
        }
        return (1.0 - FRAC_2_SQRT_PI * sum).log2();
    }
    // erfc(x) = exp(−x²)/√π · 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + …)))).
    let fraction = (1..=80).rev().fold(x, |tail, i| x + 0.5 * f64::from(i) / tail);
    -x * x * LOG2_E - (fraction * PI.sqrt()).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_have_the_probabilities_that_they_are_asked_for() {
        for expected in [-0.5, -1.0, -20.0, -64.0, -128.0, -2000.0] {
            let found = log2_p_fail(0.125, variance_at(0.125, expected));
            assert!((found - expected).abs() < 1e-9 * -expected, "{expected}: {found}");
        }
        assert_eq!(variance_at(0.125, 0.0), f64::INFINITY);
    }

    #[test]
    fn erfc_is_right_on_both_sides_of_its_seam() {
        for (x, expected) in [
            (0.0, 0.0),
            (0.5, 0.479_500_122_186_953_5f64.log2()),
            (1.999, 0.004_698_443_5f64.log2()),
            (2.0, 0.004_677_734_981_047_266f64.log2()),
            (5.0, 1.537_459_794_428_035e-12f64.log2()),
            (20.0, 5.395_865_611_607_901e-176f64.log2()),
        ] {
            assert!((log2_erfc(x) - expected).abs() < 1e-4, "{x}: {} {expected}", log2_erfc(x));
        }
    }
}
