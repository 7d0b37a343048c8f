//! Keys and arrays of ciphertexts: immutable, with the properties that Python shows.

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

/// Bytes of the ciphertexts' words.
pub(super) fn nbytes(all: &[tfhe::Ciphertext]) -> usize {
    all.iter().map(|ciphertext| size_of_val(ciphertext.lwe().words())).sum()
}

/// Largest variance of their noise, as a part of the torus squared.
pub(super) fn variance_torus(all: &[tfhe::Ciphertext]) -> f64 {
    all.iter().map(tfhe::Ciphertext::variance_torus).fold(0.0, f64::max)
}

/// Encrypted bits or integers of one secret.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheCiphertext(pub Vec<tfhe::Ciphertext>);

#[pymethods]
impl TfheCiphertext {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn secret_id(&self) -> u64 {
        self.0.first().map_or(0, |ciphertext| ciphertext.key().0)
    }

    #[getter]
    fn nbytes(&self) -> usize {
        nbytes(&self.0)
    }

    /// The largest value that any of them may hold.
    #[getter]
    fn max_value(&self) -> u64 {
        self.0.iter().map(tfhe::Ciphertext::max_value).max().unwrap_or(0)
    }

    /// Largest variance of their noise.
    #[getter]
    fn variance_torus(&self) -> f64 {
        variance_torus(&self.0)
    }

    /// Those at these places, in this order.
    fn take(&self, py: Python<'_>, indices: Vec<usize>) -> PyResult<Self> {
        crate::call::run_any::<_, tfhe::Error>(py, || Ok(Self(indices.iter().map(|&i| self.0[i].clone()).collect())))
    }

    /// All of these, one array behind the other.
    #[staticmethod]
    fn join(parts: Vec<Bound<'_, Self>>) -> Self {
        Self(parts.iter().flat_map(|part| part.get().0.iter().cloned()).collect())
    }
}
