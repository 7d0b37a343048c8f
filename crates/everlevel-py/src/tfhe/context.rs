//! The context: a set of parameters, its threads, and one method for each call of the core.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everlevel_binfhe::{self as tfhe, Error, Gate, Lwe, NoiseSum, Progress, Space, noise, sets};
use everlevel_ckks::io::{Access, Container};
use everlevel_ring::Pool;
use everlevel_rlwe::SecretId;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{run_any, run_reporting};
use crate::files::Notes;
use crate::tfhe::files::Stored;
use crate::tfhe::objects::{TfheCiphertext, TfheEvaluationKey, TfheSecretKey};

/// The largest that the façade takes.
const LARGEST_INSECURE_LOG_N: u32 = 15;

pub(super) type Report = Option<Py<PyAny>>;
pub(super) type Key<'py> = &'py TfheEvaluationKey;

/// Parameters and threads.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheContext {
    pub(super) set: &'static sets::NamedSet,
    pub(super) params: Arc<tfhe::Params>,
    pub(super) pool: Pool,
}

/// Every named set: name, security bits, log2 of its failure probability, and a sentence.
#[pyfunction]
pub fn tfhe_sets() -> Vec<(&'static str, f64, f64, &'static str)> {
    sets::ALL.iter().map(|set| (set.name, set.security_bits, set.log2_p_fail, set.about)).collect()
}

/// The parameters of a set at a ring without security, which must hold the set's messages.
fn insecure_params(set: &sets::NamedSet, log_n: u32) -> Result<tfhe::Params, Error> {
    let params = |log_n: u32| tfhe::Params::try_from(set.insecure_literal(log_n));
    params(log_n).map_err(|error| match (log_n..=LARGEST_INSECURE_LOG_N).find(|&log_n| params(log_n).is_ok()) {
        Some(enough) => Error::Parameter {
            what: "insecure_log_n",
            found: log_n.to_string(),
            needed: format!("{enough} or more for the messages of {}", set.name),
        },
        None => error,
    })
}

impl TfheContext {
    /// Elements in steps, so that each call looks for Ctrl-C: whole passes over the key on every thread.
    fn in_steps<T: Send>(
        &self,
        key: Key<'_>,
        (len, cost): (usize, usize),
        progress: Progress<'_>,
        step: impl Fn(std::ops::Range<usize>) -> Result<Vec<T>, Error> + Send + Sync,
    ) -> Result<Vec<T>, Error> {
        let size = (key.keys.bootstrap_key().batch_len() * self.pool.thread_count() / cost).max(1);
        let mut out = Vec::with_capacity(len);
        for start in (0..len).step_by(size) {
            let range = start..len.min(start + size);
            let done = range.end;
            out.extend(self.pool.install(|| step(range))?);
            if progress(done, len) == ControlFlow::Break(()) {
                return Err(Error::Cancelled { op: "bootstrap", done, total: len });
            }
        }
        Ok(out)
    }

    /// Ciphertexts that anybody can read.
    fn trivial(&self, secret_id: u64, value: u64, max_value: u64) -> tfhe::Ciphertext {
        tfhe::Ciphertext::from_parts(
            Lwe::trivial(self.params.ciphertext_dim(), value),
            SecretId(secret_id),
            NoiseSum::default(),
            max_value,
        )
    }
}

#[pymethods]
impl TfheContext {
    #[new]
    #[pyo3(signature = (*, parameters, thread_count, insecure_log_n))]
    fn new(py: Python<'_>, parameters: &str, thread_count: usize, insecure_log_n: Option<u32>) -> PyResult<Self> {
        run_any(py, || {
            let set = sets::find(parameters)?;
            let params = match insecure_log_n {
                Some(log_n) => insecure_params(set, log_n)?,
                None => set.params()?,
            };
            let pool = Pool::new(thread_count).map_err(|error| Error::Parameter {
                what: "thread_count",
                found: format!("{thread_count} ({error})"),
                needed: "as many threads as the system gives".into(),
            })?;
            Ok::<_, Error>(Self { set, params: Arc::new(params), pool })
        })
    }

    #[getter]
    fn fingerprint(&self) -> u64 {
        self.params.fingerprint()
    }

