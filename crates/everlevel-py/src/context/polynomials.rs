//! Methods of `Context` for polynomials and the bases that they are evaluated in.

use pyo3::prelude::*;

use super::{Context, each};
use crate::call::{basis, run};
use crate::objects::{Ciphertext, RelinearizationKey};

#[pymethods]
impl Context {
    fn basis(
        &self,
        ciphertext: &Ciphertext,
        chebyshev: bool,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> PyResult<Vec<Ciphertext>> {
        let of_unit = |unit: &_| self.0.basis(unit, basis(chebyshev), max_power, &key.0);
        run(|| ciphertext.0.try_map(of_unit)).map(each)
    }

    fn evaluate_polynomials(
        &self,
        ciphertext: &Ciphertext,
        chebyshev: bool,
        polynomials: Vec<Vec<f64>>,
        key: &RelinearizationKey,
    ) -> PyResult<Vec<Ciphertext>> {
        let all: Vec<&[f64]> = polynomials.iter().map(Vec::as_slice).collect();
        let of_unit = |unit: &_| self.0.evaluate_polynomials(unit, basis(chebyshev), &all, &key.0);
        run(|| ciphertext.0.try_map(of_unit)).map(each)
    }
}
