//! The context: one method for each call of the core.

use everlevel_ckks as ckks;
use everlevel_ckks::Basis;
use numpy::{Complex64, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call::{Slots, run, run_reporting, values};
use crate::objects::{
    BootstrapKey, Ciphertext, ConjugationKey, FixedRotationKey, Plaintext, PublicKey, RelinearizationKey, RotationKey,
    SecretKey, SmallBootstrapKey,
};

const DEFAULT_MAX_LEVEL: usize = 7;

type Report = Option<Py<PyAny>>;
type Claim = (String, String, f64, Option<f64>, Option<f64>);

/// Parameters and their tables.
#[pyclass(frozen, module = "everlevel._native")]
pub struct Context(pub ckks::Context, Option<ckks::Bootstrapper>);

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (*, max_level, slot_count, bootstrap_to, thread_count, seeded_keys, insecure_log_n))]
    fn new(
        py: Python<'_>,
        max_level: Option<usize>,
        slot_count: Option<usize>,
        bootstrap_to: Option<(usize, bool)>,
        thread_count: usize,
        seeded_keys: bool,
        insecure_log_n: Option<u32>,
    ) -> PyResult<Self> {
        run(py, || {
            let literal = literal(max_level, slot_count, bootstrap_to, insecure_log_n)?;
            let options = ckks::Options { slot_count, thread_count, seeded_keys };
            Self::of(ckks::Context::with_options(literal.try_into()?, options)?)
        })
    }

    /// The context of a literal, as `params` gives it.
    #[staticmethod]
    fn from_params(
        py: Python<'_>,
        params: &str,
        slot_count: usize,
        thread_count: usize,
        seeded_keys: bool,
    ) -> PyResult<Self> {
        let options = ckks::Options { slot_count: Some(slot_count), thread_count, seeded_keys };
        run(py, || {
            let literal = ckks::ParamsLiteral::from_json(params)?;
            Self::of(ckks::Context::with_options(literal.try_into()?, options)?)
        })
    }

    #[getter]
    fn has_high_precision(&self) -> bool {
        self.0.params().literal().precision == ckks::Precision::High
    }

    #[getter]
    fn params(&self) -> String {
        self.0.params().literal().to_json()
    }

    #[getter]
    fn can_bootstrap(&self) -> bool {
        self.0.params().literal().bootstrap
    }

    #[getter]
    fn insecure(&self) -> bool {
        self.0.params().literal().insecure
    }

    #[getter]
    fn log_n(&self) -> u32 {
        self.0.params().literal().log_n
    }

    #[getter]
    fn max_level(&self) -> usize {
        self.0.max_level()
    }

    #[getter]
    fn seeded_keys(&self) -> bool {
        self.0.seeded_keys()
    }

    #[getter]
    fn slot_count(&self) -> usize {
        self.0.slot_count()
    }

    #[getter]
    fn stage_counts(&self) -> Vec<usize> {
        self.0.stage_counts()
    }

    #[getter]
    fn thread_count(&self) -> usize {
        self.0.thread_count()
    }

    /// For each kind of secret, the largest modulus and what is claimed of it: (key, secret, log2(QP), cap, bits).
    fn claims(&self, py: Python<'_>) -> PyResult<Vec<Claim>> {
        let claims = run(py, || self.0.claims())?;
        let row = |c: ckks::SecurityClaim| {
            (c.key.name, c.key.secret.to_string(), c.key.log2_qp, c.max_log2_qp, c.security_bits)
        };
        Ok(claims.into_iter().map(row).collect())
    }

    // Keys.

    fn secret_key(&self, py: Python<'_>) -> PyResult<SecretKey> {
        run(py, || self.0.secret_key()).map(SecretKey)
    }

    fn public_key(&self, py: Python<'_>, secret_key: &SecretKey) -> PyResult<PublicKey> {
        run(py, || self.0.public_key(&secret_key.0)).map(PublicKey)
    }

    fn relinearization_key(
        &self,
        py: Python<'_>,
        secret_key: &SecretKey,
        report: Report,
    ) -> PyResult<RelinearizationKey> {
        run_reporting(py, report, |p| self.0.relinearization_key(&secret_key.0, p)).map(RelinearizationKey)
    }

    fn conjugation_key(&self, py: Python<'_>, secret_key: &SecretKey, report: Report) -> PyResult<ConjugationKey> {
        run_reporting(py, report, |p| self.0.conjugation_key(&secret_key.0, p)).map(ConjugationKey)
    }

    fn rotation_key(&self, py: Python<'_>, secret_key: &SecretKey, report: Report) -> PyResult<RotationKey> {
        run_reporting(py, report, |p| self.0.rotation_key(&secret_key.0, p)).map(RotationKey)
    }

    fn fixed_rotation_key(
        &self,
        py: Python<'_>,
        secret_key: &SecretKey,
        delta: i64,
        level: usize,
    ) -> PyResult<FixedRotationKey> {
        run(py, || self.0.fixed_rotation_key(&secret_key.0, delta, level)).map(FixedRotationKey)
    }

    /// The highest level that a key serves.
    fn fixed_rotation_level(&self, key: &FixedRotationKey) -> usize {
        self.0.fixed_rotation_level(&key.0).unwrap_or(self.0.max_level())
    }

    fn bootstrap_key(
        &self,
        py: Python<'_>,
        secret_key: &SecretKey,
        stage_count: usize,
        large: bool,
        report: Report,
    ) -> PyResult<BootstrapKey> {
        self.bootstrap_key_of(py, ckks::BootstrapKind::Regular, (secret_key, stage_count, large), report)
    }

    fn small_bootstrap_key(
        &self,
        py: Python<'_>,
        secret_key: &SecretKey,
        report: Report,
    ) -> PyResult<SmallBootstrapKey> {
        let make =
            |p: ckks::Progress| self.bootstrapper("create_small_bootstrap_key")?.small_bootstrap_key(&secret_key.0, p);
        run_reporting(py, report, make).map(SmallBootstrapKey)
    }

    fn lossy_bootstrap_key(
        &self,
        py: Python<'_>,
        secret_key: &SecretKey,
        stage_count: usize,
        large: bool,
        report: Report,
    ) -> PyResult<BootstrapKey> {
        self.bootstrap_key_of(py, ckks::BootstrapKind::Lossy, (secret_key, stage_count, large), report)
    }

    // Messages.

    fn encode(&self, py: Python<'_>, slots: Slots<'_>, level: usize) -> PyResult<Plaintext> {
        let slots = values(&slots)?;
        run(py, || self.0.encode_units(slots, level)).map(Plaintext)
    }

    fn decode<'py>(&self, py: Python<'py>, plaintext: &Plaintext) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let slots = run(py, || self.0.decode_units(&plaintext.0))?;
        Ok(PyArray1::from_vec(py, slots))
    }

    fn encrypt_public(&self, py: Python<'_>, plaintext: &Plaintext, public_key: &PublicKey) -> PyResult<Ciphertext> {
        run(py, || plaintext.0.try_map(|unit| self.0.encrypt(unit, &public_key.0))).map(Ciphertext)
    }

    fn encrypt_secret(&self, py: Python<'_>, plaintext: &Plaintext, secret_key: &SecretKey) -> PyResult<Ciphertext> {
        run(py, || plaintext.0.try_map(|unit| self.0.encrypt_with_secret(unit, &secret_key.0))).map(Ciphertext)
    }

    fn decrypt(&self, py: Python<'_>, ciphertext: &Ciphertext, secret_key: &SecretKey) -> PyResult<Plaintext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.decrypt(unit, &secret_key.0))).map(Plaintext)
    }

    // Arithmetic.

    fn add(&self, py: Python<'_>, left: &Ciphertext, right: &Ciphertext) -> PyResult<Ciphertext> {
        run(py, || left.0.try_zip("add", &right.0, |a, b| self.0.add(a, b))).map(Ciphertext)
    }

    fn add_plain(&self, py: Python<'_>, left: &Ciphertext, right: &Plaintext) -> PyResult<Ciphertext> {
        run(py, || left.0.try_zip("add", &right.0, |a, b| self.0.add_plain(a, b))).map(Ciphertext)
    }

    fn add_slots(&self, py: Python<'_>, left: &Ciphertext, right: Slots<'_>) -> PyResult<Ciphertext> {
        let right = values(&right)?;
        run(py, || left.0.try_zip("add", &self.0.per_unit(right), |a, b| self.0.add_array(a, b))).map(Ciphertext)
    }

    fn add_scalar(&self, py: Python<'_>, left: &Ciphertext, right: Complex64) -> PyResult<Ciphertext> {
        run(py, || left.0.try_map(|unit| self.0.add_scalar(unit, right))).map(Ciphertext)
    }

    fn subtract(&self, py: Python<'_>, left: &Ciphertext, right: &Ciphertext) -> PyResult<Ciphertext> {
        run(py, || left.0.try_zip("subtract", &right.0, |a, b| self.0.subtract(a, b))).map(Ciphertext)
    }

    fn negate(&self, py: Python<'_>, ciphertext: &Ciphertext) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.negate(unit))).map(Ciphertext)
    }

    #[pyo3(signature = (left, right, key))]
    fn multiply(
        &self,
        py: Python<'_>,
        left: &Ciphertext,
        right: &Ciphertext,
        key: Option<&RelinearizationKey>,
    ) -> PyResult<Ciphertext> {
        run(py, || {
            left.0.try_zip("multiply", &right.0, |a, b| match key {
                Some(key) => self.0.multiply(a, b, &key.0),
                None => self.0.multiply_without_key(a, b),
            })
        })
        .map(Ciphertext)
    }

    #[pyo3(signature = (ciphertext, key))]
    fn square(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        key: Option<&RelinearizationKey>,
    ) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.square(unit, key.map(|k| &k.0)))).map(Ciphertext)
    }

    fn relinearize(&self, py: Python<'_>, ciphertext: &Ciphertext, key: &RelinearizationKey) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.relinearize(unit, &key.0))).map(Ciphertext)
    }

    fn multiply_plain(&self, py: Python<'_>, left: &Ciphertext, right: &Plaintext) -> PyResult<Ciphertext> {
        run(py, || left.0.try_zip("multiply", &right.0, |a, b| self.0.multiply_plain(a, b))).map(Ciphertext)
    }

    fn multiply_slots(&self, py: Python<'_>, left: &Ciphertext, right: Slots<'_>) -> PyResult<Ciphertext> {
        let right = values(&right)?;
        run(py, || left.0.try_zip("multiply", &self.0.per_unit(right), |a, b| self.0.multiply_array(a, b)))
            .map(Ciphertext)
    }

    fn multiply_scalar(&self, py: Python<'_>, left: &Ciphertext, right: Complex64) -> PyResult<Ciphertext> {
        run(py, || left.0.try_map(|unit| self.0.multiply_scalar(unit, right))).map(Ciphertext)
    }

    fn level_down(&self, py: Python<'_>, ciphertext: &Ciphertext, level: usize) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.level_down(unit, level))).map(Ciphertext)
    }

    fn level_down_plain(&self, py: Python<'_>, plaintext: &Plaintext, level: usize) -> PyResult<Plaintext> {
        run(py, || plaintext.0.try_map(|unit| self.0.level_down_plain(unit, level))).map(Plaintext)
    }

    /// The units of several ciphertexts as one.
    fn stack(&self, py: Python<'_>, ciphertexts: Vec<Py<Ciphertext>>) -> PyResult<Ciphertext> {
        let vectors: Vec<_> = ciphertexts.iter().map(|ciphertext| &ciphertext.get().0).collect();
        run(py, || ckks::Units::stack(&vectors)).map(Ciphertext)
    }

    // Polynomials.

    fn basis(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        chebyshev: bool,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> PyResult<Vec<Ciphertext>> {
        let of_unit = |unit: &_| self.0.basis(unit, basis(chebyshev), max_power, &key.0);
        run(py, || ciphertext.0.try_map(of_unit)).map(each)
    }

    fn basis_element(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        chebyshev: bool,
        k: usize,
        key: &RelinearizationKey,
    ) -> PyResult<Ciphertext> {
        let of_unit = |unit: &_| self.0.basis_element(unit, basis(chebyshev), k, &key.0);
        run(py, || ciphertext.0.try_map(of_unit)).map(Ciphertext)
    }

    fn evaluate_polynomials(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        chebyshev: bool,
        polynomials: Vec<Vec<f64>>,
        key: &RelinearizationKey,
    ) -> PyResult<Vec<Ciphertext>> {
        let all: Vec<&[f64]> = polynomials.iter().map(Vec::as_slice).collect();
        let of_unit = |unit: &_| self.0.evaluate_polynomials(unit, basis(chebyshev), &all, &key.0);
        run(py, || ciphertext.0.try_map(of_unit)).map(each)
    }

    // Slots.

    fn rotate(&self, py: Python<'_>, ciphertext: &Ciphertext, key: &RotationKey, delta: i64) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.rotate(unit, &key.0, delta))).map(Ciphertext)
    }

    fn rotate_fixed(&self, py: Python<'_>, ciphertext: &Ciphertext, key: &FixedRotationKey) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.rotate_fixed(unit, &key.0))).map(Ciphertext)
    }

    fn rotate_batch(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        key: &RotationKey,
        deltas: Vec<i64>,
    ) -> PyResult<Vec<Ciphertext>> {
        run(py, || ciphertext.0.try_map(|unit| self.0.rotate_many(unit, &key.0, &deltas))).map(each)
    }

    fn rotate_batch_fixed(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        keys: Vec<Py<FixedRotationKey>>,
    ) -> PyResult<Vec<Ciphertext>> {
        let keys: Vec<&ckks::FixedRotationKey> = keys.iter().map(|key| &key.get().0).collect();
        run(py, || ciphertext.0.try_map(|unit| self.0.rotate_fixed_many(unit, &keys))).map(each)
    }

    fn conjugate(&self, py: Python<'_>, ciphertext: &Ciphertext, key: &ConjugationKey) -> PyResult<Ciphertext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.conjugate(unit, &key.0))).map(Ciphertext)
    }

    fn rotate_plain(&self, py: Python<'_>, plaintext: &Plaintext, delta: i64) -> PyResult<Plaintext> {
        run(py, || plaintext.0.try_map(|unit| self.0.rotate_plain(unit, delta))).map(Plaintext)
    }

    fn conjugate_plain(&self, py: Python<'_>, plaintext: &Plaintext) -> PyResult<Plaintext> {
        run(py, || plaintext.0.try_map(|unit| self.0.conjugate_plain(unit))).map(Plaintext)
    }

    // Bootstrapping.

    fn bootstrap(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        keys: Keys<'_>,
        precise: bool,
        report: Report,
    ) -> PyResult<Ciphertext> {
        let method = if precise { ckks::Method::Precise } else { ckks::Method::Regular };
        self.bootstrapped(py, (method, ckks::SlotType::Complex), ciphertext, bootstrap_keys(&keys), report)
    }

    /// All units of all ciphertexts, in groups that share the reading of the keys.
    fn bootstrap_many(
        &self,
        py: Python<'_>,
        ciphertexts: Vec<PyRef<'_, Ciphertext>>,
        method: &str,
        keys: Keys<'_>,
        real_only: bool,
        report: Report,
    ) -> PyResult<Vec<Ciphertext>> {
        let method = method_of(method)?;
        let all: Vec<&ckks::Units<ckks::Ciphertext>> = ciphertexts.iter().map(|ct| &ct.0).collect();
        let keys = bootstrap_keys(&keys);
        let bootstrap = |p: ckks::Progress| {
            self.bootstrapper(method.operation())?.bootstrap_units(method, &all, keys, slot_type(real_only), p)
        };
        run_reporting(py, report, bootstrap).map(|all| all.into_iter().map(Ciphertext).collect())
    }

    fn lossy_bootstrap(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        keys: Keys<'_>,
        real_only: bool,
        report: Report,
    ) -> PyResult<Ciphertext> {
        self.bootstrapped(py, (ckks::Method::Lossy, slot_type(real_only)), ciphertext, bootstrap_keys(&keys), report)
    }

    fn sign_bootstrap(
        &self,
        py: Python<'_>,
        ciphertext: &Ciphertext,
        keys: Keys<'_>,
        real_only: bool,
        report: Report,
    ) -> PyResult<Ciphertext> {
        self.bootstrapped(py, (ckks::Method::Sign, slot_type(real_only)), ciphertext, bootstrap_keys(&keys), report)
    }

    /// Two real vectors, unit by unit, in one bootstrap for each pair.
    fn merge_bootstrap(
        &self,
        py: Python<'_>,
        ciphertexts: (PyRef<'_, Ciphertext>, PyRef<'_, Ciphertext>),
        method: &str,
        keys: Keys<'_>,
        report: Report,
    ) -> PyResult<(Ciphertext, Ciphertext)> {
        let (method, keys) = (method_of(method)?, bootstrap_keys(&keys));
        let (first, second) = (&ciphertexts.0.0, &ciphertexts.1.0);
        let of_pair = |(first, second): &(&_, &_), p: ckks::Progress| {
            self.bootstrapper(method.merge_operation())?.merge_bootstrap(method, first, second, keys, p).map(Vec::from)
        };
        let merged = |p: ckks::Progress| first.zip("merge_bootstrap", second)?.try_map_reporting(p, of_pair);
        let mut both = run_reporting(py, report, merged).map(each)?.into_iter();
        let (Some(first), Some(second)) = (both.next(), both.next()) else { unreachable!("a merge has two results") };
        Ok((first, second))
    }
}

