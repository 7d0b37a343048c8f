//! The few mathematical functions that the estimator needs and the standard library lacks.

use std::f64::consts::{LN_2, PI};

/// The first of `low, low + 1, …, high` where a condition holds that stays true once true; whole bounds.
pub(crate) fn first(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    if !holds(high) {
        return None;
    }
    let (mut fails, mut holding) = (low - 1.0, high);
    while holding - fails > 1.0 {
        let middle = ((fails + holding) / 2.0).floor();
        if holds(middle) { holding = middle } else { fails = middle }
    }
    Some(holding)
}

/// `log2(2^a + 2^b)`.
pub(crate) fn log2_sum(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if high == f64::NEG_INFINITY { high } else { high + (low - high).exp2().ln_1p() / LN_2 }
}

/// `ln Γ(x)` by Stirling's series, for `x ≥ 1`.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    if x < 16.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
}

pub(crate) fn ln_binomial(n: f64, k: f64) -> f64 {
    if k < 0.0 || k > n {
        return f64::NEG_INFINITY;
    }
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// `ψ(x)`, the derivative of [`ln_gamma`], by its asymptotic series, for `x > 0`.
pub(crate) fn digamma(x: f64) -> f64 {
    if x < 16.0 {
        return digamma(x + 1.0) - 1.0 / x;
    }
    let square = 1.0 / (x * x);
    x.ln() - 0.5 / x - square / 12.0 + square * square / 120.0
}

/// The probability that a sum of `k` squares of standard Gaussian variables is at most `x` (Wilson and Hilferty, 1931):
/// within 1e-3 where `k` is at least 60.
pub(crate) fn chi_squared(k: f64, x: f64) -> f64 {
    let spread = 2.0 / (9.0 * k);
    let z = ((x / k).cbrt() - 1.0 + spread) / (2.0 * spread).sqrt();
    0.5 * (1.0 + z.signum() * erf(z.abs()))
}

/// The error function within 1.5e-7, for `x ≥ 0` (Abramowitz and Stegun 7.1.26).
pub(crate) fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let c = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    1.0 - c.iter().rev().fold(0.0, |sum, c| (sum + c) * t) * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (found, expected) in [
            (ln_gamma(1.0), 0.0),
            (ln_gamma(0.5), 0.5 * PI.ln()),
            (ln_gamma(11.0), 3_628_800f64.ln()),
            (ln_binomial(52.0, 5.0), 2_598_960f64.ln()),
            (log2_sum(3.0, 3.0), 4.0),
            (log2_sum(-2000.0, f64::NEG_INFINITY), -2000.0),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
        assert_eq!(ln_binomial(3.0, 4.0), f64::NEG_INFINITY);
        assert_eq!(log2_sum(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
        for (x, expected) in [(1.0, -0.577_215_664_902), (0.5, -1.963_510_026_021), (100.0, 4.600_161_852_738)] {
            assert!((digamma(x) - expected).abs() < 1e-8, "ψ({x}) = {}", digamma(x));
        }
        // Tables of the distribution: 5 %, 50 % and 99 % for 60 and 100 squares.
        for (k, x, expected) in
            [(60.0, 43.188, 0.05), (60.0, 59.335, 0.5), (100.0, 99.334, 0.5), (100.0, 135.807, 0.99)]
        {
            assert!((chi_squared(k, x) - expected).abs() < 1e-3, "{k}, {x}: {}", chi_squared(k, x));
        }
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_878), (2.0, 0.995_322_265), (30.0, 1.0)] {
            assert!((erf(x) - expected).abs() < 1.5e-7, "erf({x}) = {}", erf(x));
        }
        assert_eq!(first(3.0, 9.0, |x| x >= 7.0), Some(7.0));
        assert_eq!(first(3.0, 9.0, |_| true), Some(3.0));
        assert_eq!(first(3.0, 9.0, |x| x > 9.0), None);
    }
}
