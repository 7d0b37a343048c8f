//! Functions of CKKS' light plaintexts, plain matrices, and products of these with ciphertexts.

use everlevel_ckks as ckks;
use numpy::{Complex64, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::call::{Report, Slots, run, run_reporting, values};
use crate::context::Context;
use crate::objects::{
    Ciphertext, FixedRotationKey, LightPlainMatrix, LightPlaintext, MatrixMultiplicationKey, PlainMatrix, Plaintext,
    RotationKey, SecretKey,
};

/// A matrix's entries, as the façade passes them: row by row, or its shape, the places of its diagonals and these.
#[derive(FromPyObject)]
pub enum Entries<'py> {
    Real(PyReadonlyArray2<'py, f64>),
    Complex(PyReadonlyArray2<'py, Complex64>),
    RealDiagonals((usize, usize), Vec<(usize, usize)>, PyReadonlyArray2<'py, f64>),
    ComplexDiagonals((usize, usize), Vec<(usize, usize)>, PyReadonlyArray2<'py, Complex64>),
}

impl Entries<'_> {
    /// The entries, and how many rows and columns there are.
    pub fn read(&self) -> PyResult<(ckks::Entries<'_>, (usize, usize))> {
        let not_contiguous = |_| PyTypeError::new_err("a C-contiguous array is needed");
        let of = |shape: &[usize]| (shape[0], shape[1]);
        Ok(match self {
            Self::Real(x) => (ckks::Entries::Real(x.as_slice().map_err(not_contiguous)?), of(x.shape())),
            Self::Complex(z) => (ckks::Entries::Complex(z.as_slice().map_err(not_contiguous)?), of(z.shape())),
            Self::RealDiagonals(shape, places, x) => {
                (ckks::Entries::RealDiagonals(places, x.as_slice().map_err(not_contiguous)?), *shape)
            }
            Self::ComplexDiagonals(shape, places, z) => {
                (ckks::Entries::ComplexDiagonals(places, z.as_slice().map_err(not_contiguous)?), *shape)
            }
        })
    }
}

/// Whatever has a product with a vector.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Plain(PyRef<'py, PlainMatrix>),
    Light(PyRef<'py, LightPlainMatrix>),
    Entries(Entries<'py>),
}

impl Matrix<'_> {
    /// The level of an encoded matrix.
    fn level(&self) -> Option<usize> {
        match self {
            Self::Plain(matrix) => Some(matrix.0.level()),
            Self::Light(matrix) => Some(matrix.0.level()),
            Self::Entries(_) => None,
        }
    }
}

/// Whichever keys a product uses.
#[derive(FromPyObject)]
pub enum MatrixKey<'py> {
    Matrix(PyRef<'py, MatrixMultiplicationKey>),
    Rotation(PyRef<'py, RotationKey>),
    Fixed(Vec<PyRef<'py, FixedRotationKey>>),
}

#[pyfunction]
pub fn encode_light(context: &Context, slots: Slots<'_>, level: usize) -> PyResult<LightPlaintext> {
    let (context, slots) = (&context.0, values(&slots)?);
    run(|| context.per_unit(slots).try_map(|part| context.encode_light(part, level))).map(LightPlaintext)
}

#[pyfunction]
pub fn change_level(context: &Context, plaintext: &LightPlaintext, level: usize) -> PyResult<LightPlaintext> {
    run(|| plaintext.0.try_map(|unit| context.0.change_level(unit, level))).map(LightPlaintext)
}

#[pyfunction]
pub fn expand(context: &Context, plaintext: &LightPlaintext, level: usize) -> PyResult<Plaintext> {
    run(|| plaintext.0.try_map(|unit| context.0.expand(unit, level))).map(Plaintext)
}

#[pyfunction]
pub fn encode_matrix(
    context: &Context,
    entries: Entries<'_>,
    level: usize,
    diagonals: Option<Vec<i64>>,
) -> PyResult<PlainMatrix> {
    let (entries, shape) = entries.read()?;
    run(|| context.0.encode_matrix(entries, shape, level, diagonals.as_deref())).map(PlainMatrix)
}

#[pyfunction]
pub fn encode_light_matrix(
    context: &Context,
    entries: Entries<'_>,
    level: usize,
    diagonals: Option<Vec<i64>>,
) -> PyResult<LightPlainMatrix> {
    let (entries, shape) = entries.read()?;
    run(|| context.0.encode_light_matrix(entries, shape, level, diagonals.as_deref())).map(LightPlainMatrix)
}

#[pyfunction]
pub fn change_matrix_level(context: &Context, matrix: &LightPlainMatrix, level: usize) -> PyResult<LightPlainMatrix> {
    run(|| context.0.change_matrix_level(&matrix.0, level)).map(LightPlainMatrix)
}

#[pyfunction]
pub fn level_down_matrix(context: &Context, matrix: &PlainMatrix, level: usize) -> PyResult<PlainMatrix> {
    run(|| context.0.level_down_matrix(&matrix.0, level)).map(PlainMatrix)
}

#[pyfunction]
pub fn matrix_multiplication_key(
    context: &Context,
    secret_key: &SecretKey,
    level: usize,
    report: Report,
) -> PyResult<MatrixMultiplicationKey> {
    run_reporting(report, |p| context.0.matrix_multiplication_key(&secret_key.0, level, p)).map(MatrixMultiplicationKey)
}

/// The left rotations of a product with a matrix of these diagonals: baby steps, and distances between giant steps.
#[pyfunction]
pub fn rotations_of_diagonals(diagonals: Vec<i64>, slots: usize) -> (Vec<i64>, Vec<i64>) {
    ckks::rotations_of_diagonals(&diagonals, slots)
}

#[pyfunction]
pub fn multiply_matrix(
    context: &Context,
    matrix: Matrix<'_>,
    ciphertext: &Ciphertext,
    key: MatrixKey<'_>,
) -> PyResult<Ciphertext> {
    let (context, units) = (&context.0, &ciphertext.0);
    let fixed: Vec<&ckks::FixedRotationKey>;
    let keys: ckks::RotationKeys = match &key {
        MatrixKey::Matrix(key) => (&key.0).into(),
        MatrixKey::Rotation(key) => (&key.0).into(),
        MatrixKey::Fixed(keys) => {
            fixed = keys.iter().map(|key| &key.0).collect();
            let level = units.first().level();
            context.fixed_rotations(&fixed, matrix.level().map_or(level, |of| level.min(of)))
        }
    };
    let product = match &matrix {
        Matrix::Plain(matrix) => {
            let matrix = &matrix.0;
            run(|| context.multiply_matrix(matrix, units, keys))
        }
        Matrix::Light(matrix) => {
            let matrix = &matrix.0;
            run(|| context.multiply_light_matrix(matrix, units, keys))
        }
        Matrix::Entries(entries) => {
            let (entries, shape) = entries.read()?;
            run(|| context.multiply_entries(entries, shape, units, keys))
        }
    };
    product.map(Ciphertext)
}
