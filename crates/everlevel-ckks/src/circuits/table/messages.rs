//! Vectors of integers: encoded, combined without a bootstrap, and decrypted.

use num_complex::Complex64;

use super::space::Space;
use crate::{Bound, Ciphertext, Context, Error, Plaintext, RelinearizationKey, SecretKey, Units};

impl Context {
    /// Integers of a space as a plaintext, whose last unit zeros fill up.
    ///
    /// # Errors
    /// As [`Context::encode_units`]; an integer outside of the space.
    pub fn encode_integers(&self, values: &[u64], space: Space, level: usize) -> Result<Units<Plaintext>, Error> {
        if let Some(value) = values.iter().find(|&&value| value >= space.size() as u64) {
            return Err(Error::parameter("integer", value, format!("between 0 and {}", space.size() - 1)));
        }
        let whole = values.len().next_multiple_of(self.slot_count());
        let padding = std::iter::repeat_n(&0, whole - values.len());
        let numbers: Vec<Complex64> = values.iter().chain(padding).map(|&m| space.number(m).into()).collect();
        let plaintext = self.encode_units(&numbers, level)?.on_reals(true);
        self.declare_units(plaintext, Bound::declared(1.0)?)
    }

    /// The integers of a space that are nearest to what a vector holds: as many as there are slots.
    ///
    /// # Errors
    /// A ciphertext of other parameters or another secret.
    pub fn decrypt_integers(&self, x: &Units<Ciphertext>, space: Space, key: &SecretKey) -> Result<Vec<u64>, Error> {
        let numbers = self.decode_units(&x.try_map(|unit| self.decrypt(unit, key))?)?;
        Ok(numbers.iter().map(|number| space.integer(number.re)).collect())
    }

    /// `(1 − s)·b + s·a` for bits `s`: one level, and no bootstrap. The space has an even size.
    ///
    /// # Errors
    /// Ciphertexts or a key of other parameters or of different secrets; other numbers of units; level 0.
    pub fn choose_integers(
        &self,
        space: Space,
        selector: &Units<Ciphertext>,
        [a, b]: [&Units<Ciphertext>; 2],
        key: &RelinearizationKey,
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "select";
        let p = space.size() as f64;
        // Bit s is held as (2s + 1)/p − 1.
        let bit = |unit: &Ciphertext| {
            let twice = self.add_scalar(unit, Complex64::from(1.0 - 1.0 / p))?;
            self.multiply_scalar(&twice, Complex64::from(p / 2.0))
        };
        let bits = selector.try_map(bit)?.within(1.0);
        let differences = a.try_zip(op, b, |a, b| self.subtract(a, b))?;
        let chosen = bits.try_zip(op, &differences, |bits, difference| self.multiply(bits, difference, key))?;
        Ok(chosen.try_zip(op, b, |chosen, b| self.add(chosen, b))?.within(1.0))
    }

    /// `constant + Σ factor·x` of vectors of integers, where the result stays in the space. A constant for each slot of
    /// each unit, or one for all.
    ///
    /// # Errors
    /// No terms; ciphertexts of other parameters or of different secrets, levels or numbers of units.
    pub fn combine_integers(
        &self,
        space: Space,
        terms: &[(i64, &Units<Ciphertext>)],
        constants: &[i64],
    ) -> Result<Units<Ciphertext>, Error> {
        let op = "linear";
        let Some(((factor, first), others)) = terms.split_first() else {
            return Err(Error::parameter("terms", "none", "at least one"));
        };
        let times = |factor: i64, x: &Units<Ciphertext>| match factor {
            1 => Ok(x.clone()),
            -1 => x.try_map(|unit| self.negate(unit)),
            _ => x.try_map(|unit| self.multiply_scalar(unit, Complex64::from(factor as f64))),
        };
        let mut sum = times(*factor, first)?;
        for (factor, x) in others {
            sum = match factor {
                -1 => sum.try_zip(op, x, |a, b| self.subtract(a, b))?,
                _ => sum.try_zip(op, &times(*factor, x)?, |a, b| self.add(a, b))?,
            };
        }
        // Integer m is (2m + 1)/p − 1: of each term, that is an offset of 1 − 1/p beside 2m/p.
        let p = space.size() as f64;
        let offset = (1.0 - 1.0 / p) * (terms.iter().map(|(factor, _)| *factor as f64).sum::<f64>() - 1.0);
        let shift = |constant: i64| Complex64::from(offset + 2.0 * constant as f64 / p);
        match *constants {
            [constant] if constant == 0 && offset == 0.0 => Ok(sum),
            [constant] => sum.try_map(|unit| self.add_scalar(unit, shift(constant))),
            _ => {
                let shifts: Vec<Complex64> = constants.iter().map(|&constant| shift(constant)).collect();
                sum.try_zip(op, &self.per_unit(&shifts), |unit, shifts| self.add_array(unit, shifts))
            }
        }
        .map(|sum| sum.within(1.0))
    }
}
