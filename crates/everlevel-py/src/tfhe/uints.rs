//! Arrays of integers of 8 to 64 bits. Operations are named as the façade names them.

use std::ops::Range;

use everlevel_binfhe::{BoolArray, Error, Extreme, Integers, UintArray, Width};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::call::{run_any, run_reporting};
use crate::tfhe::bools::{TfheBoolArray, join_bools};
use crate::tfhe::context::{Key, Report, TfheContext};
use crate::tfhe::objects::{TfheSecretKey, nbytes, variance_torus};

/// Encrypted integers of one width and one secret.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheUintArray(pub UintArray);

/// An operation on two arrays, element by element.
type Pairwise<T> = fn(&Integers<'_>, &UintArray, &UintArray) -> Result<T, Error>;
type Shift = fn(&Integers<'_>, &UintArray, u32) -> Result<UintArray, Error>;
type Reduce = fn(&Integers<'_>, &UintArray, usize) -> Result<UintArray, Error>;

const BINARY: [(&str, Pairwise<UintArray>); 14] = [
    ("add", |int, a, b| int.add(a, b)),
    ("subtract", |int, a, b| int.sub(a, b)),
    ("multiply", |int, a, b| int.mul(a, b)),
    ("floor_divide", |int, a, b| int.div(a, b)),
    ("remainder", |int, a, b| int.rem(a, b)),
    ("and", |int, a, b| int.bitand(a, b)),
    ("or", |int, a, b| int.bitor(a, b)),
    ("xor", |int, a, b| int.bitxor(a, b)),
    ("minimum", |int, a, b| int.min(a, b)),
    ("maximum", |int, a, b| int.max(a, b)),
    ("left_shift", |int, a, b| int.shl_by(a, b)),
    ("right_shift", |int, a, b| int.shr_by(a, b)),
    ("rotate_left", |int, a, b| int.rotate_left_by(a, b)),
    ("rotate_right", |int, a, b| int.rotate_right_by(a, b)),
];
const DIVMOD: [(&str, Pairwise<(UintArray, UintArray)>); 1] = [("divmod", |int, a, b| int.div_rem(a, b))];
const CHECKED: [(&str, Pairwise<(UintArray, BoolArray)>); 5] = [
    ("add", |int, a, b| int.checked_add(a, b)),
    ("subtract", |int, a, b| int.checked_sub(a, b)),
    ("multiply", |int, a, b| int.checked_mul(a, b)),
    ("floor_divide", |int, a, b| int.checked_div(a, b)),
    ("remainder", |int, a, b| int.checked_rem(a, b)),
];
const COMPARE: [(&str, Pairwise<BoolArray>); 6] = [
    ("equal", |int, a, b| int.eq(a, b)),
    ("not_equal", |int, a, b| int.ne(a, b)),
    ("less", |int, a, b| int.lt(a, b)),
    ("less_equal", |int, a, b| int.le(a, b)),
    ("greater", |int, a, b| int.gt(a, b)),
    ("greater_equal", |int, a, b| int.ge(a, b)),
];
const SHIFT: [(&str, Shift); 6] = [
    ("negate", |int, a, _| int.neg(a)),
    ("invert", |int, a, _| int.not(a)),
    ("left_shift", |int, a, amount| int.shl(a, amount)),
    ("right_shift", |int, a, amount| int.shr(a, amount)),
    ("rotate_left", |int, a, amount| int.rotate_left(a, amount)),
    ("rotate_right", |int, a, amount| int.rotate_right(a, amount)),
];
const REDUCE: [(&str, Reduce); 5] = [
    ("sum", |int, a, rows| int.sum_rows(a, rows)),
    ("min", |int, a, rows| int.extreme_row(a, rows, Extreme::Min)),
    ("max", |int, a, rows| int.extreme_row(a, rows, Extreme::Max)),
    ("argmin", |int, a, rows| int.place_of_extreme(a, rows, Extreme::Min)),
    ("argmax", |int, a, rows| int.place_of_extreme(a, rows, Extreme::Max)),
];

/// What long calls on slices take: the interpreter, the threads, the key, and who is told of progress.
pub(super) type Call<'a, 'py> = (Python<'py>, &'a TfheContext, Key<'a>, Report);

pub(super) fn named<F: Copy>(table: &[(&str, F)], name: &str) -> PyResult<F> {
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|(_, f)| *f).ok_or_else(|| PyKeyError::new_err(name.to_string()))
}

/// Elements in slices, since an operation holds all bootstraps of a round in memory: whole passes over the key on every
/// thread; and of products, whose rounds have many for each element, fewer.
pub(super) fn in_slices<T: Send>(
    (py, context, key, report): Call<'_, '_>,
    (len, is_product): (usize, bool),
    operation: impl Fn(&Integers<'_>, Range<usize>) -> Result<T, Error> + Send + Sync,
) -> PyResult<Vec<T>> {
    run_reporting(py, report, |progress| {
        context.pool.install(|| {
            let integers = key.keys.integers()?;
            let size = integers.slice_len().div_ceil(if is_product { 4 } else { 1 });
            let slices = || (0..len).step_by(size).map(|start| start..len.min(start + size));
            integers.reporting(progress, |int| slices().map(|places| operation(int, places)).collect())
        })
    })
}

fn join_uints<'a>(parts: impl IntoIterator<Item = &'a UintArray>) -> PyResult<TfheUintArray> {
    let joined = UintArray::join(&parts.into_iter().collect::<Vec<_>>());
    joined.map(TfheUintArray).map_err(crate::error::to_py)
}

impl TfheUintArray {
    /// The operation of a name on the elements of two arrays, slice by slice.
    fn pairwise<T: Send>(
        &self,
        call: Call<'_, '_>,
        operations: &[(&str, Pairwise<T>)],
        name: &str,
        other: &Self,
    ) -> PyResult<Vec<T>> {
        let operation = named(operations, name)?;
        in_slices(call, (self.0.len(), name == "multiply"), |int, places| {
            operation(int, &self.0.slice(places.clone()), &other.0.slice(places))
        })
    }
}

#[pymethods]
impl TfheUintArray {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn width(&self) -> u32 {
        self.0.width().bits()
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
    fn encrypt(py: Python<'_>, values: PyReadonlyArray1<'_, u64>, width: u32, key: &TfheSecretKey) -> PyResult<Self> {
        let values = values.as_slice()?;
        run_any(py, || key.0.encrypt_uints(Width::from_bits(width)?, values)).map(Self)
    }

    fn decrypt<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, run_any(py, || key.0.decrypt_uints(&self.0))?))
    }

    /// Integers in the clear as operands beside ciphertexts of a key's secret.
    #[staticmethod]
    fn constant(py: Python<'_>, key: Key<'_>, values: PyReadonlyArray1<'_, u64>, width: u32) -> PyResult<Self> {
        let values = values.as_slice()?;
        run_any(py, || key.keys.integers()?.constants(Width::from_bits(width)?, values)).map(Self)
    }

    /// Those at these places, in this order.
    fn take(&self, py: Python<'_>, indices: Vec<usize>) -> PyResult<Self> {
        run_any::<_, Error>(py, || Ok(Self(self.0.take(&indices))))
    }

    /// All of these, one array behind the other.
    #[staticmethod]
    fn join(parts: Vec<Bound<'_, Self>>) -> PyResult<Self> {
        join_uints(parts.iter().map(|part| &part.get().0))
    }

    fn with_width(&self, py: Python<'_>, key: Key<'_>, width: u32) -> PyResult<Self> {
        run_any(py, || key.keys.integers()?.with_width(&self.0, Width::from_bits(width)?)).map(Self)
    }

    fn binary(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        other: &Self,
        report: Report,
    ) -> PyResult<Self> {
        join_uints(&self.pairwise((py, context, key, report), &BINARY, name, other)?)
    }

    /// Quotients and remainders.
    fn divmod(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        key: Key<'_>,
        other: &Self,
        report: Report,
    ) -> PyResult<(Self, Self)> {
        let parts = self.pairwise((py, context, key, report), &DIVMOD, "divmod", other)?;
        let (quotients, remainders): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((join_uints(&quotients)?, join_uints(&remainders)?))
    }

    fn checked(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        other: &Self,
        report: Report,
    ) -> PyResult<(Self, TfheBoolArray)> {
        let parts = self.pairwise((py, context, key, report), &CHECKED, name, other)?;
        let (uints, bools): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((join_uints(&uints)?, join_bools(&bools)?))
    }

    fn compare(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        other: &Self,
        report: Report,
    ) -> PyResult<TfheBoolArray> {
        join_bools(&self.pairwise((py, context, key, report), &COMPARE, name, other)?)
    }

    /// Negation and inversion, which have no amount, and moves of bits by a public one.
    fn shift(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        amount: u32,
        report: Report,
    ) -> PyResult<Self> {
        let operation = named(&SHIFT, name)?;
        let parts = in_slices((py, context, key, report), (self.0.len(), false), |int, places| {
            operation(int, &self.0.slice(places), amount)
        })?;
        join_uints(&parts)
    }

    /// One row of as many.
    fn reduce(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        name: &str,
        key: Key<'_>,
        rows: usize,
        report: Report,
    ) -> PyResult<Self> {
        let operation = named(&REDUCE, name)?;
        let parts = in_slices((py, context, key, report), (1, false), |int, _| operation(int, &self.0, rows))?;
        join_uints(&parts)
    }

    /// This where the condition holds, and the other elsewhere.
    fn select(
        &self,
        py: Python<'_>,
        context: &TfheContext,
        key: Key<'_>,
        condition: &TfheBoolArray,
        other: &Self,
        report: Report,
    ) -> PyResult<Self> {
        let parts = in_slices((py, context, key, report), (self.0.len(), false), |int, places| {
            let condition = condition.0.slice(places.clone());
            int.select(&condition, &self.0.slice(places.clone()), &other.0.slice(places))
        })?;
        join_uints(&parts)
    }
}
