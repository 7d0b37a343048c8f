//! The odd polynomials that are nearest to the sign function outside of a gap, by Remez' exchange.
//!
//! In the basis `T_1, T_3, …` the linear systems stay well conditioned at every degree that is composed, and double
//! precision with partial pivoting solves them.

use std::f64::consts::PI;

/// Grid points for each coefficient, denser towards both ends, where the extrema are.
const GRID_POINTS: usize = 1000;
/// Exchanges converge quadratically; so many are never needed.
const MAX_EXCHANGES: usize = 60;

/// An odd polynomial of degree `2^depth − 1`, and its distance to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimax {
    /// In the Chebyshev basis, even coefficients included as zeros.
    pub coefficients: Vec<f64>,
    /// The largest `|P − 1|` on `[gap, 1]`.
    pub distance: f64,
}

impl Minimax {
    /// The odd polynomial of degree `2^depth − 1` that is nearest to 1 on `[gap, 1]`, for a gap between 0 and 1 and a
    /// depth of at least 1.
    pub fn new(gap: f64, depth: usize) -> Self {
        let count = 1usize << (depth - 1);
        let grid = Grid::new(gap, count);
        let last = grid.len() - 1;
        // A half rounds to the even number, as everywhere in IEEE arithmetic.
        let place = |k: usize| (last as f64 * k as f64 / count as f64).round_ties_even() as usize;
        let mut reference: Vec<usize> = (0..=count).map(place).collect();
        let mut solution = Vec::new();
        let mut distance = f64::INFINITY;
        for _ in 0..MAX_EXCHANGES {
            solution = grid.interpolated(&reference);
            let errors = grid.errors(&solution[..count]);
            distance = errors.iter().fold(0.0, |largest, e| e.abs().max(largest));
            if distance <= solution[count].abs() * (1.0 + 1e-9) + 1e-13 {
                break;
            }
            match alternating_extrema(&errors, count + 1) {
                Some(extrema) => reference = extrema,
                // Beyond double precision; the distance holds for what there is.
                None => break,
            }
        }
        let mut coefficients = vec![0.0; 2 * count];
        coefficients.iter_mut().skip(1).step_by(2).zip(&solution).for_each(|(place, c)| *place = *c);
        Self { coefficients, distance }
    }
}

/// Points of `[gap, 1]`, and the odd Chebyshev polynomials there.
struct Grid {
    count: usize,
    /// Row by row, `count` values for each point.
    basis: Vec<f64>,
}

impl Grid {
    fn new(gap: f64, count: usize) -> Self {
        let points = GRID_POINTS * count;
        let mut basis = Vec::with_capacity(points * count);
        for i in 0..points {
            let x = gap + (1.0 - gap) * (1.0 - (PI * i as f64 / (points - 1) as f64).cos()) / 2.0;
            // T_(k+2) = 2·T_2·T_k − T_(k−2), from T_1 and T_(−1).
            let (mut before, mut value, twice) = (x, x, 4.0 * x * x - 2.0);
            for _ in 0..count {
                basis.push(value);
                (before, value) = (value, twice * value - before);
            }
        }
        Self { count, basis }
    }

    fn len(&self) -> usize {
        self.basis.len() / self.count
    }

    fn row(&self, point: usize) -> &[f64] {
        &self.basis[self.count * point..][..self.count]
    }

    /// The polynomial whose errors at `count + 1` points are of one size and alternate, and that size.
    fn interpolated(&self, reference: &[usize]) -> Vec<f64> {
        let sign = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let row = |(at, point): (usize, &usize)| [self.row(*point), &[sign(at), 1.0]].concat();
        solved(reference.iter().enumerate().map(row).collect())
    }

    /// `P − 1` at every point.
    fn errors(&self, coefficients: &[f64]) -> Vec<f64> {
        let value = |row: &[f64]| row.iter().zip(coefficients).fold(-1.0, |sum, (b, c)| sum + b * c);
        self.basis.chunks(self.count).map(value).collect()
    }
}

/// The solution of a linear system whose rows end with the right-hand side, by elimination with partial pivoting.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = row[column] / pivot[column];
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut solution = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][n] - known) / rows[k][k];
    }
    solution
}

/// The places of the largest errors between changes of sign, as many as there are unknowns; none if there are fewer.
pub fn alternating_extrema(errors: &[f64], count: usize) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = Vec::new();
    for (at, error) in errors.iter().enumerate() {
        match places.last_mut() {
            Some(place) if errors[*place].is_sign_negative() == error.is_sign_negative() => {
                if error.abs() > errors[*place].abs() {
                    *place = at;
                }
            }
            _ => places.push(at),
        }
    }
    // The end with the smaller error goes.
    let mut rest = places.as_slice();
    while let ([first, .., last], true) = (rest, rest.len() > count) {
        let drops_first = errors[*first].abs() < errors[*last].abs();
        rest = if drops_first { &rest[1..] } else { &rest[..rest.len() - 1] };
    }
    (rest.len() == count).then(|| rest.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chebyshev(coefficients: &[f64], x: f64) -> f64 {
        let angle = x.clamp(-1.0, 1.0).acos();
        coefficients.iter().enumerate().map(|(k, c)| c * (k as f64 * angle).cos()).sum()
    }

    #[test]
    fn errors_alternate_as_often_as_there_are_unknowns() {
        for depth in 2..=5 {
            for gap in [0.5, 0.1, 2f64.powi(-7), 2f64.powi(-14)] {
                let Minimax { coefficients, distance } = Minimax::new(gap, depth);
                assert_eq!(coefficients.len(), 1 << depth);
                assert!(coefficients.iter().step_by(2).all(|&c| c == 0.0));
                let linear = (0..=100_000).map(|i| gap + (1.0 - gap) * f64::from(i) / 1e5);
                let geometric = (0..=100_000).map(|i| gap.powf(1.0 - f64::from(i) / 1e5));
                let mut points: Vec<f64> = linear.chain(geometric).collect();
                points.sort_by(f64::total_cmp);
                let errors: Vec<f64> = points.iter().map(|&x| chebyshev(&coefficients, x) - 1.0).collect();
                let largest = errors.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
                assert!(largest <= distance * (1.0 + 1e-4) + 1e-11, "depth {depth}, gap {gap}: {largest} {distance}");
                // De la Vallée Poussin: so many alternations prove it best, up to their least size.
                if distance > 1e-9 {
                    let places = alternating_extrema(&errors, (1 << (depth - 1)) + 1).unwrap();
                    let least = places.iter().fold(f64::INFINITY, |m, &at| m.min(errors[at].abs()));
                    assert!(least >= distance * (1.0 - 1e-3), "depth {depth}, gap {gap}: {least} {distance}");
                }
            }
        }
    }

    #[test]
    fn extrema_are_one_for_each_run_of_a_sign() {
        let errors = [0.1, 0.5, -0.2, -0.9, -0.3, 0.7, -0.05];
        assert_eq!(alternating_extrema(&errors, 4), Some(vec![1, 3, 5, 6]));
        assert_eq!(alternating_extrema(&errors, 3), Some(vec![1, 3, 5]));
        assert_eq!(alternating_extrema(&errors, 5), None);
    }

    #[test]
    fn systems_with_a_zero_on_the_diagonal_are_solved() {
        assert_eq!(solved(vec![vec![0.0, 2.0, 6.0], vec![4.0, 1.0, 11.0]]), [2.0, 3.0]);
    }
}
