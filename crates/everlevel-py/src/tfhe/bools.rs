//! Arrays of truth values: what comparisons of integers of 8 to 64 bits give.

use everlevel_binfhe::{BoolArray, Error, Width};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::run_any;
use crate::tfhe::context::{Key, Report, TfheContext};
use crate::tfhe::objects::{TfheSecretKey, nbytes, variance_torus};
use crate::tfhe::uints::{TfheUintArray, in_slices, named};

/// Encrypted truth values of one secret.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheBoolArray(pub BoolArray);

type Gate = fn(bool, bool) -> bool;

const GATES: [(&str, Gate); 3] = [("and", |a, b| a & b), ("or", |a, b| a | b), ("xor", |a, b| a ^ b)];

pub(super) fn join_bools<'a>(parts: impl IntoIterator<Item = &'a BoolArray>) -> PyResult<TfheBoolArray> {
    let joined = BoolArray::join(&parts.into_iter().collect::<Vec<_>>());
    joined.map(TfheBoolArray).map_err(crate::error::to_py)
}

#[pymethods]
impl TfheBoolArray {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn secret_id(&self) -> u64 {
        self.0.key().map_or(0, |key| key.0)
    }

    #[getter]
    fn nbytes(&self) -> usize {
        nbytes(self.0.blocks())
    }

    /// Largest variance of the blocks' noise.
    #[getter]
    fn variance_torus(&self) -> f64 {
        variance_torus(self.0.blocks())
    }

    #[staticmethod]
    fn encrypt(py: Python<'_>, values: PyReadonlyArray1<'_, bool>, key: &TfheSecretKey) -> PyResult<Self> {
        let values = values.as_slice()?;
        run_any(py, || key.0.encrypt_bools(values)).map(Self)
    }

    fn decrypt<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<bool>>> {
        Ok(PyArray1::from_vec(py, run_any(py, || key.0.decrypt_bools(&self.0))?))
    }

    /// Truth values in the clear as operands beside ciphertexts of a key's secret.
    #[staticmethod]
    fn constant(py: Python<'_>, key: Key<'_>, values: PyReadonlyArray1<'_, bool>) -> PyResult<Self> {
        let values = values.as_slice()?;
        run_any::<_, Error>(py, || Ok(key.keys.integers()?.constant_bools(values))).map(Self)
    }

    /// Those at these places, in this order.
    fn take(&self, py: Python<'_>, indices: Vec<usize>) -> PyResult<Self> {
        run_any::<_, Error>(py, || Ok(Self(self.0.take(&indices))))
    }

    /// All of these, one array behind the other.
    #[staticmethod]
    fn join(parts: Vec<Bound<'_, Self>>) -> PyResult<Self> {
        join_bools(parts.iter().map(|part| &part.get().0))
    }

    fn invert(&self, py: Python<'_>, key: Key<'_>) -> PyResult<Self> {
        run_any(py, || key.keys.integers()?.not_bools(&self.0)).map(Self)
    }

    /// 0 or 1 as integers.
    fn to_uints(&self, py: Python<'_>, key: Key<'_>, width: u32) -> PyResult<TfheUintArray> {
        run_any(py, || key.keys.integers()?.uints_from_bools(Width::from_bits(width)?, &self.0)).map(TfheUintArray)
    }

    fn combine(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        other: &Self,
        report: Report,
    ) -> PyResult<Self> {
        let gate = named(&GATES, name)?;
        let parts = in_slices((py, context, key, report), (self.0.len(), false), |int, places| {
            int.combine_bools(&self.0.slice(places.clone()), &other.0.slice(places), gate)
        })?;
        join_bools(&parts)
    }

    /// Whether any row has a truth value set.
    fn any(&self, py: Python<'_>, context: &TfheContext, key: Key<'_>, rows: usize, report: Report) -> PyResult<Self> {
        let parts = in_slices((py, context, key, report), (1, false), |int, _| int.any_row(&self.0, rows))?;
        join_bools(&parts)
    }
}
