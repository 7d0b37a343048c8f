//! Images of intervals under polynomials: where the values lie, and how far they are from a line.
//!
//! A polynomial of degree `n` on an interval is a trigonometric one in `θ`, for `x = middle + half·cos θ`. By Riesz's
//! lemma it is at least `cos(n·(θ − θ'))` of its largest size at `θ'`, up to `π/2n` from there, and every `θ` is up to
//! `π/2m` from a zero of `T_m`: so its size is at most that at these zeros, over `cos(n·π/2m)`. (Ehlich, Zeller,
//! "Schwankung von Polynomen zwischen Gitterpunkten", Mathematische Zeitschrift 86, 1964.)

use num_complex::Complex64;

use crate::series::{Basis, Series};

/// Points for each degree, and the fewest.
const POINTS: usize = 8;
const FEWEST_POINTS: usize = 512;

/// The largest degree that is looked at in points; others have the sum of their terms as a bound.
const LARGEST_DEGREE: usize = 511;

/// Error of a value in doubles, in the largest sum of its terms, for each degree's square.
const ROUNDING: f64 = 1.0 / (1u64 << 49) as f64;

/// The intervals of a polynomial's values, and of these less `slope` times the argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image {
    pub slope: f64,
    pub values: (f64, f64),
    pub residues: (f64, f64),
}

impl Image {
    /// The image of squares.
    pub fn of_square((low, high): (f64, f64)) -> Self {
        let (slope, largest) = (low + high, low.abs().max(high.abs()));
        let rounding = 16.0 * ROUNDING * largest * largest;
        // x² − slope·x is least at slope/2, and largest at the ends.
        let at = |x: f64| x * x - slope * x;
        let residues = (-(slope / 2.0) * (slope / 2.0) - rounding, at(low).max(at(high)) + rounding);
        Self { slope, values: (0.0, largest * largest * (1.0 + ROUNDING)), residues }
    }

    /// The image of an interval.
    pub fn new(series: &Series<'_>, (low, high): (f64, f64)) -> Self {
        let size = low.abs().max(high.abs());
        let largest = series.largest(size) * (1.0 + ROUNDING);
        let unknown = Self { slope: 0.0, values: (-largest, largest), residues: (-largest, largest) };
        let degree = series.coefficients.iter().rposition(|c| *c != 0.0).unwrap_or(0).max(1);
        let (middle, half) = (low + (high - low) / 2.0, (high - low) / 2.0);
        if degree > LARGEST_DEGREE || !largest.is_finite() || !half.is_finite() {
            return unknown;
        }
        let [first, last] = [low, high].map(|x| value(series, x));
        let slope = if half > 0.0 { (last - first) / (high - low) } else { 0.0 };
        let slope = if slope.is_finite() { slope } else { 0.0 };
        let count = (POINTS * degree).max(FEWEST_POINTS);
        let (mut values, mut residues) = (Ends::NONE, Ends::NONE);
        for k in 0..count {
            let x = middle + half * (std::f64::consts::PI * (k as f64 + 0.5) / count as f64).cos();
            let y = value(series, x);
            values.add(y);
            residues.add(y - slope * x);
        }
        // Of values, and of arguments that are rounded.
        let steepest = series.steepest(size) + slope.abs();
        let rounding =
            ROUNDING * (((degree + 2) * (degree + 2)) as f64 * (largest + slope.abs() * size) + size * steepest);
        if !rounding.is_finite() {
            return unknown;
        }
        let stretch = 1.0 / (degree as f64 * std::f64::consts::PI / (2 * count) as f64).cos();
        let (least, most) = values.between(stretch, rounding);
        Self { slope, values: (least.max(-largest), most.min(largest)), residues: residues.between(stretch, rounding) }
    }
}

/// The least and the largest of some numbers.
struct Ends {
    low: f64,
    high: f64,
}

impl Ends {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn add(&mut self, y: f64) {
        (self.low, self.high) = (self.low.min(y), self.high.max(y));
    }

    /// Ends of what is between the points, too.
    fn between(&self, stretch: f64, rounding: f64) -> (f64, f64) {
        let (middle, half) = (self.low + (self.high - self.low) / 2.0, (self.high - self.low) / 2.0);
        let reach = half * stretch + 2.0 * rounding;
        (middle - reach, middle + reach)
    }
}

/// The value at a real number.
fn value(series: &Series<'_>, x: f64) -> f64 {
    let backwards = series.coefficients.iter().rev();
    match series.basis {
        Basis::Power => backwards.fold(0.0, |value, c| value * x + c),
        Basis::Chebyshev => series.at(Complex64::new(x, 0.0)).0.re,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_enclose_values_and_are_near_them() {
        let coefficients = [0.25, -0.5, 0.0, 1.5, -0.125, 0.75];
        for basis in [Basis::Power, Basis::Chebyshev] {
            let series = Series::of_reals(basis, &coefficients);
            for (low, high) in [(-1.0, 1.0), (0.25, 0.75), (-2.0, -0.5), (0.5, 0.5), (0.0, 3.0)] {
                let image = Image::new(&series, (low, high));
                let (mut values, mut residues) = (Ends::NONE, Ends::NONE);
                for step in 0..=10_000 {
                    let x = low + (high - low) * f64::from(step) / 1e4;
                    values.add(series.at(Complex64::new(x, 0.0)).0.re);
                    residues.add(series.at(Complex64::new(x, 0.0)).0.re - image.slope * x);
                }
                for (found, all) in [(image.values, values), (image.residues, residues)] {
                    let width = (all.high - all.low).max(1e-9);
                    assert!(found.0 <= all.low && all.high <= found.1, "{basis:?} {low} {high}");
                    assert!(all.low - found.0 < 1e-3 * width && found.1 - all.high < 1e-3 * width, "{basis:?} {low}");
                }
            }
        }
    }

    #[test]
    fn squares_are_near_a_line() {
        let image = Image::of_square((-1.0, 3.0));
        assert!((image.slope, image.values.0) == (2.0, 0.0) && image.values.1 >= 9.0 && image.values.1 < 9.0 + 1e-9);
        assert!((image.residues.0 + 1.0).abs() < 1e-9 && (image.residues.1 - 3.0).abs() < 1e-9);
    }
}
