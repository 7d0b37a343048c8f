//! The context of TFHE, which Python's engine holds: a set of parameters and its threads.

use everlevel_binfhe::{self as tfhe, Error, Space, sets};
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::properties::properties;
use crate::tfhe::keys::{TfheEvaluationKey, TfhePublicKey, TfheSecretKey};

/// Parameters and threads.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheContext(pub tfhe::Context);

/// Claims of a named set: name, bits of security under MATZOV, log2 of its failure probability, a sentence,
/// assumptions, and bits of security by core-SVP.
type Claims = (&'static str, f64, f64, &'static str, Vec<&'static str>, f64);

/// Every named set.
#[pyfunction]
pub fn tfhe_sets() -> Vec<Claims> {
    let claims = |set: &sets::NamedSet| {
        (set.name, set.security_bits, set.log2_p_fail, set.about, set.assumptions(), set.core_svp_bits())
    };
    sets::ALL.iter().map(claims).collect()
}

/// A [`tfhe::FailureMeasurement`], as a dictionary of its fields.
#[derive(IntoPyObject)]
struct Measurement {
    log2_p_fail: f64,
    log2_low: f64,
    log2_high: f64,
    claimed_log2_p_fail: f64,
    levels: usize,
    rotation_ratio: f64,
    failures: usize,
}

impl From<tfhe::FailureMeasurement> for Measurement {
    fn from(found: tfhe::FailureMeasurement) -> Self {
        Self {
            log2_p_fail: found.log2_p_fail,
            log2_low: found.log2_low,
            log2_high: found.log2_high,
            claimed_log2_p_fail: found.claimed_log2_p_fail,
            levels: found.levels,
            rotation_ratio: found.rotation_ratio,
            failures: found.failures,
        }
    }
}

#[pymethods]
impl TfheContext {
    #[new]
    #[pyo3(signature = (*, parameters, thread_count, insecure_log_n))]
    fn new(parameters: &str, thread_count: usize, insecure_log_n: Option<u32>) -> PyResult<Self> {
        run_any(|| match insecure_log_n {
            Some(log_n) => tfhe::Context::insecure(parameters, log_n, thread_count),
            None => tfhe::Context::named(parameters, thread_count),
        })
        .map(Self)
    }

    /// log2 of the probability that a bootstrap of a ciphertext with this noise fails.
    fn log2_p_fail(&self, variance_torus: f64) -> f64 {
        self.0.log2_p_fail(variance_torus)
    }

    /// Bytes that the evaluation keys hold.
    fn evaluation_key_nbytes(&self) -> u64 {
        self.0.params().eval_keys_footprint().held
    }

    /// Bytes that a public key holds.
    fn public_key_nbytes(&self) -> PyResult<u64> {
        run_any(|| {
            self.0.params().public_key_variance("estimate_memory")?;
            Ok::<_, Error>(self.0.params().public_key_footprint().held)
        })
    }

    /// Bytes that so many ciphertexts hold.
    fn ciphertexts_nbytes(&self, count: usize) -> u64 {
        self.0.params().ciphertexts_footprint(count).held
    }

    /// The measured failure probability of a bootstrap, by importance splitting with a key of its own.
    fn measure_failure(&self, particles: usize, runs: usize, seed: u64, report: Report) -> PyResult<Measurement> {
        let splitting = tfhe::Splitting { particles, runs, seed };
        run_reporting(report, |progress| splitting.measure(&self.0, progress)).map(Measurement::from)
    }

    // Keys.

    fn secret_key(&self) -> PyResult<TfheSecretKey> {
        run_any(|| self.0.secret_key()).map(TfheSecretKey)
    }

    fn public_key(&self, secret_key: &TfheSecretKey) -> PyResult<TfhePublicKey> {
        run_any(|| tfhe::PublicKey::generate(&secret_key.0)).map(TfhePublicKey)
    }

    fn evaluation_key(&self, secret_key: &TfheSecretKey, report: Report) -> PyResult<TfheEvaluationKey> {
        run_reporting(report, |progress| {
            let seeded = self.0.eval_keys(&secret_key.0, progress)?;
            Ok::<_, Error>(self.0.install(|| TfheEvaluationKey(tfhe::KeptEvalKeys::new(seeded))))
        })
    }
}

properties! { [TfheContext] as context {
    fingerprints: [u64; 2] = context.0.params().fingerprints().all();
    security_bits: f64 = context.0.set().map_or(0.0, |set| set.security_bits);
    core_svp_bits: f64 = context.0.set().map_or(0.0, |set| set.core_svp_bits());
    max_log2_p_fail: f64 = context.0.params().max_log2_p_fail;
    thread_count: usize = context.0.thread_count();
    /// Bits of an integer, or none where a ciphertext is one bit of a gate's.
    message_bits: Option<u32> = match context.0.params().space {
        Space::Bit => None,
        Space::Integer { bits } => Some(bits),
    };
} }
