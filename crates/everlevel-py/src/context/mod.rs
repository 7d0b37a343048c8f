//! The context of CKKS, which Python's engine holds: parameters and their tables, and in the files of this folder one
//! method for each call of the core.

use everlevel_ckks as ckks;
use everlevel_ckks::circuits::table::Space;
use everlevel_gpu::Opened;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call::run;
use crate::device::Wanted;
use crate::objects::Ciphertext;
use crate::properties::properties;

mod arithmetic;
mod bootstraps;
mod device;
mod keys;
mod memory;
mod messages;
mod polynomials;
mod slots;
mod tables;

pub use bootstraps::{Keys, bootstrap_keys};

/// Threads, the cipher of seeded keys' masks where keys are seeded, whether results of an assumed bound are refused
/// beyond their room, and the device to compute on.
type Options = (usize, Option<String>, bool, Option<Wanted>);

fn with_slots(
    (thread_count, cipher, refuse_assumed, device): Options,
    slot_count: Option<usize>,
) -> PyResult<(ckks::Options, Option<Wanted>)> {
    let mask_cipher = match &cipher {
        None => ckks::Cipher::default(),
        Some(name) => ckks::Cipher::named(name)
            .ok_or_else(|| PyValueError::new_err(format!("{name:?} is no cipher of masks: chacha20 or aes128")))?,
    };
    let seeded_keys = cipher.is_some();
    Ok((ckks::Options { slot_count, thread_count, seeded_keys, mask_cipher, refuse_assumed }, device))
}

type Claim = (String, String, f64, Option<f64>, Option<f64>, Option<f64>);

/// Parameters and their tables.
#[pyclass(frozen, module = "everlevel._native")]
pub struct Context(pub ckks::Context, Option<ckks::Bootstrapper>, Option<Opened>);

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (*, max_level, slot_count, bootstrap_to, precision, options, insecure_log_n))]
    fn new(
        max_level: Option<usize>,
        slot_count: Option<usize>,
        bootstrap_to: Option<usize>,
        precision: &str,
        options: Options,
        insecure_log_n: Option<u32>,
    ) -> PyResult<Self> {
        let (options, device) = with_slots(options, slot_count)?;
        run(|| {
            let precision = ckks::Precision::named(precision)?;
            let needs = ckks::Needs { max_level, slot_count, bootstrap_to, precision, insecure_log_n };
            Self::of(ckks::Context::with_options(needs.literal()?.try_into()?, options)?, device)
        })
    }

    /// The context of a chain that is made for look-ups of a space's integers, from a level and to it.
    #[staticmethod]
    fn for_tables(size: usize, level: usize, options: Options, insecure_log_n: Option<u32>) -> PyResult<Self> {
        let (options, device) = with_slots(options, None)?;
        run(|| {
            let ring =
                insecure_log_n.map_or_else(ckks::ParamsLiteral::bootstrap, ckks::ParamsLiteral::insecure_bootstrap);
            let literal = ring.for_tables(Space::new(size)?, level);
            Self::of(ckks::Context::with_options(literal.try_into()?, options)?, device)
        })
    }

    /// The context of a literal, as `params` gives it.
    #[staticmethod]
    fn from_params(params: &str, slot_count: usize, options: Options) -> PyResult<Self> {
        let (options, device) = with_slots(options, Some(slot_count))?;
        run(|| {
            let literal = ckks::ParamsLiteral::from_json(params)?;
            Self::of(ckks::Context::with_options(literal.try_into()?, options)?, device)
        })
    }

    /// For each kind of secret, the largest modulus and what is claimed of it: (key, secret, log2(QP), cap, bits by
    /// core-SVP, bits under MATZOV).
    fn claims(&self) -> PyResult<Vec<Claim>> {
        let claims = run(|| self.0.claims())?;
        let row = |c: ckks::SecurityClaim| {
            (c.key.name, c.key.secret.to_string(), c.key.log2_qp, c.max_log2_qp, c.core_svp_bits, c.security_bits)
        };
        Ok(claims.into_iter().map(row).collect())
    }
}

properties! { [Context] as context {
    fingerprints: [u64; 2] = context.0.params().fingerprints().all();
    precision: &'static str = context.0.params().literal().precision.name();
    params: String = context.0.params().literal().to_json();
    can_bootstrap: bool = context.0.params().literal().bootstrap;
    insecure: bool = context.0.params().literal().insecure;
    log_n: u32 = context.0.params().literal().log_n;
    max_level: usize = context.0.max_level();
    refuses_assumed: bool = context.0.refuses_assumed();
    /// The cipher of seeded keys' masks; none where keys aren't seeded.
    seeded_keys: Option<&'static str> = context.0.seeded_keys().then(|| context.0.mask_cipher().name());
    slot_count: usize = context.0.slot_count();
    stage_counts: Vec<usize> = context.0.stage_counts();
    thread_count: usize = context.0.thread_count();
} }

impl Context {
    fn of(context: ckks::Context, device: Option<Wanted>) -> Result<Self, ckks::Error> {
        let has_bootstrap = context.params().literal().bootstrap;
        let bootstrapper = has_bootstrap.then(|| ckks::Bootstrapper::new(&context)).transpose()?;
        let opened = device.map(|wanted| wanted.open(&context)).transpose()?;
        Ok(Self(context, bootstrapper, opened))
    }

    pub fn bootstrapper(&self, op: &'static str) -> Result<&ckks::Bootstrapper, ckks::Error> {
        self.1.as_ref().ok_or(ckks::Error::NoBootstrap { op })
    }
}

/// Several results of every unit as ciphertexts.
fn each(results: ckks::Units<Vec<ckks::Ciphertext>>) -> Vec<Ciphertext> {
    results.transposed().into_iter().map(Ciphertext).collect()
}
