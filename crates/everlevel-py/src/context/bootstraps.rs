//! Methods of `Context` for bootstraps.

use everlevel_ckks as ckks;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Context;
use crate::call::{Report, run, run_reporting};
use crate::objects::{BootstrapKey, Ciphertext, ConjugationKey, RelinearizationKey, RotationKey, SmallBootstrapKey};

#[pymethods]
impl Context {
    /// All units of all ciphertexts, to a level or to the highest, in groups that share the reading of the keys.
    fn bootstrap(
        &self,
        ciphertexts: Vec<PyRef<'_, Ciphertext>>,
        method: &str,
        keys: Keys<'_>,
        real_only: bool,
        level: Option<usize>,
        report: Report,
    ) -> PyResult<Vec<Ciphertext>> {
        let (method, keys) = (method_of(method)?, bootstrap_keys(&keys));
        let slot_type = if real_only { ckks::SlotType::Real } else { ckks::SlotType::Complex };
        let all: Vec<&ckks::Units<ckks::Ciphertext>> = ciphertexts.iter().map(|ct| &ct.0).collect();
        let bootstrap = |p: ckks::Progress| {
            let bootstrapper = self.bootstrapper(method.operation())?.to_level(level);
            bootstrapper.bootstrap_units(method, &all, keys, slot_type, p)
        };
        run_reporting(report, bootstrap).map(|all| all.into_iter().map(Ciphertext).collect())
    }

    /// The level that a usual bootstrap has SlotsToCoeffs first from; none where it never has.
    fn first_level(&self, keys: Keys<'_>, is_real: bool) -> PyResult<Option<usize>> {
        let slot_type = if is_real { ckks::SlotType::Real } else { ckks::SlotType::Complex };
        let keys = bootstrap_keys(&keys).bootstrap;
        run(|| Ok(self.bootstrapper("bootstrap")?.first_level(keys, slot_type)))
    }

    /// Makes what bootstraps with these keys share.
    fn prepare_bootstrap(&self, key: Prepared<'_>, report: Report) -> PyResult<()> {
        let key = match &key {
            Prepared::Full(key) => ckks::PreparedKey::Full(&key.0),
            Prepared::Small(key, stage_count) => ckks::PreparedKey::Small(&key.0, *stage_count),
        };
        run_reporting(report, |p: ckks::Progress| self.bootstrapper("prepare_bootstrap")?.prepare(key, p))
    }

    /// Two real vectors of each pair, unit by unit, in one bootstrap.
    fn merge_bootstraps(
        &self,
        pairs: Vec<(PyRef<'_, Ciphertext>, PyRef<'_, Ciphertext>)>,
        method: &str,
        keys: Keys<'_>,
        level: Option<usize>,
        report: Report,
    ) -> PyResult<Vec<(Ciphertext, Ciphertext)>> {
        let (method, keys) = (method_of(method)?, bootstrap_keys(&keys));
        let pairs: Vec<[&ckks::Units<ckks::Ciphertext>; 2]> = pairs.iter().map(|(a, b)| [&a.0, &b.0]).collect();
        let merged = |p: ckks::Progress| {
            let bootstrapper = self.bootstrapper(method.merge_operation())?.to_level(level);
            bootstrapper.merge_units(method, &pairs, keys, p)
        };
        let all = run_reporting(report, merged)?;
        Ok(all.into_iter().map(|[a, b]| (Ciphertext(a), Ciphertext(b))).collect())
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

/// A bootstrap key, or a small one and a stage count.
#[derive(FromPyObject)]
pub enum Prepared<'py> {
    Full(PyRef<'py, BootstrapKey>),
    Small(PyRef<'py, SmallBootstrapKey>, usize),
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
        "usual" => Ok(ckks::Method::Usual),
        "regular" => Ok(ckks::Method::Regular),
        "lossy" => Ok(ckks::Method::Lossy),
        "sign" => Ok(ckks::Method::Sign),
        "precise" => Ok(ckks::Method::Precise),
        _ => {
            let known = "usual, regular, lossy, sign or precise";
            Err(PyValueError::new_err(format!("{name:?} is no method of a bootstrap: {known}")))
        }
    }
}