/// The keys of a bootstrap, in the order of its arguments.
pub type Keys<'py> = (PyRef<'py, RelinearizationKey>, PyRef<'py, ConjugationKey>, Rotations<'py>);

/// A bootstrap key, or a rotation key, a small bootstrap key and the stage count.
#[derive(FromPyObject)]
pub enum Rotations<'py> {
    Full(PyRef<'py, BootstrapKey>),
    Small(PyRef<'py, RotationKey>, PyRef<'py, SmallBootstrapKey>, usize),
}

pub fn bootstrap_keys<'a>((relinearization, conjugation, bootstrap): &'a Keys<'_>) -> ckks::BootstrapKeys<'a> {
    let bootstrap = match bootstrap {
        Rotations::Full(key) => ckks::BootstrapKeyRef::Full(&key.0),
        Rotations::Small(rotation, key, stage_count) => {
            ckks::BootstrapKeyRef::Small { key: &key.0, rotation: &rotation.0, stage_count: *stage_count }
        }
    };
    ckks::BootstrapKeys { relinearization: &relinearization.0, conjugation: &conjugation.0, bootstrap }
}

fn method_of(name: &str) -> PyResult<ckks::Method> {
    match name {
        "regular" => Ok(ckks::Method::Regular),
        "lossy" => Ok(ckks::Method::Lossy),
        "sign" => Ok(ckks::Method::Sign),
        "precise" => Ok(ckks::Method::Precise),
        _ => {
            Err(PyValueError::new_err(format!("{name:?} is no method of a bootstrap: regular, lossy, sign or precise")))
        }
    }
}

