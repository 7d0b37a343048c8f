//! Calls from Python into the core: how they leave the interpreter, report progress and come back, for every function
//! of this crate.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use everlevel_ckks::io::Coded;
use everlevel_ckks::memory::{self, OutOfMemory, STACK};
use everlevel_ckks::{Basis, Complex64, Error, Progress, notice, noticing};
use everlevel_process::unwind;
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error;

/// Who is told of progress: a function of the steps done and the steps in all.
pub type Report = Option<Py<PyAny>>;

/// A message's slots, as the façade passes them.
pub type Slots<'py> = PyReadonlyArray1<'py, Complex64>;

/// Runs `work` detached from the interpreter. Errors and panics become exceptions, and notices of ranges warnings.
pub fn run<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    run_any(work)
}

/// As [`run`], for the errors of any scheme. Nothing begins where the address space is at its end, as the allocator's
/// failures would end the process.
pub fn run_any<T: Send, E: Coded + Send>(work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T> {
    memory::require_spare(0).map_err(error::out_of_memory)?;
    Python::attach(|py| match py.detach(|| noticing(|| catch_unwind(AssertUnwindSafe(work)))) {
        (Ok(result), notices) => {
            let result = result.map_err(error::to_py)?;
            error::warn(py, &notices)?;
            Ok(result)
        }
        (Err(panic), _) => Err(error::from_panic(&*panic)),
    })
}

/// How often a call that takes long looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// As [`run`], for work that reports to a Python callable. What the callable raises, or a signal handler such as
/// Ctrl-C's, cancels the work at its next step, and is raised.
pub fn run_reporting<T: Send, E: Coded + Send>(
    report: Report,
    work: impl FnOnce(Progress) -> Result<T, E> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let first_raised = || raised.lock().unwrap_or_else(PoisonError::into_inner);
    let progress = |done: usize, total: usize| {
        if first_raised().is_some() {
            return ControlFlow::Break(());
        }
        let Some(report) = &report else { return ControlFlow::Continue(()) };
        match Python::attach(|py| report.call1(py, (done, total))) {
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                first_raised().get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    };
    // Python runs signal handlers on its main thread alone, so the work is on another one, and this one waits and
    // looks.
    let result = run_any(|| {
        thread::scope(|scope| {
            let (finished, wait) = channel::<()>();
            let work = || {
                let _finished = finished;
                noticing(|| work(&progress))
            };
            let worker = thread::Builder::new().spawn_scoped(scope, work);
            let worker = worker.unwrap_or_else(|_| unwind(OutOfMemory::refused(STACK)));
            while wait.recv_timeout(SIGNAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                Python::attach(|py| {
                    if let Err(error) = py.check_signals() {
                        first_raised().get_or_insert(error);
                    }
                });
            }
            let (result, notices) = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            notices.into_iter().for_each(notice);
            result
        })
    });
    match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
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

/// The basis of a series.
pub fn basis(is_chebyshev: bool) -> Basis {
    if is_chebyshev { Basis::Chebyshev } else { Basis::Power }
}

/// Panics on purpose: the test that no panic reaches Python.
#[pyfunction]
pub fn provoke_panic() -> PyResult<()> {
    run(|| panic!("provoked"))
}
