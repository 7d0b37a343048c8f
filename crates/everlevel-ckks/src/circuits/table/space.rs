//! Integers `0 … p − 1` as numbers in [−1, 1], and tables of them as Chebyshev series.

use std::f64::consts::PI;

use crate::Error;
use crate::circuits::elements::polynomial_depth;

/// The largest space.
const MAX_SPACE: usize = 256;

/// The integers from 0 to `p − 1`, of which `m` is held as `(2m + 1)/p − 1`.
///
/// A sum is a sum of numbers, less `1 − 1/p` for each operand after the first, and `p − 1 − m` is `−x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    size: usize,
}

impl Space {
    /// The space of `p` integers.
    ///
    /// # Errors
    /// Less than 2, or more than 256.
    pub fn new(size: usize) -> Result<Self, Error> {
        match size {
            2..=MAX_SPACE => Ok(Self { size }),
            _ => Err(Error::parameter("size of the space", size, format!("between 2 and {MAX_SPACE}"))),
        }
    }

    /// `p`.
    pub fn size(self) -> usize {
        self.size
    }

    /// The number that holds an integer.
    pub fn number(self, m: u64) -> f64 {
        (2 * m + 1) as f64 / self.size as f64 - 1.0
    }

    /// The integer of the space that is nearest to what a number holds.
    pub fn integer(self, x: f64) -> u64 {
        let m = ((x + 1.0) * self.size as f64 - 1.0) / 2.0;
        m.round().clamp(0.0, (self.size - 1) as f64) as u64
    }

    /// A number's error in units of the distance between integers.
    pub(super) fn units(self, error: f64) -> f64 {
        error * self.size as f64 / 2.0
    }

    /// Levels that a table takes.
    pub fn depth(self) -> usize {
        polynomial_depth(2 * self.size - 1)
    }

    /// The angle whose cosine is the sine of an integer's number: `sin(πx/2) = cos θ`.
    pub(super) fn angle(self, m: usize) -> f64 {
        PI * (2 * (self.size - m) - 1) as f64 / (2 * self.size) as f64
    }

    /// The space of a table's inputs: this one, or a smaller one for integers that are known to be in that.
    ///
    /// # Errors
    /// A number of entries that isn't this space's size divided by a power of two, or is below 2.
    pub fn of_inputs(self, table: &[u64]) -> Result<Self, Error> {
        let len = table.len();
        if len >= 2 && self.size.is_multiple_of(len) && (self.size / len).is_power_of_two() {
            return Ok(Self { size: len });
        }
        let needed = format!("{}, one for each integer of the space, or half as many, and so on", self.size);
        Err(Error::parameter("number of entries of the table", len, needed))
    }

    /// Chebyshev coefficients of the polynomial of degree `2p − 1` that has, at `sin(πx/2)`, the number of a table's
    /// entry for every integer of [`Space::of_inputs`], and the derivative zero there.
    ///
    /// In the angle it is the mean of the entries weighted with Fejér's kernel at `2p` nodes: integers `m` and their
    /// mirror images `−θ` have the same entry, so that sines cancel.
    ///
    /// # Errors
    /// As [`Space::of_inputs`], and an entry outside of this space.
    pub fn series(self, table: &[u64]) -> Result<Vec<f64>, Error> {
        let inputs = self.of_inputs(table)?;
        Ok(inputs.series_of(&self.numbers(table, inputs.size)?))
    }

    /// The numbers that hold the entries of a table of so many.
    ///
    /// # Errors
    /// Another number of entries, or one outside of the space.
    pub(super) fn numbers(self, table: &[u64], len: usize) -> Result<Vec<f64>, Error> {
        if table.len() != len {
            let needed = format!("{len}, one for each integer of the space");
            return Err(Error::parameter("number of entries of the table", table.len(), needed));
        }
        if let Some(entry) = table.iter().find(|&&entry| entry >= self.size as u64) {
            return Err(Error::parameter("entry of the table", entry, format!("between 0 and {}", self.size - 1)));
        }
        Ok(table.iter().map(|&f| self.number(f)).collect())
    }