    #[getter]
    fn security_bits(&self) -> f64 {
        self.set.security_bits
    }

    #[getter]
    fn max_log2_p_fail(&self) -> f64 {
        self.params.max_log2_p_fail
    }

    /// Bits of an integer, or none where a ciphertext is one bit of a gate's.
    #[getter]
    fn message_bits(&self) -> Option<u32> {
        match self.params.space {
            Space::Bit => None,
            Space::Integer { bits } => Some(bits),
        }
    }

    #[getter]
    fn thread_count(&self) -> usize {
        self.pool.thread_count()
    }

    /// log2 of the probability that a bootstrap of a ciphertext with this noise fails.
    fn log2_p_fail(&self, variance_torus: f64) -> f64 {
        noise::log2_p_fail(self.params.margin_torus(), self.params.noise().at_table(variance_torus))
    }

    // Keys.

    fn secret_key(&self, py: Python<'_>) -> PyResult<TfheSecretKey> {
        run_any(py, || tfhe::SecretKey::generate(Arc::clone(&self.params))).map(TfheSecretKey)
    }

    fn evaluation_key(
        &self,
        py: Python<'_>,
        secret_key: &TfheSecretKey,
        report: Report,
    ) -> PyResult<TfheEvaluationKey> {
        run_reporting(py, report, |progress| {
            self.pool.install(|| {
                let seeded = tfhe::SeededEvalKeys::generate_reporting(&secret_key.0, progress)?;
                Ok::<_, Error>(TfheEvaluationKey::new(seeded))
            })
        })
    }

    // Messages.

    fn encrypt_bits(
        &self,
        py: Python<'_>,
        bits: PyReadonlyArray1<'_, bool>,
        key: &TfheSecretKey,
    ) -> PyResult<TfheCiphertext> {
        let bits = bits.as_slice()?;
        run_any(py, || key.0.encrypt_bits(bits)).map(TfheCiphertext)
    }

    fn encrypt_integers(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray1<'_, u64>,
        max_value: u64,
        key: &TfheSecretKey,
    ) -> PyResult<TfheCiphertext> {
        let values = values.as_slice()?;
        run_any(py, || key.0.encrypt_integers(values, max_value)).map(TfheCiphertext)
    }

