//! How a deep polynomial is taken apart, and how large its pieces are.

use std::f64::consts::PI;

use crate::circuits::sign::series_at;
use crate::series::Basis;

/// Chebyshev points for each coefficient, where a polynomial's size is looked for. Between them it is larger by at most
/// `1/cos(π/8)` (Ehlich, Zeller, Math. Z. 86, 1964).
const OVERSAMPLING: usize = 4;

/// The step before the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Nothing.
    Nothing,
    /// The mean with the conjugate, for a level.
    Conjugation,
    /// A bootstrap.
    Bootstrap,
}

/// How a polynomial of `inner + outer` levels is taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Levels of the pieces.
    pub inner: usize,
    /// Levels that put them together.
    pub outer: usize,
    /// The step before the pieces are evaluated.
    pub first: First,
}

impl Split {
    /// The split of the fewest bootstraps for a polynomial of `depth` levels of a ciphertext at `level`, if the levels
    /// suffice for any. A bootstrap leads to `level_out`; imaginary noise goes if `makes_real` says so.
    pub fn plan(depth: usize, level: usize, level_out: usize, makes_real: bool) -> Option<Self> {
        let own = if makes_real { (level.saturating_sub(1), First::Conjugation) } else { (level, First::Nothing) };
        let split = |(levels, first): (usize, First)| {
            let split = Self { inner: levels.min(depth), outer: depth.saturating_sub(levels), first };
            (levels >= 1 && split.outer <= level_out).then_some(split)
        };
        [own, (level_out, First::Bootstrap)].into_iter().filter_map(split).min_by_key(|split| split.bootstrapped())
    }

    /// Ciphertexts bootstrapped, for a polynomial without zeros: the pieces, `B_m`, and `x` if it is too low.
    pub fn bootstrapped(self) -> usize {
        let pieces = if self.outer == 0 { 0 } else { (1 << self.outer) + 1 };
        pieces + usize::from(self.first == First::Bootstrap)
    }

    /// A polynomial as `2^outer` pieces of `2^inner` coefficients, neighbours together.
    pub fn pieces(self, basis: Basis, coefficients: &[f64]) -> Vec<Vec<f64>> {
        let mut padded = coefficients.to_vec();
        padded.resize(1 << (self.inner + self.outer), 0.0);
        let halved = |parts: Vec<Vec<f64>>, _| parts.iter().flat_map(|part| halves(basis, part)).collect();
        (0..self.outer).fold(vec![padded], halved)
    }
}

/// `r` and `q` of `p = q·B_k + r`, for a polynomial of `2k` coefficients.
fn halves(basis: Basis, p: &[f64]) -> [Vec<f64>; 2] {
    let (low, high) = p.split_at(p.len() / 2);
    let (mut remainder, mut quotient) = (low.to_vec(), high.to_vec());
    if basis == Basis::Chebyshev {
        // T_j = 2·T_k·T_(j−k) − T_(2k−j) for k < j < 2k.
        quotient[1..].iter_mut().for_each(|c| *c *= 2.0);
        remainder[1..].iter_mut().zip(high[1..].iter().rev()).for_each(|(r, c)| *r -= c);
    }
    [remainder, quotient]
}

/// A bound of a polynomial's values: in [−1, 1] for a Chebyshev series, within the unit circle for powers.
pub fn size_bound(basis: Basis, piece: &[f64]) -> f64 {
    let total: f64 = piece.iter().map(|c| c.abs()).sum();
    if basis == Basis::Power || total <= 1.0 {
        return total;
    }
    let count = OVERSAMPLING * piece.len();
    let at = |i: usize| series_at(piece, (PI * (i as f64 + 0.5) / count as f64).cos());
    let largest = (0..count).map(at).fold(0.0, |largest: f64, value| value.abs().max(largest));
    total.min(largest / (PI / (2 * OVERSAMPLING) as f64).cos())
}

/// The least power of two, from 1 up, that a size divided by is at most 1.
pub fn power_of_two_above(size: f64) -> f64 {
    size.max(1.0).log2().ceil().exp2()
}

/// The place of the last coefficient that isn't zero, or 0.
pub(super) fn degree_of(coefficients: &[f64]) -> usize {
    coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(basis: Basis, p: &[f64], x: f64) -> f64 {
        match basis {
            Basis::Power => p.iter().rev().fold(0.0, |sum, c| sum * x + c),
            Basis::Chebyshev => series_at(p, x),
        }
    }

    fn coefficients(count: usize) -> Vec<f64> {
        (0..count).map(|k| (1.7 * k as f64 + 0.3).sin()).collect()
    }

    #[test]
    fn pieces_are_the_polynomial() {
        for basis in [Basis::Power, Basis::Chebyshev] {
            for (count, inner, outer) in [(16, 2, 2), (11, 2, 2), (7, 1, 2), (64, 1, 5), (33, 5, 1)] {
                let p = coefficients(count);
                let parts = Split { inner, outer, first: First::Nothing }.pieces(basis, &p);
                assert_eq!((parts.len(), parts[0].len()), (1 << outer, 1 << inner));
                for x in [-1.0, -0.83, -0.1, 0.0, 0.4, 0.99, 1.0] {
                    let mut terms: Vec<f64> = parts.iter().map(|part| value(basis, part, x)).collect();
                    let mut degree = 1 << inner;
                    while terms.len() > 1 {
                        let mut giant = vec![0.0; degree + 1];
                        giant[degree] = 1.0;
                        let giant = value(basis, &giant, x);
                        terms = terms.chunks(2).map(|pair| pair[0] + pair[1] * giant).collect();
                        degree *= 2;
                    }
                    let expected = value(basis, &p, x);
                    assert!((terms[0] - expected).abs() < 1e-10, "{basis:?} {count} at {x}: {} {expected}", terms[0]);
                }
            }
        }
    }

    #[test]
    fn sizes_are_bounded_and_not_by_much() {
        for count in [1, 2, 30, 500] {
            let p = coefficients(count);
            let values = (0..=20_000).map(|i| series_at(&p, (PI * f64::from(i) / 2e4).cos()).abs());
            let largest = values.fold(0.0, f64::max);
            let bound = size_bound(Basis::Chebyshev, &p);
            assert!(largest <= bound * (1.0 + 1e-12) && bound <= 1.083 * largest, "{count}: {largest} {bound}");
            assert_eq!(size_bound(Basis::Power, &p), p.iter().map(|c| c.abs()).sum::<f64>());
        }
        assert_eq!([0.0, 0.3, 1.0, 1.01, 2.0, 5.0].map(power_of_two_above), [1.0, 1.0, 1.0, 2.0, 2.0, 8.0]);
    }

    #[test]
    fn the_split_of_fewest_bootstraps_is_taken() {
        use First::{Bootstrap, Conjugation, Nothing};
        for (depth, level, makes_real, expected) in [
            (11, 10, false, Some((10, 1, Nothing))),
            (11, 10, true, Some((10, 1, Bootstrap))),
            (12, 13, true, Some((12, 0, Conjugation))),
            (14, 13, true, Some((12, 2, Conjugation))),
            (12, 0, true, Some((10, 2, Bootstrap))),
            (10, 9, true, Some((10, 0, Bootstrap))),
            (20, 0, true, Some((10, 10, Bootstrap))),
            (21, 10, false, None),
        ] {
            let expected = expected.map(|(inner, outer, first)| Split { inner, outer, first });
            assert_eq!(Split::plan(depth, level, 10, makes_real), expected, "{depth} {level} {makes_real}");
        }
    }
}
