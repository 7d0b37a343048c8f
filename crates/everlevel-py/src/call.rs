//! How calls leave the interpreter and come back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use everlevel_ckks::{Complex64, Error, Progress};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error;

/// A message's slots, as the façade passes them.
pub type Slots<'py> = PyReadonlyArray1<'py, Complex64>;

/// Runs `work` detached from the interpreter. Errors and panics become exceptions.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(|e| error::to_py(&e)),
        Err(panic) => Err(error::from_panic(&*panic)),
    }
}

/// As [`run`], for work that reports to a Python callable. What the callable raises is raised once the work is done.
pub fn run_reporting<T: Send>(
    py: Python<'_>,
    report: Option<Py<PyAny>>,
    work: impl FnOnce(Progress) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let progress = |done: usize, total: usize| {
        let Some(report) = &report else { return };
        if let Err(error) = Python::attach(|py| report.call1(py, (done, total))) {
            raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
        }
    };
    let result = run(py, || work(&progress));
    match raised.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => result,
    }
}

/// The values of a contiguous array.
pub fn values<'a>(slots: &'a Slots<'_>) -> PyResult<&'a [Complex64]> {
    slots.as_slice().map_err(|_| {
        let shape = slots.shape();
        PyTypeError::new_err(format!("a contiguous complex128 array is needed, and one of shape {shape:?} isn't"))
    })
}

/// Panics on purpose: the test that no panic reaches Python.
#[pyfunction]
pub fn provoke_panic(py: Python<'_>) -> PyResult<()> {
    run(py, || panic!("provoked"))
}
