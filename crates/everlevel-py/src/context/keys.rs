//! Methods of `Context` that make keys.

use everlevel_ckks as ckks;
use pyo3::prelude::*;

use super::Context;
use crate::call::{Report, run, run_reporting};
use crate::objects::{
    BootstrapKey, ConjugationKey, FixedRotationKey, PublicKey, RelinearizationKey, RotationKey, SecretKey,
    SmallBootstrapKey,
};

#[pymethods]
impl Context {
    #[pyo3(signature = (release_budget))]
    fn secret_key(&self, py: Python<'_>, release_budget: Option<u64>) -> PyResult<SecretKey> {
        let budget = release_budget.unwrap_or(ckks::ReleaseBudget::DEFAULT);
        run(py, || Ok(self.0.secret_key()?.with_release_budget(budget))).map(SecretKey)
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
}

impl Context {
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
}
