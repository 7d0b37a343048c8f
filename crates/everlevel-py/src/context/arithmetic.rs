//! Methods of `Context` for sums and products, levels, and vectors of units.

use everlevel_ckks as ckks;
use numpy::Complex64;
use pyo3::prelude::*;

use super::Context;
use crate::call::{Slots, run, values};
use crate::objects::{Ciphertext, Plaintext, RelinearizationKey};

/// Factor of a ciphertext in a weighted sum.
#[derive(FromPyObject)]
enum Factor {
    Plain(Py<Plaintext>),
    Number(Complex64),
}

#[pymethods]
impl Context {
    fn add(&self, left: &Ciphertext, right: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| left.0.try_zip("add", &right.0, |a, b| self.0.add(a, b))).map(Ciphertext)
    }

    fn add_plain(&self, left: &Ciphertext, right: &Plaintext) -> PyResult<Ciphertext> {
        run(|| left.0.try_zip("add", &right.0, |a, b| self.0.add_plain(a, b))).map(Ciphertext)
    }

    fn add_slots(&self, left: &Ciphertext, right: Slots<'_>) -> PyResult<Ciphertext> {
        let right = values(&right)?;
        run(|| left.0.try_zip("add", &self.0.per_unit(right), |a, b| self.0.add_array(a, b))).map(Ciphertext)
    }

    fn add_scalar(&self, left: &Ciphertext, right: Complex64) -> PyResult<Ciphertext> {
        run(|| left.0.try_map(|unit| self.0.add_scalar(unit, right))).map(Ciphertext)
    }

    fn subtract(&self, left: &Ciphertext, right: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| left.0.try_zip("subtract", &right.0, |a, b| self.0.subtract(a, b))).map(Ciphertext)
    }

    fn negate(&self, ciphertext: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.negate(unit))).map(Ciphertext)
    }

    #[pyo3(signature = (left, right, key))]
    fn multiply(
        &self,
        left: &Ciphertext,
        right: &Ciphertext,
        key: Option<&RelinearizationKey>,
    ) -> PyResult<Ciphertext> {
        run(|| {
            left.0.try_zip("multiply", &right.0, |a, b| match key {
                Some(key) => self.0.multiply(a, b, &key.0),
                None => self.0.multiply_without_key(a, b),
            })
        })
        .map(Ciphertext)
    }

    #[pyo3(signature = (ciphertext, key))]
    fn square(&self, ciphertext: &Ciphertext, key: Option<&RelinearizationKey>) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.square(unit, key.map(|k| &k.0)))).map(Ciphertext)
    }

    fn relinearize(&self, ciphertext: &Ciphertext, key: &RelinearizationKey) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.relinearize(unit, &key.0))).map(Ciphertext)
    }

    fn multiply_plain(&self, left: &Ciphertext, right: &Plaintext) -> PyResult<Ciphertext> {
        run(|| left.0.try_zip("multiply", &right.0, |a, b| self.0.multiply_plain(a, b))).map(Ciphertext)
    }

    fn multiply_slots(&self, left: &Ciphertext, right: Slots<'_>) -> PyResult<Ciphertext> {
        let right = values(&right)?;
        run(|| left.0.try_zip("multiply", &self.0.per_unit(right), |a, b| self.0.multiply_array(a, b))).map(Ciphertext)
    }

    fn multiply_scalar(&self, left: &Ciphertext, right: Complex64) -> PyResult<Ciphertext> {
        run(|| left.0.try_map(|unit| self.0.multiply_scalar(unit, right))).map(Ciphertext)
    }

    /// Each ciphertext times a number or a plaintext, added up before they are rescaled.
    fn weighted_sum(&self, ciphertexts: Vec<Py<Ciphertext>>, factors: Vec<Factor>) -> PyResult<Ciphertext> {
        let of = |factor| match factor {
            &Factor::Number(c) => ckks::Factor::Number(c),
            Factor::Plain(plaintext) => ckks::Factor::Plain(&plaintext.get().0),
        };
        let vectors = ciphertexts.iter().map(|ciphertext| &ciphertext.get().0);
        let terms: Vec<_> = vectors.zip(factors.iter().map(of)).collect();
        run(|| self.0.weighted_sum(&terms)).map(Ciphertext)
    }

    fn level_down(&self, ciphertext: &Ciphertext, level: usize) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.level_down(unit, level))).map(Ciphertext)
    }

    fn level_down_plain(&self, plaintext: &Plaintext, level: usize) -> PyResult<Plaintext> {
        run(|| plaintext.0.try_map(|unit| self.0.level_down_plain(unit, level))).map(Plaintext)
    }

    /// The units of several ciphertexts as one.
    fn stack(&self, ciphertexts: Vec<Py<Ciphertext>>) -> PyResult<Ciphertext> {
        let vectors: Vec<_> = ciphertexts.iter().map(|ciphertext| &ciphertext.get().0).collect();
        run(|| ckks::Units::stack(&vectors)).map(Ciphertext)
    }
}
