//! Methods of `Context` for tables of integers.

use everlevel_ckks as ckks;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::table::{Space, TableNoise};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::Context;
use super::bootstraps::{Keys, bootstrap_keys};
use crate::call::{Report, run, run_reporting};
use crate::objects::{Ciphertext, Plaintext, RelinearizationKey, SecretKey};

#[pymethods]
impl Context {
    /// Integers of a space, which zeros fill up to a whole unit.
    fn encode_integers(&self, values: PyReadonlyArray1<'_, u64>, size: usize, level: usize) -> PyResult<Plaintext> {
        let values = values.as_slice()?;
        run(|| self.0.encode_integers(values, Space::new(size)?, level)).map(Plaintext)
    }

    /// The nearest integers of a space, in all slots.
    fn decrypt_integers<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        secret_key: &SecretKey,
        size: usize,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let integers = run(|| self.0.decrypt_integers(&ciphertext.0, Space::new(size)?, &secret_key.0))?;
        Ok(PyArray1::from_vec(py, integers))
    }

    /// A sum of multiples and of a constant, or of one for each slot.
    fn combine_integers(
        &self,
        size: usize,
        terms: Vec<(i64, PyRef<'_, Ciphertext>)>,
        constants: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Ciphertext> {
        let terms: Vec<(i64, &ckks::Units<ckks::Ciphertext>)> = terms.iter().map(|(f, x)| (*f, &x.0)).collect();
        let constants = constants.as_slice()?;
        run(|| self.0.combine_integers(Space::new(size)?, &terms, constants)).map(Ciphertext)
    }

    /// One of two vectors' integers by a bit each, a level lower.
    fn choose_integers(
        &self,
        size: usize,
        selector: &Ciphertext,
        options: (PyRef<'_, Ciphertext>, PyRef<'_, Ciphertext>),
        key: &RelinearizationKey,
    ) -> PyResult<Ciphertext> {
        let options = [&options.0.0, &options.1.0];
        run(|| self.0.choose_integers(Space::new(size)?, &selector.0, options, &key.0)).map(Ciphertext)
    }

    /// Entries of tables for the integers of a space: for each ciphertext and its tables, a result for each table.
    fn look_up(
        &self,
        jobs: Vec<(Py<Ciphertext>, Vec<Vec<u64>>)>,
        space: (usize, usize),
        keys: Keys<'_>,
        report: Report,
    ) -> PyResult<Vec<Vec<Ciphertext>>> {
        let keys = bootstrap_keys(&keys);
        let tables: Vec<Vec<&[u64]>> =
            jobs.iter().map(|(_, tables)| tables.iter().map(Vec::as_slice).collect()).collect();
        let jobs: Vec<_> = jobs.iter().zip(&tables).map(|((x, _), tables)| (&x.get().0, &tables[..])).collect();
        let found = run_reporting(report, |p| {
            let circuits = Circuits::new(self.bootstrapper("look_up")?, keys);
            circuits.look_up_each(&jobs, (Space::new(space.0)?, space.1), p)
        })?;
        Ok(found.into_iter().map(|values| values.into_iter().map(Ciphertext).collect()).collect())
    }

    /// The bound of the errors of fresh integers, and the largest that look-ups keep, in units of their distance.
    fn integer_errors(&self, size: usize, level: usize, is_public: bool) -> PyResult<(f64, f64)> {
        run(|| {
            let noise = TableNoise::new(self.bootstrapper("look_up")?, Space::new(size)?, level)?;
            Ok((noise.fresh(is_public), noise.limit()))
        })
    }

    /// The bound of the errors after a table, of the input's error and of that beside it in a bootstrap.
    fn error_after(&self, size: usize, level: usize, table: Vec<u64>, errors: (f64, f64)) -> PyResult<f64> {
        let noise = || TableNoise::new(self.bootstrapper("look_up")?, Space::new(size)?, level);
        run(|| noise()?.after(&table, errors.0, errors.1))
    }

    /// The bound of the errors after a table, of integers on the torus of a normal error.
    fn error_after_torus(&self, sizes: (usize, usize), level: usize, table: Vec<u64>, std_dev: f64) -> PyResult<f64> {
        let noise = || TableNoise::new(self.bootstrapper("from_tfhe")?, Space::new(sizes.0)?, level);
        run(|| noise()?.after_torus(Space::new(sizes.1)?, &table, std_dev))
    }

    /// The bound of the errors of sums of so many integers that were brought to one slot, by a matrix of so many
    /// diagonals, or by rotations alone.
    fn error_after_move(&self, size: usize, level: usize, error: f64, moved: (usize, usize)) -> PyResult<f64> {
        let noise = || TableNoise::new(self.bootstrapper("look_up")?, Space::new(size)?, level);
        run(|| Ok(noise()?.after_move(error, moved.0, moved.1)))
    }

    /// The bound of the errors after a choice between integers that differ by so much at most.
    fn error_after_choice(
        &self,
        size: usize,
        level: usize,
        selector: f64,
        options: [f64; 2],
        most: u64,
    ) -> PyResult<f64> {
        let noise = || TableNoise::new(self.bootstrapper("look_up")?, Space::new(size)?, level);
        run(|| Ok(noise()?.after_choice(selector, options, most)))
    }
}
