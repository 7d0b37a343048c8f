//! Noise formulas. All are standard deviations of one coefficient of the phase, for secrets with independent signs.

use crate::SIGMA;

/// Rounding `(c0, c1)` to integers, under a secret of `weight` nonzero coefficients: `√((weight + 1)/12)`.
pub fn rounding_std_dev(weight: usize) -> f64 {
    ((weight as f64 + 1.0) / 12.0).sqrt()
}

/// Rounding `(c0, c1, c2)` to integers, where `c2` belongs to `s²`, whose coefficients have a sum of squares of about
/// `2·weight²`: `√((2·weight² + weight + 1)/12)`.
pub fn square_rounding_std_dev(weight: usize) -> f64 {
    let weight = weight as f64;
    ((2.0 * weight * weight + weight + 1.0) / 12.0).sqrt()
}

/// A half external product with digits of at most `log2_digit` bits, divided by `P`: `(D/P)·σ·√(digits·n/12)`, to which
/// the rounding of the division adds.
///
/// *Over limbs*, in units of the last of a result's `l` limbs, a digit has `D·K` bits, and the key's limbs beyond `l`
/// stand for `P`: `(limbs − l)·K` bits. The rounding is that of the result to its limbs.
pub fn key_switch_std_dev(n: usize, digits: usize, log2_digit: f64, log2_special: f64) -> f64 {
    (log2_digit - log2_special).exp2() * SIGMA * (digits as f64 * n as f64 / 12.0).sqrt()
}

/// A public-key encryption: `σ·√(2n/3 + 1 + weight)`.
pub fn undivided_public_encryption_std_dev(n: usize, weight: usize) -> f64 {
    SIGMA * (2.0 * n as f64 / 3.0 + 1.0 + weight as f64).sqrt()
}

/// A public-key encryption over `target·special`, divided by `special`.
pub fn public_encryption_std_dev(n: usize, weight: usize, log2_special: f64) -> f64 {
    (undivided_public_encryption_std_dev(n, weight) * (-log2_special).exp2()).hypot(rounding_std_dev(weight))
}
