//! The context of CKKS over limbs, which Python's engine holds: a set of parameters and its threads; one method for
//! each call of the core.

use everlevel_ckks::limbs::{self, Params, SETS};
use everlevel_ckks::{Basis, Complex64, Units};
use everlevel_process::Pool;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::{Report, Slots, run_any, run_reporting};
use crate::context::Context;
use crate::limbs::methods::limb_methods;
use crate::limbs::objects::{
    EncryptionKey, LimbsBootstrapKey, LimbsBridge, LimbsCiphertext, LimbsEvaluationKey, LimbsPublicKey, LimbsSecretKey,
};
use crate::matrices::Entries;
use crate::objects::{Ciphertext as OfLevels, SecretKey};
use crate::properties::properties;

/// Parameters and threads.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsContext {
    pub context: limbs::Context,
    pub pool: Pool,
}

/// Every named set: name, slots, bits of precision, depth, bits of a ciphertext's and of the key's modulus, bytes of a
/// key.
#[pyfunction]
pub fn limbs_sets() -> Vec<(&'static str, usize, u32, usize, u32, u32, usize)> {
    let row = |set: &limbs::Named| {
        let literal = &set.literal;
        let bits = literal.log2_base * literal.limbs as u32;
        let slots = 1usize << (literal.log_n - 1);
        (set.name, slots, literal.precision_bits, set.depth, bits, set.key_bits, set.key_nbytes)
    };
    SETS.iter().map(row).collect()
}

limb_methods! { LimbsContext of limbs, LimbsCiphertext }

#[pymethods]
impl LimbsContext {
    #[new]
    #[pyo3(signature = (*, parameters, precision_bits, thread_count, seeded_keys, insecure_log_n))]
    fn new(
        parameters: &str,
        precision_bits: Option<u32>,
        thread_count: usize,
        seeded_keys: bool,
        insecure_log_n: Option<u32>,
    ) -> PyResult<Self> {
        run_any(|| Self::of(thread_count, seeded_keys, Params::of_set(parameters, precision_bits, insecure_log_n)))
    }

    // Keys.

    fn evaluation_key(
        &self,
        secret_key: &LimbsSecretKey,
        rotations: Vec<i64>,
        conjugation: bool,
        report: Report,
    ) -> PyResult<LimbsEvaluationKey> {
        run_reporting(report, |progress| {
            self.on_threads(|context| context.eval_keys(&secret_key.0, &rotations, conjugation, progress))
        })
        .map(LimbsEvaluationKey)
    }

    /// Bytes that bootstrap keys hold, and that making them takes besides.
    fn bootstrap_key_nbytes(&self) -> PyResult<(u64, u64)> {
        let footprint = run_any(|| self.on_threads(|context| context.bootstrap_key_footprint()))?;
        Ok((footprint.held, footprint.work))
    }

    /// Bytes that a bootstrap's result holds, and that the bootstrap takes besides.
    fn bootstrap_nbytes(&self) -> PyResult<(u64, u64)> {
        let footprint = run_any(|| self.on_threads(|context| context.bootstrap_footprint()))?;
        Ok((footprint.held, footprint.work))
    }

    fn bootstrap_key(&self, secret_key: &LimbsSecretKey, report: Report) -> PyResult<LimbsBootstrapKey> {
        run_reporting(report, |progress| self.on_threads(|context| context.bootstrap_key(&secret_key.0, progress)))
            .map(LimbsBootstrapKey)
    }

    fn bootstrap(&self, a: &LimbsCiphertext, key: &LimbsBootstrapKey, report: Report) -> PyResult<LimbsCiphertext> {
        run_reporting(report, |progress| self.on_threads(|context| context.bootstrap(&a.0, &key.0, progress)))
            .map(LimbsCiphertext)
    }

    // To CKKS with levels, and back.

    fn bridge(&self, key: &LimbsSecretKey, levels: &Context, key_of_levels: &SecretKey) -> PyResult<LimbsBridge> {
        run_any(|| self.on_threads(|context| context.bridge(&key.0, &levels.0, &key_of_levels.0))).map(LimbsBridge)
    }

