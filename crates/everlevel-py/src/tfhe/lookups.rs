//! Look-ups in large tables: the key, and one method of the context for each kind of result.

use everlevel_binfhe::{self as tfhe, CircuitParams, Error, Indices, Width};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::tfhe::arrays::{TfheCiphertext, TfheUintArray};
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheEvaluationKey, TfheLookupKey, TfheSecretKey};

/// Encrypted indices, of either kind.
#[derive(FromPyObject)]
pub enum Selectors {
    Messages(Py<TfheCiphertext>),
    Uints(Py<TfheUintArray>),
}

impl Selectors {
    fn indices(&self) -> Indices<'_> {
        match self {
            Self::Messages(all) => Indices::Messages(&all.get().0),
            Self::Uints(all) => Indices::Uints(&all.get().0),
        }
    }
}

/// The common arguments of look-ups: both keys, and the function that is told of progress.
#[derive(FromPyObject)]
pub struct LookupCall(Py<TfheEvaluationKey>, Py<TfheLookupKey>, Report);

#[pymethods]
impl TfheContext {
    /// Bytes that a look-up key holds.
    fn lookup_key_nbytes(&self) -> PyResult<u64> {
        run_any(|| CircuitParams::of(self.0.params()).map(|params| params.key_footprint().held))
    }

    fn lookup_key(&self, secret_key: &TfheSecretKey, report: Report) -> PyResult<TfheLookupKey> {
        run_reporting(report, |progress| {
            let seeded = self.0.lookup_key(&secret_key.0, progress)?;
            Ok::<_, Error>(self.0.install(|| TfheLookupKey(tfhe::KeptCircuitKey::new(seeded))))
        })
    }

    fn lookup_messages(
        &self,
        indices: Selectors,
        in_bits: u32,
        table: PyReadonlyArray1<'_, u64>,
        call: LookupCall,
    ) -> PyResult<TfheCiphertext> {
        let (LookupCall(key, lookup, report), table) = (call, table.as_slice()?);
        let keys = (key.get().ready(), lookup.get().0.ready());
        run_reporting(report, |p| self.0.lookup_messages(keys, indices.indices(), (in_bits, table), p))
            .map(TfheCiphertext)
    }

    fn lookup_uints(
        &self,
        indices: Selectors,
        in_bits: u32,
        table: PyReadonlyArray1<'_, u64>,
        width: u32,
        call: LookupCall,
    ) -> PyResult<TfheUintArray> {
        let (LookupCall(key, lookup, report), table) = (call, table.as_slice()?);
        let keys = (key.get().ready(), lookup.get().0.ready());
        let width = run_any(|| Width::from_bits(width))?;
        run_reporting(report, |p| self.0.lookup_uints(keys, indices.indices(), (in_bits, table, width), p))
            .map(TfheUintArray)
    }
}
