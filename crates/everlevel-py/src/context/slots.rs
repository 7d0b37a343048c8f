//! Methods of `Context` for rotations and conjugation.

use everlevel_ckks as ckks;
use pyo3::prelude::*;

use super::{Context, each};
use crate::call::{run, run_any};
use crate::error::Of;
use crate::objects::{Ciphertext, ConjugationKey, FixedRotationKey, Plaintext, RotationKey, Rotations, fixed_keys};

#[pymethods]
impl Context {
    fn rotate(&self, ciphertext: &Ciphertext, key: &RotationKey, delta: i64) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.rotate(unit, &key.0, delta))).map(Ciphertext)
    }

    fn rotate_fixed(&self, ciphertext: &Ciphertext, key: &FixedRotationKey) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.rotate_fixed(unit, &key.0))).map(Ciphertext)
    }

    fn rotate_batch(&self, ciphertext: &Ciphertext, key: &RotationKey, deltas: Vec<i64>) -> PyResult<Vec<Ciphertext>> {
        run(|| ciphertext.0.try_map(|unit| self.0.rotate_many(unit, &key.0, &deltas))).map(each)
    }

    fn rotate_batch_fixed(
        &self,
        ciphertext: &Ciphertext,
        keys: Vec<Py<FixedRotationKey>>,
    ) -> PyResult<Vec<Ciphertext>> {
        let keys: Vec<&ckks::FixedRotationKey> = keys.iter().map(|key| &key.get().0).collect();
        run(|| ciphertext.0.try_map(|unit| self.0.rotate_fixed_many(unit, &keys))).map(each)
    }

    /// Sums of slots, which errors call by an operation's name.
    fn sum_range(
        &self,
        operation: &str,
        ciphertext: &Ciphertext,
        rotations: Rotations<'_>,
        count: usize,
    ) -> PyResult<Ciphertext> {
        let (fixed, any) = (fixed_keys(&rotations), rotations.0.as_ref().map(|key| &key.0));
        let rotations = ckks::circuits::Rotations { any, fixed: &fixed };
        run_any(|| self.0.sum_range(&ciphertext.0, rotations, count).map_err(|error| Of(operation, error)))
            .map(Ciphertext)
    }

    fn conjugate(&self, ciphertext: &Ciphertext, key: &ConjugationKey) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.conjugate(unit, &key.0))).map(Ciphertext)
    }

    fn rotate_plain(&self, plaintext: &Plaintext, delta: i64) -> PyResult<Plaintext> {
        run(|| plaintext.0.try_map(|unit| self.0.rotate_plain(unit, delta))).map(Plaintext)
    }

    fn conjugate_plain(&self, plaintext: &Plaintext) -> PyResult<Plaintext> {
        run(|| plaintext.0.try_map(|unit| self.0.conjugate_plain(unit))).map(Plaintext)
    }
}
