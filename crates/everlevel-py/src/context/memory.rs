//! The memory of calls, as the core tells it.

use everlevel_ckks::{self as ckks, BootstrapKind, Footprint, MatrixForm, Method};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use super::Context;
use crate::call::run;

/// Arguments of calls that memory depends on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Call {
    level: usize,
    stage_count: usize,
    large: bool,
    small: bool,
    count: usize,
    shape: (usize, usize),
    is_real: bool,
}

#[pymethods]
impl Context {
    /// Bytes that the result of an operation holds, and bytes besides until it is done.
    fn footprint(&self, operation: &str, call: Call) -> PyResult<(u64, u64)> {
        let found = run(|| self.footprint_of(operation, &call))?;
        let Footprint { held, work } = found.ok_or_else(|| PyKeyError::new_err(operation.to_string()))?;
        Ok((held, work))
    }
}

impl Context {
    fn footprint_of(&self, operation: &str, call: &Call) -> Result<Option<Footprint>, ckks::Error> {
        let context = &self.0;
        let &Call { level, stage_count, count, shape, is_real, .. } = call;
        let size = if call.large { ckks::BootstrapKeySize::Large } else { ckks::BootstrapKeySize::Medium };
        let bootstrapper = || self.bootstrapper("estimate_memory");
        let full = |kind| ckks::BootstrapKeyForm::Full {
            kind,
            size,
            is_seeded: context.seeded_keys(),
            coeffs_to_slots_count: None,
        };
        // Python makes bootstraps ready with their keys: tables and memory stay with the engine.
        let made_ready = |key: Footprint, form| {
            let shared = bootstrapper()?.prepare_footprint(stage_count, form)?;
            Ok::<_, ckks::Error>(Footprint { work: key.work.max(shared.peak()), ..key })
        };
        let bootstrap_key =
            |kind| made_ready(bootstrapper()?.bootstrap_key_footprint(kind, stage_count, size)?, full(kind));
        let bootstrap = |method: Method, kind| {
            let form = if call.small { ckks::BootstrapKeyForm::Small } else { full(kind) };
            bootstrapper()?.bootstrap_footprint((method, ckks::SlotType::Complex), stage_count, form, count)
        };
        Ok(Some(match operation {
            "Engine" => context.footprint(),
            "create_secret_key" => context.secret_key_footprint(),
            "create_public_key" => context.public_key_footprint(),
            "create_relinearization_key" => context.relinearization_key_footprint(level)?,
            "create_conjugation_key" => context.conjugation_key_footprint(level)?,
            "create_rotation_key" => context.rotation_key_footprint(level)?,
            "create_fixed_rotation_key" => context.fixed_rotation_key_footprint(level)?,
            "create_matrix_multiplication_key" => context.matrix_multiplication_key_footprint(level)?,
            "create_bootstrap_key" => bootstrap_key(BootstrapKind::Both)?,
            "create_lossy_bootstrap_key" => bootstrap_key(BootstrapKind::Lossy)?,
            "create_table_bootstrap_key" => bootstrap_key(BootstrapKind::First)?,
            "create_small_bootstrap_key" => {
                made_ready(bootstrapper()?.small_bootstrap_key_footprint()?, ckks::BootstrapKeyForm::Small)?
            }
            "encode" => context.encoding_footprint(count, level)?,
            "encrypt" => {
                // Plaintexts stay until they are encrypted.
                let encoding = context.encoding_footprint(count, level)?;
                let encryption = context.encryption_footprint(count, level)?;
                Footprint { held: encryption.held, work: encoding.held + encryption.work }
            }
            "bootstrap" => bootstrap(Method::Usual, BootstrapKind::Both)?,
            "lossy_bootstrap" => bootstrap(Method::Lossy, BootstrapKind::Lossy)?,
            "sign_bootstrap" => bootstrap(Method::Sign, BootstrapKind::Lossy)?,
            "table_bootstrap" => bootstrap(Method::Table, BootstrapKind::First)?,
            "encode_to_plain_matrix" => context.matrix_footprint(shape, level, (MatrixForm::Plain, is_real))?,
            "encode_to_light_plain_matrix" => context.matrix_footprint(shape, level, (MatrixForm::Light, is_real))?,
            "multiply_matrix" => context.matrix_product_footprint(shape, level, MatrixForm::Plain)?,
            _ => return Ok(None),
        }))
    }
}
