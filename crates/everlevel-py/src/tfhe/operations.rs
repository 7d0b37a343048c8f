//! Encryption, gates, and integers of a few bits: one method of the context for each call of the core.

use everlevel_binfhe::{self as tfhe, Gate};
use everlevel_rlwe::SecretId;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::error::Of;
use crate::tfhe::arrays::TfheCiphertext;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{EncryptionKey, Key};

#[pymethods]
impl TfheContext {
    fn encrypt_bits(&self, bits: PyReadonlyArray1<'_, bool>, key: EncryptionKey) -> PyResult<TfheCiphertext> {
        let bits = bits.as_slice()?;
        run_any(|| key.get().encrypt_bits(bits)).map(TfheCiphertext)
    }

    fn encrypt_integers(
        &self,
        values: PyReadonlyArray1<'_, u64>,
        max_value: u64,
        key: EncryptionKey,
    ) -> PyResult<TfheCiphertext> {
        let values = values.as_slice()?;
        run_any(|| key.get().encrypt_integers(values, max_value)).map(TfheCiphertext)
    }

    /// Bits or integers in the clear, as operands beside ciphertexts of a secret.
    fn constant(&self, values: PyReadonlyArray1<'_, u64>, secret_id: u64) -> PyResult<TfheCiphertext> {
        let values = values.as_slice()?;
        run_any(|| self.0.constants(values, SecretId(secret_id))).map(TfheCiphertext)
    }

    // Gates.

    fn gate(
        &self,
        name: &str,
        key: Key<'_>,
        a: &TfheCiphertext,
        b: &TfheCiphertext,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let gate = Gate::ALL.into_iter().find(|gate| gate.name() == name);
        let gate = gate.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(name.to_string()))?;
        run_reporting(report, |p| self.0.gate(key.ready(), gate, [&a.0, &b.0], p)).map(TfheCiphertext)
    }

    fn negate(&self, key: Key<'_>, a: &TfheCiphertext) -> PyResult<TfheCiphertext> {
        run_any(|| a.0.iter().map(|a| key.ready().not(a)).collect::<Result<_, _>>()).map(TfheCiphertext)
    }

    fn mux(
        &self,
        key: Key<'_>,
        selector: &TfheCiphertext,
        a: &TfheCiphertext,
        b: &TfheCiphertext,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        run_reporting(report, |p| self.0.mux(key.ready(), [&selector.0, &a.0, &b.0], p)).map(TfheCiphertext)
    }

    // Integers.

    /// `factors·a + constants`, element by element.
    fn scale(
        &self,
        key: Key<'_>,
        a: &TfheCiphertext,
        factors: PyReadonlyArray1<'_, i64>,
        constants: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<TfheCiphertext> {
        let (factors, constants) = (factors.as_slice()?, constants.as_slice()?);
        run_any(|| key.ready().scale(&a.0, factors, constants)).map(TfheCiphertext)
    }

    /// The sum of `factor·part`, and a constant, element by element.
    fn combine(
        &self,
        key: Key<'_>,
        parts: Vec<(i64, PyRef<'_, TfheCiphertext>)>,
        constant: i64,
    ) -> PyResult<TfheCiphertext> {
        let terms: Vec<(i64, &[tfhe::Ciphertext])> = parts.iter().map(|(factor, part)| (*factor, &*part.0)).collect();
        run_any(|| key.ready().linear_all(&terms, constant)).map(TfheCiphertext)
    }

    fn tables(
        &self,
        key: Key<'_>,
        a: &TfheCiphertext,
        tables: Vec<Vec<u64>>,
        many: bool,
        report: Report,
    ) -> PyResult<Vec<TfheCiphertext>> {
        let name = if many { "bootstrap_many" } else { "bootstrap" };
        let named = |error| Of(name, error);
        run_reporting(report, |p| self.0.tables(key.ready(), &a.0, &tables, p).map_err(named))
            .map(|columns| columns.into_iter().map(TfheCiphertext).collect())
    }
}
