//! Compressed lists: the class, and the context's methods that make them and take them apart.

use everlevel_binfhe::{self as tfhe, AnyArray, CompressionParams, Error};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::properties::properties;
use crate::tfhe::arrays::{TfheBoolArray, TfheCiphertext, TfheUintArray};
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheCompressionKey, TfheEvaluationKey, TfheSecretKey};

/// An array of ciphertexts of one secret, compressed.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheCompressedList(pub tfhe::CompressedList);

properties! { [TfheCompressedList] as list {
    secret_id: u64 = list.0.key().0;
    nbytes: usize = list.0.nbytes();
    /// Variance of each ciphertext's noise, at most.
    variance_torus: f64 = list.0.variance_torus();
    /// Bits of integers, where they are such of 8 or more.
    width: Option<u32> = list.0.width().map(tfhe::Width::bits);
    holds_bools: bool = list.0.holds_bools();
} }

#[pymethods]
impl TfheCompressedList {
    fn __len__(&self) -> usize {
        self.0.elements()
    }

    /// Bytes of the array that decompression gives.
    fn expanded_nbytes(&self, context: &TfheContext) -> usize {
        self.0.expanded_nbytes(context.0.params())
    }

    /// An upper bound of the probability that any of them decrypts to a wrong value.
    fn failure_probability(&self, context: &TfheContext) -> f64 {
        self.0.failure_probability(context.0.params())
    }

    fn decrypt<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(PyArray1::from_vec(py, run_any(|| key.0.decrypt_list(&self.0))?))
    }
}

/// An array of any kind.
#[derive(FromPyObject)]
pub enum Compressible {
    Messages(Py<TfheCiphertext>),
    Uints(Py<TfheUintArray>),
    Bools(Py<TfheBoolArray>),
}

impl Compressible {
    fn array(&self) -> AnyArray {
        match self {
            Self::Messages(all) => AnyArray::Messages(all.get().0.clone()),
            Self::Uints(all) => AnyArray::Uints(all.get().0.clone()),
            Self::Bools(all) => AnyArray::Bools(all.get().0.clone()),
        }
    }
}

/// The array that a list gives.
#[derive(IntoPyObject)]
pub enum Decompressed {
    Messages(TfheCiphertext),
    Uints(TfheUintArray),
    Bools(TfheBoolArray),
}

impl From<AnyArray> for Decompressed {
    fn from(array: AnyArray) -> Self {
        match array {
            AnyArray::Messages(all) => Self::Messages(TfheCiphertext(all)),
            AnyArray::Uints(all) => Self::Uints(TfheUintArray(all)),
            AnyArray::Bools(all) => Self::Bools(TfheBoolArray(all)),
        }
    }
}

#[pymethods]
impl TfheContext {
    /// Bytes that a compression key holds.
    fn compression_key_nbytes(&self) -> PyResult<u64> {
        run_any(|| CompressionParams::of(self.0.params()).map(|params| params.key_footprint().held))
    }

    fn compression_key(&self, secret_key: &TfheSecretKey) -> PyResult<TfheCompressionKey> {
        run_any(|| {
            let seeded = self.0.compression_key(&secret_key.0)?;
            Ok::<_, Error>(TfheCompressionKey(tfhe::KeptCompressionKey::new(seeded)))
        })
    }

    fn compress(
        &self,
        array: Compressible,
        key: &TfheCompressionKey,
        rerandomizes: bool,
        report: Report,
    ) -> PyResult<TfheCompressedList> {
        let array = array.array();
        run_reporting(report, |progress| self.0.compress(key.0.ready(), &array, rerandomizes, progress))
            .map(TfheCompressedList)
    }

    fn decompress(
        &self,
        compressed: &TfheCompressedList,
        key: &TfheEvaluationKey,
        report: Report,
    ) -> PyResult<Decompressed> {
        run_reporting(report, |progress| self.0.decompress(key.ready(), &compressed.0, progress))
            .map(Decompressed::from)
    }
}