fn slot_type(real_only: bool) -> ckks::SlotType {
    if real_only { ckks::SlotType::Real } else { ckks::SlotType::Complex }
}

impl Context {
    fn of(context: ckks::Context) -> Result<Self, ckks::Error> {
        let has_bootstrap = context.params().literal().bootstrap;
        let bootstrapper = has_bootstrap.then(|| ckks::Bootstrapper::new(&context)).transpose()?;
        Ok(Self(context, bootstrapper))
    }

    pub fn bootstrapper(&self, op: &'static str) -> Result<&ckks::Bootstrapper, ckks::Error> {
        self.1.as_ref().ok_or(ckks::Error::NoBootstrap { op })
    }

    fn bootstrap_key_of(
        &self,
        py: Python<'_>,
        kind: ckks::BootstrapKind,
        (secret_key, stage_count, large): (&SecretKey, usize, bool),
        report: Report,
    ) -> PyResult<BootstrapKey> {
        let size = if large { ckks::BootstrapKeySize::Large } else { ckks::BootstrapKeySize::Medium };
        let make = |p: ckks::Progress| {
            self.bootstrapper(kind.operation())?.bootstrap_key_of(kind, &secret_key.0, stage_count, size, p)
        };
        run_reporting(py, report, make).map(BootstrapKey)
    }

