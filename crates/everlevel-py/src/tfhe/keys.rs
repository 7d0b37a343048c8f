//! Classes of TFHE's keys: immutable, with the properties that Python shows.

use everlevel_binfhe as tfhe;
use pyo3::prelude::*;

use crate::properties::properties;

/// Decrypts.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheSecretKey(pub tfhe::SecretKey);

properties! { [TfheSecretKey] as key {
    secret_id: u64 = key.0.id().0;
    nbytes: usize = key.0.small().len() + key.0.big().len();
} }

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

properties! { [TfheEvaluationKey] as key {
    secret_id: u64 = key.keys.id().0;
    nbytes: usize = key.keys.nbytes() + key.seeded.nbytes();
    bootstrap_nbytes: usize = key.keys.bootstrap_key().nbytes();
    key_switch_nbytes: usize = key.keys.key_switch_nbytes();
    /// Bootstraps that were done with the key.
    bootstrap_count: usize = key.keys.bootstrap_count();
} }
