//! Polynomials on plain numbers, in the power and the Chebyshev basis: values, slopes and bounds.

use num_complex::Complex64;

use crate::claims::Bound;

/// The basis that a polynomial's coefficients belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// `1, x, x², …`
    Power,
    /// `T_0, T_1, T_2, …`, for real `x` in [−1, 1].
    Chebyshev,
}

/// `Σ coefficients[k]·B_k(x)`. Bounds hold for `|x| ≤ size`, and for all real `x` or all complex ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Series<'a> {
    pub basis: Basis,
    pub coefficients: &'a [f64],
    /// Whether bounds are those of real arguments.
    pub is_real: bool,
}

/// Terms of a bound: the degree, a coefficient's size, and the bounds of the basis element and of its slope.
struct Term {
    degree: f64,
    size: f64,
    value: f64,
    slope: f64,
}

impl<'a> Series<'a> {
    /// A series with the bounds of real arguments.
    pub fn of_reals(basis: Basis, coefficients: &'a [f64]) -> Self {
        Self { basis, coefficients, is_real: true }
    }

    /// This series with the bounds of arguments of a bound.
    pub fn on(self, bound: Bound) -> Self {
        Self { is_real: bound.is_real(), ..self }
    }

    /// The value and the slope at a number, by the recurrences of Horner and Clenshaw.
    pub fn at(&self, x: Complex64) -> (Complex64, Complex64) {
        let zero = Complex64::default();
        let backwards = self.coefficients.iter().rev();
        match self.basis {
            Basis::Power => backwards.fold((zero, zero), |(value, slope), c| (value * x + c, slope * x + value)),
            Basis::Chebyshev => {
                let start = ([zero; 2], [zero; 2]);
                let step = |([b1, b2], [d1, d2]): ([Complex64; 2], [Complex64; 2]), c: &f64| {
                    ([2.0 * x * b1 - b2 + c, b1], [2.0 * (b1 + x * d1) - d2, d1])
                };
                let count = self.coefficients.len().saturating_sub(1);
                let ([b1, b2], [d1, d2]) = backwards.take(count).fold(start, step);
                let first = self.coefficients.first().copied().unwrap_or(0.0);
                (x * b1 - b2 + first, b1 + x * d1 - d2)
            }
        }
    }

    /// Bound of the basis element `k`, for arguments of a size.
    pub fn element(basis: Basis, k: usize, size: f64, is_real: bool) -> f64 {
        let coefficients = [vec![0.0; k], vec![1.0]].concat();
        Series { basis, coefficients: &coefficients, is_real }.largest(size)
    }

    /// Size of the basis element `k` at a number.
    pub fn element_at(basis: Basis, k: usize, x: Complex64) -> f64 {
        let coefficients = [vec![0.0; k], vec![1.0]].concat();
        Series::of_reals(basis, &coefficients).at(x).0.norm()
    }

    /// The bounds of basis elements. Chebyshev's are largest at the end of an interval of reals that reaches beyond 1,
    /// and at `i·size` on a disc, where `T_k(iy) = i^k·t_k` for `t_(k+1) = 2y·t_k + t_(k−1)`.
    fn terms(&self, size: f64) -> impl Iterator<Item = Term> {
        let (x, sign) = match (self.basis, self.is_real) {
            (Basis::Chebyshev, true) => (size.max(1.0), -1.0),
            _ => (size, 1.0),
        };
        // T_k, U_(k−1), and x^k, x^(k−1).
        let mut state = [1.0, 0.0, x, 1.0];
        let basis = self.basis;
        self.coefficients.iter().enumerate().map(move |(k, c)| {
            let [value, slope, next, next_slope] = state;
            state = match basis {
                Basis::Power => [next, next_slope, next * x, next],
                Basis::Chebyshev => {
                    [next, next_slope, 2.0 * x * next + sign * value, 2.0 * x * next_slope + sign * slope]
                }
            };
            let degree = k as f64;
            Term { degree, size: c.abs(), value, slope: degree * slope }
        })
    }

    /// Bound of the values.
    pub fn largest(&self, size: f64) -> f64 {
        self.terms(size).filter(|t| t.size > 0.0).map(|t| t.size * t.value).sum()
    }

    /// Bound of the sum of the sizes of the basis elements that the polynomial has.
    pub fn elements(&self, size: f64) -> f64 {
        self.terms(size).filter(|t| t.size > 0.0 && t.degree > 0.0).map(|t| t.value).sum()
    }

    /// Bound of the slopes.
    pub fn steepest(&self, size: f64) -> f64 {
        self.terms(size).filter(|t| t.size > 0.0).map(|t| t.size * t.slope).sum()
    }

