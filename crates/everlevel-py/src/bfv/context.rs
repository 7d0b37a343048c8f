//! The context of BFV, which Python's engine holds: a set of parameters and its threads; one method for each call of
//! the core.

use everlevel_bfv::{self as bfv, Ciphertext, Params, SETS};
use everlevel_process::Pool;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::bfv::objects::BfvCiphertext;
use crate::call::{Report, run_any, run_reporting};
use crate::limbs::methods::limb_methods;
use crate::limbs::{EncryptionKey, LimbsEvaluationKey, LimbsPublicKey, LimbsSecretKey};
use crate::properties::properties;

/// Parameters and threads.
#[pyclass(frozen, module = "everlevel._native")]
pub struct BfvContext {
    pub context: bfv::Context,
    pub pool: Pool,
}

/// Every named set: name, slots, plaintext modulus, depth, bits of the key's modulus, bytes of a key.
#[pyfunction]
pub fn bfv_sets() -> Vec<(&'static str, usize, u64, usize, u32, usize)> {
    let row = |set: &bfv::Named| {
        let (slots, modulus) = (1usize << set.literal.log_n, set.literal.plain_modulus);
        (set.name, slots, modulus, set.depth, set.key_bits, set.key_nbytes)
    };
    SETS.iter().map(row).collect()
}

limb_methods! { BfvContext of bfv, BfvCiphertext }

#[pymethods]
impl BfvContext {
    #[new]
    #[pyo3(signature = (*, parameters, plain_modulus, thread_count, seeded_keys, insecure_log_n))]
    fn new(
        parameters: &str,
        plain_modulus: Option<u64>,
        thread_count: usize,
        seeded_keys: bool,
        insecure_log_n: Option<u32>,
    ) -> PyResult<Self> {
        run_any(|| Self::of(thread_count, seeded_keys, Params::of_set(parameters, plain_modulus, insecure_log_n)))
    }

    // Keys.

    fn evaluation_key(
        &self,
        secret_key: &LimbsSecretKey,
        rotations: Vec<i64>,
        swap_rows: bool,
        report: Report,
    ) -> PyResult<LimbsEvaluationKey> {
        run_reporting(report, |progress| {
            self.on_threads(|context| context.eval_keys(&secret_key.0, &rotations, swap_rows, progress))
        })
        .map(LimbsEvaluationKey)
    }

    // Messages.

    fn encrypt(&self, values: PyReadonlyArray1<'_, i64>, key: EncryptionKey) -> PyResult<BfvCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.encrypt(&key, values))
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &BfvCiphertext,
        key: &LimbsSecretKey,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let values = run_any(|| self.on_threads(|context| context.decrypt(&key.0, &ciphertext.0)))?;
        Ok(PyArray1::from_vec(py, values))
    }

    // Arithmetic.

    fn add_plain(&self, a: &BfvCiphertext, values: PyReadonlyArray1<'_, i64>) -> PyResult<BfvCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.add_plain(&a.0, values))
    }

    fn multiply_plain(&self, a: &BfvCiphertext, values: PyReadonlyArray1<'_, i64>) -> PyResult<BfvCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.multiply_plain(&a.0, values))
    }

    fn multiply(&self, a: &BfvCiphertext, b: &BfvCiphertext, key: &LimbsEvaluationKey) -> PyResult<BfvCiphertext> {
        self.run(|context| context.multiply(&a.0, &b.0, &key.0))
    }

    /// Units of several vectors as those of one.
    fn vstack(&self, parts: Vec<PyRef<'_, BfvCiphertext>>) -> PyResult<BfvCiphertext> {
        let parts: Vec<&Ciphertext> = parts.iter().map(|part| &part.0).collect();
        self.run(|context| context.stack(&parts))
    }

    fn sum_of_units(&self, a: &BfvCiphertext) -> PyResult<BfvCiphertext> {
        self.run(|context| context.sum_of_units(&a.0))
    }

    // Slots.

    fn swap_rows(&self, a: &BfvCiphertext, key: &LimbsEvaluationKey) -> PyResult<BfvCiphertext> {
        self.run(|context| context.swap_rows(&a.0, &key.0))
    }
}

properties! { [BfvContext] as context {
    fingerprints: [u64; 2] = context.context.fingerprints().all();
    slot_count: usize = context.context.params().n();
    plain_modulus: u64 = context.context.params().plain_modulus();
    depth: usize = context.context.params().depth();
    public_depth: usize = context.context.params().public_depth();
    is_insecure: bool = context.context.params().is_insecure();
    seeded_keys: bool = context.context.seeded_keys();
    thread_count: usize = context.pool.thread_count();
} }