    /// [`Space::series`] of any numbers.
    pub(super) fn series_of(self, numbers: &[f64]) -> Vec<f64> {
        let p = self.size;
        let coefficient = |k: usize| {
            let terms = numbers.iter().enumerate().map(|(m, x)| x * (k as f64 * self.angle(m)).cos());
            let sum: f64 = terms.sum();
            let weight = (2 * p - k) as f64 / (2 * p) as f64;
            let of_basis = if k == 0 { 1.0 } else { 2.0 };
            of_basis * weight * sum / p as f64
        };
        (0..2 * p).map(coefficient).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ c_k·cos(kθ)` and its derivative.
    fn at(series: &[f64], angle: f64) -> [f64; 2] {
        let terms = series.iter().enumerate().map(|(k, c)| {
            let turn = k as f64 * angle;
            [c * turn.cos(), -c * k as f64 * turn.sin()]
        });
        terms.fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y])
    }

    /// The identity, adversarial and irregular tables.
    fn tables(p: u64) -> Vec<Vec<u64>> {
        let of = |f: &dyn Fn(u64) -> u64| (0..p).map(f).collect();
        vec![
            of(&|m| m),
            of(&|m| (m % 2) * (p - 1)),
            of(&|m| (m / 2 % 2) * (p - 1)),
            of(&|_| p - 1),
            of(&|m| (m * m * 7 + 3 * m + 1) % p),
        ]
    }

    #[test]
    fn series_have_the_entries_and_are_flat_at_every_integer() {
        for p in [2, 3, 4, 7, 16, 64, 256] {
            let space = Space::new(p).unwrap();
            for table in tables(p as u64) {
                let series = space.series(&table).unwrap();
                assert_eq!(series.len(), 2 * p);
                for (m, &entry) in table.iter().enumerate() {
                    // What the bootstrap leaves of the number is the cosine of the angle.
                    let wave = (PI / 2.0 * space.number(m as u64)).sin();
                    assert!((wave - space.angle(m).cos()).abs() < 1e-13, "{p} {m}");
                    let [value, slope] = at(&series, space.angle(m));
                    assert!((value - space.number(entry)).abs() < 1e-11, "{p} {m}: {value}");
                    assert!(slope.abs() < 1e-9 * p as f64, "{p} {m}: {slope:e}");
                }
            }
        }
    }

    #[test]
    fn errors_of_inputs_are_squared_within_the_bound() {
        for p in [2, 4, 16, 64, 256] {
            let space = Space::new(p).unwrap();
            for table in tables(p as u64) {
                let series = space.series(&table).unwrap();
                let (least, most) = (table.iter().min().unwrap(), table.iter().max().unwrap());
                let bend = (most - least) as f64 * PI * PI / 3.0;
                for (m, &entry) in table.iter().enumerate() {
                    for u in [0.001, 0.01, 0.1, 0.3, -0.2] {
                        let [value, _] = at(&series, space.angle(m) + PI * u / p as f64);
                        let error = (value - space.number(entry)) * p as f64 / 2.0;
                        assert!(error.abs() <= bend * u * u + 1e-9, "{p} {m} {u}: {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_read_as_the_nearest_integer_of_the_space() {
        let space = Space::new(5).unwrap();
        for m in 0..5 {
            for error in [-0.4, 0.0, 0.4] {
                assert_eq!(space.integer(space.number(m) + 2.0 / 5.0 * error), m);
            }
        }
        assert_eq!([space.integer(-7.0), space.integer(7.0)], [0, 4]);
    }

    #[test]
    fn tables_of_fewer_integers_have_entries_of_the_whole_space() {
        let (space, inputs) = (Space::new(16).unwrap(), Space::new(4).unwrap());
        let table = [15, 0, 7, 8];
        let series = space.series(&table).unwrap();
        assert_eq!(series.len(), 8);
        for (m, &entry) in table.iter().enumerate() {
            // An integer of the space is one of the smaller space at four times its distance from −1.
            assert!((4.0 * (space.number(m as u64) + 1.0) - 1.0 - inputs.number(m as u64)).abs() < 1e-15);
            let [value, slope] = at(&series, inputs.angle(m));
            assert!((value - space.number(entry)).abs() < 1e-13 && slope.abs() < 1e-12, "{m}: {value}");
        }
    }

    #[test]
    fn other_spaces_and_tables_are_refused() {
        assert!(Space::new(1).is_err() && Space::new(MAX_SPACE + 1).is_err());
        let space = Space::new(4).unwrap();
        for table in [&[0, 1, 2][..], &[0, 1, 2, 3, 0], &[0, 1, 2, 4], &[0], &[]] {
            assert!(matches!(space.series(table), Err(Error::Parameter { .. })), "{table:?}");
        }
    }
}