    /// Figures of a ciphertext of one unit.
    #[pyo3(name = "from_levels")]
    fn of_levels(&self, a: &OfLevels, levels: &Context, bridge: &LimbsBridge) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.from_levels(a.0.first(), &levels.0, &bridge.0))
    }

    fn to_levels(
        &self,
        a: &LimbsCiphertext,
        level: usize,
        levels: &Context,
        bridge: &LimbsBridge,
    ) -> PyResult<OfLevels> {
        let ciphertext = run_any(|| self.on_threads(|context| context.to_levels(&a.0, level, &levels.0, &bridge.0)))?;
        Ok(OfLevels(Units::from(ciphertext)))
    }

    // Messages.

    fn encrypt(&self, values: Slots<'_>, bound: f64, key: EncryptionKey) -> PyResult<LimbsCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.encrypt(&key, values, bound))
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &LimbsCiphertext,
        key: &LimbsSecretKey,
    ) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let values = run_any(|| {
            let decrypted = self.on_threads(|context| context.decrypt(&key.0, &ciphertext.0));
            decrypted.inspect(|values| self.context.notice_beyond(&ciphertext.0, values))
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    // Arithmetic.

    fn add_plain(&self, a: &LimbsCiphertext, values: Slots<'_>, bound: f64) -> PyResult<LimbsCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.add_plain(&a.0, values, bound))
    }

    fn add_constant(&self, a: &LimbsCiphertext, constant: Complex64) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.add_constant(&a.0, constant))
    }

    fn multiply_plain(
        &self,
        a: &LimbsCiphertext,
        values: Slots<'_>,
        bound: f64,
        bits: u32,
    ) -> PyResult<LimbsCiphertext> {
        let values = values.as_slice()?;
        self.run(|context| context.multiply_plain(&a.0, values, bound, bits))
    }

    fn multiply_constant(&self, a: &LimbsCiphertext, constant: Complex64, bits: u32) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.multiply_constant(&a.0, constant, bits))
    }

    fn multiply(
        &self,
        a: &LimbsCiphertext,
        b: &LimbsCiphertext,
        bits: u32,
        key: &LimbsEvaluationKey,
    ) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.multiply_to(&a.0, &b.0, bits, &key.0))
    }

    fn rescale(&self, a: &LimbsCiphertext, bits: u32) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.rescale(&a.0, bits))
    }

    fn lower(&self, a: &LimbsCiphertext, budget_bits: u32) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.lower(&a.0, budget_bits))
    }

    fn assume_bound(&self, a: &LimbsCiphertext, bound: f64) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.assume_bound(&a.0, bound))
    }

    /// In the Chebyshev basis or that of powers, on reals or not.
    fn evaluate_polynomial(
        &self,
        a: &LimbsCiphertext,
        basis_and_domain: (bool, bool),
        coefficients: PyReadonlyArray1<'_, f64>,
        key: &LimbsEvaluationKey,
        report: Report,
    ) -> PyResult<LimbsCiphertext> {
        let (is_chebyshev, is_real) = basis_and_domain;
        let (basis, p) = (if is_chebyshev { Basis::Chebyshev } else { Basis::Power }, coefficients.as_slice()?);
        run_reporting(report, |progress| {
            self.on_threads(|context| context.evaluate_polynomial((&a.0, is_real), basis, p, &key.0, progress))
        })
        .map(LimbsCiphertext)
    }

    // Slots.

    fn multiply_matrix(
        &self,
        entries: Entries<'_>,
        a: &LimbsCiphertext,
        bits: u32,
        key: &LimbsEvaluationKey,
        report: Report,
    ) -> PyResult<LimbsCiphertext> {
        let matrix = entries.read()?;
        run_reporting(report, |progress| {
            self.on_threads(|context| context.multiply_matrix(matrix, &a.0, bits, &key.0, progress))
        })
        .map(LimbsCiphertext)
    }

    fn rotate_many(
        &self,
        a: &LimbsCiphertext,
        amounts: Vec<i64>,
        key: &LimbsEvaluationKey,
    ) -> PyResult<Vec<LimbsCiphertext>> {
        let all = run_any(|| self.on_threads(|context| context.rotate_many(&a.0, &amounts, &key.0)))?;
        Ok(all.into_iter().map(LimbsCiphertext).collect())
    }

    fn conjugate(&self, a: &LimbsCiphertext, key: &LimbsEvaluationKey) -> PyResult<LimbsCiphertext> {
        self.run(|context| context.conjugate(&a.0, &key.0))
    }
}

properties! { [LimbsContext] as context {
    fingerprints: [u64; 2] = context.context.fingerprints().all();
    slot_count: usize = context.context.params().slots();
    precision_bits: u32 = context.context.params().precision_bits();
    max_budget_bits: u32 = context.context.params().max_budget_bits();
    depth: usize = context.context.params().depth();
    is_insecure: bool = context.context.params().is_insecure();
    seeded_keys: bool = context.context.seeded_keys();
    thread_count: usize = context.pool.thread_count();
} }
