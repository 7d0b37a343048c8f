//! Methods of `Context` that make keys, and of keys that levels are cut off.

use everlevel_ckks as ckks;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Context;
use crate::call::{Report, run, run_reporting};
use crate::objects::{
    BootstrapKey, ConjugationKey, FixedRotationKey, MatrixMultiplicationKey, PublicKey, RelinearizationKey,
    RotationKey, SecretKey, SmallBootstrapKey,
};

#[pymethods]
impl Context {
    #[pyo3(signature = (release_budget))]
    fn secret_key(&self, release_budget: Option<u64>) -> PyResult<SecretKey> {
        let budget = release_budget.unwrap_or(ckks::ReleaseBudget::DEFAULT);
        run(|| Ok(self.0.secret_key()?.with_release_budget(budget))).map(SecretKey)
    }

    fn public_key(&self, secret_key: &SecretKey) -> PyResult<PublicKey> {
        run(|| self.0.public_key(&secret_key.0)).map(PublicKey)
    }

    fn relinearization_key(
        &self,
        secret_key: &SecretKey,
        level: usize,
        report: Report,
    ) -> PyResult<RelinearizationKey> {
        run_reporting(report, |p| self.0.relinearization_key_up_to(&secret_key.0, level, p)).map(RelinearizationKey)
    }

    fn conjugation_key(&self, secret_key: &SecretKey, level: usize, report: Report) -> PyResult<ConjugationKey> {
        run_reporting(report, |p| self.0.conjugation_key_up_to(&secret_key.0, level, p)).map(ConjugationKey)
    }

    fn rotation_key(&self, secret_key: &SecretKey, level: usize, report: Report) -> PyResult<RotationKey> {
        run_reporting(report, |p| self.0.rotation_key_up_to(&secret_key.0, level, p)).map(RotationKey)
    }

    fn fixed_rotation_key(&self, secret_key: &SecretKey, delta: i64, level: usize) -> PyResult<FixedRotationKey> {
        run(|| self.0.fixed_rotation_key(&secret_key.0, delta, level)).map(FixedRotationKey)
    }

    fn bootstrap_key(
        &self,
        secret_key: &SecretKey,
        kind: &str,
        stage_count: usize,
        large: bool,
        report: Report,
    ) -> PyResult<BootstrapKey> {
        let Some(kind) = ckks::BootstrapKind::ALL.into_iter().find(|known| known.name() == kind) else {
            return Err(PyValueError::new_err(format!(
                "{kind:?} is no kind of a bootstrap key: regular, first, lossy or both"
            )));
        };
        let size = if large { ckks::BootstrapKeySize::Large } else { ckks::BootstrapKeySize::Medium };
        let make = |p: ckks::Progress| {
            self.bootstrapper(kind.operation())?.bootstrap_key_of(kind, &secret_key.0, stage_count, size, p)
        };
        run_reporting(report, make).map(BootstrapKey)
    }

    fn small_bootstrap_key(&self, secret_key: &SecretKey, report: Report) -> PyResult<SmallBootstrapKey> {
        let make =
            |p: ckks::Progress| self.bootstrapper("create_small_bootstrap_key")?.small_bootstrap_key(&secret_key.0, p);
        run_reporting(report, make).map(SmallBootstrapKey)
    }
}

macro_rules! levels {
    ($($class:ident)*) => {$(
        #[pymethods]
        impl $class {
            /// The highest level that the key serves.
            fn level(&self, context: &Context) -> usize {
                context.0.key_level(&self.0)
            }

            /// The key for levels up to a lower one: none where it is for that level already.
            fn at_level(&self, context: &Context, level: usize) -> PyResult<Option<Self>> {
                Ok(run(|| context.0.key_at_level(&self.0, level))?.map(Self))
            }
        }
    )*};
}

levels! { RelinearizationKey ConjugationKey RotationKey FixedRotationKey MatrixMultiplicationKey }
