//! Methods of `Context` for rotations and conjugation.

use everlevel_ckks as ckks;
use pyo3::prelude::*;

use super::{Context, each};
use crate::call::run;
use crate::objects::{Ciphertext, ConjugationKey, FixedRotationKey, Plaintext, RotationKey};

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
