//! Errors and panics as exceptions. `everlevel._common.wording` makes them, of an error's code and values.

use everlevel_ckks::RangeNotice;
use everlevel_ckks::io::{self, Coded, Value};
use everlevel_ckks::memory::OutOfMemory;
use everlevel_process::DeviceError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An error of an operation that has another name here than in the core.
pub struct Of<'a, E>(pub &'a str, pub E);

impl<E: Coded> std::fmt::Display for Of<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.1.fmt(f)
    }
}

impl<E: Coded> Coded for Of<'_, E> {
    fn code(&self) -> &'static str {
        self.1.code()
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let here = |(name, value)| if name == "op" { (name, Value::Text(self.0.into())) } else { (name, value) };
        self.1.fields().into_iter().map(here).collect()
    }

    fn codes() -> &'static [&'static str] {
        E::codes()
    }
}

/// The Python exception of a Rust error.
pub fn to_py(error: impl Coded) -> PyErr {
    Python::attach(|py| exception(py, &error).unwrap_or_else(|failure| failure))
}

/// A Python warning for each notice; an exception where a filter makes one of it.
pub fn warn(py: Python<'_>, notices: &[RangeNotice]) -> PyResult<()> {
    for notice in notices {
        let warn = py.import("everlevel._common.wording")?.getattr("warn")?;
        warn.call1((notice.code(), fields(py, notice)?))?;
    }
    Ok(())
}

fn exception(py: Python<'_>, error: &impl Coded) -> PyResult<PyErr> {
    let made = py.import("everlevel._common.wording")?.getattr("error")?;
    Ok(PyErr::from_value(made.call1((error.code(), error.to_string(), fields(py, error)?))?))
}

/// The values by name.
fn fields<'py>(py: Python<'py>, error: &impl Coded) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for (name, value) in error.fields() {
        match value {
            Value::Int(v) => fields.set_item(name, v)?,
            Value::Float(v) => fields.set_item(name, v)?,
            Value::Text(v) => fields.set_item(name, v)?,
            Value::Ints(v) => fields.set_item(name, v)?,
            Value::Texts(v) => fields.set_item(name, v)?,
        }
    }
    Ok(fields)
}

/// The Python exception of memory that was refused where the operation isn't known.
pub fn out_of_memory(lack: OutOfMemory) -> PyErr {
    to_py(everlevel_objects::Error::out_of_memory("Everlevel", lack))
}

/// The Python exception of what a call unwound with: a lack of memory, a device that failed, a mapped file that
/// changed, or a panic, which is a fault of ours.
pub fn from_panic(payload: &(dyn std::any::Any + Send)) -> PyErr {
    if let Some(refused) = payload.downcast_ref::<OutOfMemory>() {
        return out_of_memory(*refused);
    }
    if let Some(error) = payload.downcast_ref::<DeviceError>() {
        return to_py(everlevel_objects::Error::of_device("Everlevel", error));
    }
    if let Some(io::Error::Changed { path, what }) = payload.downcast_ref() {
        return to_py(io::Error::Changed { path: path.clone(), what: what.clone() });
    }
    let what = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    let message = format!("internal fault: {}; please report it", what.unwrap_or("a panic without a message"));
    Python::attach(|py| {
        let class = py.import("everlevel.errors").and_then(|errors| errors.getattr("InternalError"));
        class.and_then(|class| class.call1((message,))).map_or_else(|failure| failure, PyErr::from_value)
    })
}

/// The code of every error that the core has.
#[pyfunction]
pub fn error_codes() -> Vec<&'static str> {
    let ckks = [everlevel_ckks::Error::codes(), RangeNotice::codes()].concat();
    [
        &ckks,
        everlevel_objects::Error::codes(),
        everlevel_binfhe::Error::codes(),
        everlevel_limbs::Error::codes(),
        io::Error::codes(),
    ]
    .concat()
}
