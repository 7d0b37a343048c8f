//! The polynomials that a plan composes, on plain numbers.

use crate::circuits::elements::polynomial_depth;
use crate::series::Basis;

/// An odd polynomial of degree `2^depth − 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Even coefficients included as zeros.
    pub coefficients: Vec<f64>,
    /// Chebyshev, or power for an argument beyond [−1, 1].
    pub basis: Basis,
}

impl Step {
    /// A Chebyshev series, of an argument divided by a bound.
    pub fn new(coefficients: Vec<f64>, bound: f64) -> Self {
        if bound == 1.0 {
            return Self { coefficients, basis: Basis::Chebyshev };
        }
        let mut coefficients = in_powers(&coefficients);
        coefficients.iter_mut().enumerate().for_each(|(k, c)| *c *= bound.powf(-(k as f64)));
        Self { coefficients, basis: Basis::Power }
    }

    /// Levels consumed.
    pub fn levels(&self) -> usize {
        polynomial_depth(self.coefficients.len() - 1)
    }

    /// The value at a plain number.
    pub fn evaluate(&self, x: f64) -> f64 {
        match self.basis {
            Basis::Power => self.coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c),
            Basis::Chebyshev => series_at(&self.coefficients, x),
        }
    }
}

/// A Chebyshev series of at least one coefficient at a number, by Clenshaw's recurrence.
pub(crate) fn series_at(coefficients: &[f64], x: f64) -> f64 {
    let step = |(b1, b2): (f64, f64), c: &f64| (c + 2.0 * x * b1 - b2, b1);
    let (b1, b2) = coefficients[1..].iter().rev().fold((0.0, 0.0), step);
    coefficients[0] + x * b1 - b2
}

/// From the Chebyshev to the power basis, for two coefficients or more: `T_(k+1) = 2x·T_k − T_(k−1)` backwards.
fn in_powers(chebyshev: &[f64]) -> Vec<f64> {
    let times_x = |p: &[f64]| [&[0.0], p].concat();
    let sum = |mut a: Vec<f64>, b: &[f64], factor: f64| {
        a.resize(a.len().max(b.len()), 0.0);
        a.iter_mut().zip(b).for_each(|(x, y)| *x += factor * y);
        a
    };
    let n = chebyshev.len();
    let (mut low, mut high) = (vec![chebyshev[n - 2]], vec![chebyshev[n - 1]]);
    for c in chebyshev[..n - 2].iter().rev() {
        (low, high) = (sum(vec![*c], &high, -1.0), sum(low, &times_x(&high), 2.0));
    }
    sum(low, &times_x(&high), 1.0)
}

#[cfg(test)]
mod tests {
    use super::in_powers;

    #[test]
    fn series_become_powers() {
        assert_eq!(in_powers(&[1.0, 2.0]), [1.0, 2.0]);
        assert_eq!(in_powers(&[1.0, 2.0, 3.0]), [-2.0, 2.0, 6.0]);
        assert_eq!(in_powers(&[0.0, 1.0, 0.0, 1.0]), [0.0, -2.0, 0.0, 4.0]);
    }
}