    /// All units together, so that they share the reading of the keys.
    fn bootstrapped(
        &self,
        py: Python<'_>,
        (method, slot_type): (ckks::Method, ckks::SlotType),
        ciphertext: &Ciphertext,
        keys: ckks::BootstrapKeys<'_>,
        report: Report,
    ) -> PyResult<Ciphertext> {
        let all = |units: &[&_], p: ckks::Progress| {
            self.bootstrapper(method.operation())?.bootstrap_many(method, units, keys, slot_type, p)
        };
        run_reporting(py, report, |p| ciphertext.0.try_together(|units| all(units, p))).map(Ciphertext)
    }
}

/// The literal of an engine's options: seven levels where nothing is asked for. `bootstrap_to` is the level at which
/// regular bootstraps of three stages end, and whether precision is high.
fn literal(
    max_level: Option<usize>,
    slot_count: Option<usize>,
    bootstrap_to: Option<(usize, bool)>,
    insecure_log_n: Option<u32>,
) -> Result<ckks::ParamsLiteral, ckks::Error> {
    let mut literal = match (insecure_log_n, bootstrap_to) {
        (None, None) => {
            ckks::ParamsLiteral::for_depth_and_slots(max_level.unwrap_or(DEFAULT_MAX_LEVEL), slot_count.unwrap_or(1))?
        }
        (None, Some((level, _))) => ckks::ParamsLiteral::bootstrap_to(level),
        (Some(log_n), None) => ckks::ParamsLiteral::insecure_depth(log_n, max_level.unwrap_or(DEFAULT_MAX_LEVEL)),
        (Some(log_n), Some((level, _))) => ckks::ParamsLiteral {
            max_level: ckks::ParamsLiteral::bootstrap_to(level).max_level,
            ..ckks::ParamsLiteral::insecure_bootstrap(log_n)
        },
    };
    if bootstrap_to.is_some_and(|(_, high_precision)| high_precision) {
        let ckks::ParamsLiteral { max_level, precision, .. } = ckks::ParamsLiteral::high_precision();
        (literal.max_level, literal.precision) = (max_level, precision);
    }
    literal.max_level = max_level.unwrap_or(literal.max_level);
    Ok(literal)
}

/// Several results of every unit as ciphertexts.
fn each(results: ckks::Units<Vec<ckks::Ciphertext>>) -> Vec<Ciphertext> {
    results.transposed().into_iter().map(Ciphertext).collect()
}

fn basis(chebyshev: bool) -> Basis {
    if chebyshev { Basis::Chebyshev } else { Basis::Power }
}