    /// The noise of an encrypted evaluation, in units of one rounding's, for values without structure.
    ///
    /// A Chebyshev element of twice the degree has four times the error times an element, whose root mean square is
    /// `√2/2`: an error of `k^1.5` after the doublings up to degree `k`. The error of a power is multiplied by its
    /// slope `k·x^(k−1)`, whose root mean square over `[−1, 1]` is about `√(k/2)`. Elements share the errors of those
    /// that they are made of, so that the errors' sum is larger than that of squares: measured by `k^0.25`, up to a
    /// degree of 4095. The argument itself has no such noise. Each division `q·B + r` adds a rounding to the part `r`
    /// and to the part `q`, half of whose square is left in `q·B`.
    pub fn noise_growth(&self, size: f64) -> f64 {
        let growth = |t: Term| {
            let alone = match self.basis {
                Basis::Power => (t.slope / (2.0 * t.degree).sqrt()).max(1.0),
                Basis::Chebyshev => t.degree * t.degree.sqrt() * t.value,
            };
            t.size * alone * t.degree.sqrt().sqrt()
        };
        let elements: f64 =
            self.terms(size).filter(|t| t.size > 0.0 && t.degree > 1.0).map(|t| growth(t).powi(2)).sum();
        (elements + 1.5f64.powi(self.halvings())).sqrt()
    }

    /// Divisions of the polynomial, one after the other, until the parts are sums of few elements.
    fn halvings(&self) -> i32 {
        self.depth() / 2
    }

    /// Bits of the degree.
    fn depth(&self) -> i32 {
        let degree = self.coefficients.iter().rposition(|c| *c != 0.0).unwrap_or(0);
        (usize::BITS - degree.leading_zeros()) as i32
    }

    /// Bound of the noise of an encrypted evaluation, in units of one rounding's largest: of the elements, times their
    /// coefficients, and of the divisions.
    pub fn worst_noise_growth(&self, size: f64) -> f64 {
        let growth = |t: Term| t.size * (t.degree * t.degree).max(t.slope) * t.value.max(1.0);
        self.division_noise(size) + self.terms(size).filter(|t| t.size > 0.0).map(growth).sum::<f64>()
    }

    /// Bound of the roundings of the parts that divisions `q·B + r` make, in the same units: those of `q` are
    /// multiplied by the element `B`, however small the coefficients are.
    ///
    /// A part that has a level to spare is a sum of elements where it has few terms; quotients that have none are
    /// divided until their degree is 1.
    fn division_noise(&self, size: f64) -> f64 {
        let depth = self.depth();
        let value = |step: i32| Self::element(self.basis, 1 << step, size, self.is_real).max(1.0);
        let spare = |steps: i32| {
            let divided = depth - self.halvings()..steps;
            divided.fold(1.0, |noise, step| noise * (value(step) + 1.0) + 1.0)
        };
        (1..depth).fold(1.0, |noise, step| noise * value(step) + spare(step) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both bases' elements by their definitions.
    fn element(basis: Basis, k: usize, x: f64) -> f64 {
        match basis {
            Basis::Power => x.powi(k as i32),
            Basis::Chebyshev if x.abs() <= 1.0 => (k as f64 * x.acos()).cos(),
            Basis::Chebyshev => x.signum().powi(k as i32) * (k as f64 * x.abs().acosh()).cosh(),
        }
    }

    #[test]
    fn values_slopes_and_bounds_are_those_of_the_definitions() {
        let coefficients = [0.25, -0.5, 0.0, 1.5, -0.125, 0.75];
        for basis in [Basis::Power, Basis::Chebyshev] {
            let series = Series::of_reals(basis, &coefficients);
            let value =
                |x: f64| -> f64 { coefficients.iter().enumerate().map(|(k, c)| c * element(basis, k, x)).sum() };
            for size in [0.5, 1.0, 1.75] {
                for step in 0..=200 {
                    let x = size * (f64::from(step) / 100.0 - 1.0);
                    let (found, slope) = series.at(Complex64::new(x, 0.0));
                    assert!((found.re - value(x)).abs() < 1e-12 * (1.0 + value(x).abs()), "{basis:?} {x}");
                    assert!(found.norm() <= series.largest(size) * (1.0 + 1e-12), "{basis:?} {x}");
                    assert!(slope.norm() <= series.steepest(size) * (1.0 + 1e-12), "{basis:?} {x}");
                    if x.abs() < 0.99 * size && (x.abs() - 1.0).abs() > 1e-3 {
                        let difference = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6;
                        assert!((slope.re - difference).abs() < 1e-4 * (1.0 + slope.re.abs()), "{basis:?} {x}");
                    }
                }
            }
        }
    }
}