    fn decrypt_bits<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &TfheCiphertext,
        key: &TfheSecretKey,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        Ok(PyArray1::from_vec(py, run_any(py, || key.0.decrypt_bits(&ciphertext.0))?))
    }

    fn decrypt_integers<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &TfheCiphertext,
        key: &TfheSecretKey,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, run_any(py, || key.0.decrypt_integers(&ciphertext.0))?))
    }

    /// Bits, at ±1/8, or integers in the clear, as operands beside ciphertexts of a secret. Values are below the
    /// space's size.
    fn constant(&self, values: PyReadonlyArray1<'_, u64>, secret_id: u64) -> PyResult<TfheCiphertext> {
        let one = |&value: &u64| match self.params.space {
            Space::Bit => self.trivial(secret_id, if value == 0 { 7 << 61 } else { 1 << 61 }, 1),
            Space::Integer { bits } => self.trivial(secret_id, value << (63 - bits), value),
        };
        Ok(TfheCiphertext(values.as_slice()?.iter().map(one).collect()))
    }

    // Gates.

    fn gate(
        &self,
        py: Python<'_>,
        name: &str,
        key: Key<'_>,
        a: &TfheCiphertext,
        b: &TfheCiphertext,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        let gate = Gate::ALL.into_iter().find(|gate| format!("{gate:?}").eq_ignore_ascii_case(name));
        let gate = gate.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(name.to_string()))?;
        run_reporting(py, report, |progress| {
            self.in_steps(key, (a.0.len(), 1), progress, |range| {
                key.keys.gates(&[gate], &a.0[range.clone()], &b.0[range])
            })
        })
        .map(TfheCiphertext)
    }

    fn negate(&self, py: Python<'_>, key: Key<'_>, a: &TfheCiphertext) -> PyResult<TfheCiphertext> {
        run_any(py, || a.0.iter().map(|a| key.keys.not(a)).collect::<Result<_, _>>()).map(TfheCiphertext)
    }

    fn mux(
        &self,
        py: Python<'_>,
        key: Key<'_>,
        selector: &TfheCiphertext,
        a: &TfheCiphertext,
        b: &TfheCiphertext,
        report: Report,
    ) -> PyResult<TfheCiphertext> {
        run_reporting(py, report, |progress| {
            self.in_steps(key, (a.0.len(), 2), progress, |range| {
                key.keys.mux(&selector.0[range.clone()], &a.0[range.clone()], &b.0[range])
            })
        })
        .map(TfheCiphertext)
    }

    // Integers.

    /// `factors·a + constants`, element by element.
    fn scale(
        &self,
        py: Python<'_>,
        key: Key<'_>,
        a: &TfheCiphertext,
        factors: PyReadonlyArray1<'_, i64>,
        constants: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<TfheCiphertext> {
        let (factors, constants) = (factors.as_slice()?, constants.as_slice()?);
        let one = |((a, &factor), &constant)| key.keys.linear(&[(factor, a)], constant);
        run_any(py, || a.0.iter().zip(factors).zip(constants).map(one).collect::<Result<_, _>>()).map(TfheCiphertext)
    }

    /// The sum of `factor·part`, and a constant, element by element.
    fn combine(
        &self,
        py: Python<'_>,
        key: Key<'_>,
        parts: Vec<(i64, PyRef<'_, TfheCiphertext>)>,
        constant: i64,
    ) -> PyResult<TfheCiphertext> {
        let parts: Vec<(i64, &TfheCiphertext)> = parts.iter().map(|(factor, part)| (*factor, &**part)).collect();
        let len = parts.first().map_or(0, |(_, part)| part.0.len());
        let one = |i: usize| {
            let terms: Vec<_> = parts.iter().map(|(factor, part)| (*factor, &part.0[i])).collect();
            key.keys.linear(&terms, constant)
        };
        run_any(py, || (0..len).map(one).collect::<Result<_, _>>()).map(TfheCiphertext)
    }

    fn tables(
        &self,
        py: Python<'_>,
        key: Key<'_>,
        a: &TfheCiphertext,
        tables: Vec<Vec<u64>>,
        many: bool,
        report: Report,
    ) -> PyResult<Vec<TfheCiphertext>> {
        let named = |mut error: Error| {
            if many && let Some(op) = error.op_mut() {
                *op = "bootstrap_many";
            }
            error
        };
        let out = run_reporting(py, report, |progress| {
            // A call with no elements still looks at the tables.
            let step = |range: std::ops::Range<usize>| key.keys.tables(&a.0[range], &tables).map_err(named);
            self.in_steps(key, (a.0.len(), 1), progress, step)
        })?;
        let mut columns: Vec<_> = tables.iter().map(|_| TfheCiphertext(Vec::with_capacity(a.0.len()))).collect();
        for row in out {
            columns.iter_mut().zip(row).for_each(|(column, ciphertext)| column.0.push(ciphertext));
        }
        Ok(columns)
    }

    // Files.

    fn save(&self, py: Python<'_>, obj: Stored, path: PathBuf, notes: Notes) -> PyResult<u64> {
        run_any(py, || self.pool.install(|| Ok::<_, Error>(self.container(&obj, notes)?.write(&path)?)))
    }

    fn serialize<'py>(&self, py: Python<'py>, obj: Stored, notes: Notes) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = run_any(py, || self.pool.install(|| Ok::<_, Error>(self.container(&obj, notes)?.to_bytes())))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<(Py<PyAny>, Notes)> {
        let open = || self.open(&Container::open(Path::new(&path), Access::Auto)?);
        let (opened, notes) = run_any(py, || self.pool.install(open))?;
        Ok((opened.wrap(py)?, notes))
    }

    fn deserialize(&self, py: Python<'_>, data: &[u8]) -> PyResult<(Py<PyAny>, Notes)> {
        let (opened, notes) = run_any(py, || self.pool.install(|| self.open(&Container::from_bytes(data.to_vec())?)))?;
        Ok((opened.wrap(py)?, notes))
    }
}
