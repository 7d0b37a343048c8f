//! Classes of TFHE's keys: immutable, with the properties that Python shows.

use everlevel_binfhe as tfhe;
use pyo3::prelude::*;

/// Decrypts.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheSecretKey(pub tfhe::SecretKey);

#[pymethods]
impl TfheSecretKey {
    #[getter]
    fn secret_id(&self) -> u64 {
        self.0.id().0
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.0.small().len() + self.0.big().len()
    }
}

/// Computes: prepared, and as seed and bodies for files.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheEvaluationKey {
    pub keys: tfhe::EvalKeys,
    pub seeded: tfhe::SeededEvalKeys,
}

impl TfheEvaluationKey {
    pub fn new(seeded: tfhe::SeededEvalKeys) -> Self {
        Self { keys: seeded.prepare(), seeded }
    }
}

/// An evaluation key, as calls take it.
pub type Key<'py> = &'py TfheEvaluationKey;

#[pymethods]
impl TfheEvaluationKey {
    #[getter]
    fn secret_id(&self) -> u64 {
        self.keys.id().0
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.keys.nbytes() + self.seeded.nbytes()
    }

    #[getter]
    fn bootstrap_nbytes(&self) -> usize {
        self.keys.bootstrap_key().nbytes()
    }

    #[getter]
    fn key_switch_nbytes(&self) -> usize {
        self.keys.key_switch_key().nbytes()
    }

    /// Bootstraps that were done with the key.
    #[getter]
    fn bootstrap_count(&self) -> usize {
        self.keys.bootstrap_count()
    }

    /// Ciphertexts that one pass over the key serves on one thread.
    #[getter]
    fn batch_len(&self) -> usize {
        self.keys.bootstrap_key().batch_len()
    }
}
