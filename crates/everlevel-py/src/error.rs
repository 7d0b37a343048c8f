//! The one map from Rust errors to the classes of `everlevel.errors`. The sentence stays; the values become attributes.

use everlevel_ckks::{BootstrapKind, Error};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An error on its way to Python: the class, and the attributes that it gets.
struct Translation {
    class: &'static str,
    fields: Vec<(&'static str, Field)>,
}

/// An attribute's value.
enum Field {
    Int(i128),
    Float(f64),
    Text(String),
    Ints(Vec<i64>),
}

impl Translation {
    fn new<const F: usize>(class: &'static str, fields: [(&'static str, Field); F]) -> Self {
        Self { class, fields: fields.into() }
    }

    fn into_py_err(self, message: &str) -> PyErr {
        Python::attach(|py| match self.build(py, message) {
            Ok(error) => PyErr::from_value(error),
            Err(failure) => failure,
        })
    }

    fn build<'py>(self, py: Python<'py>, message: &str) -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(py);
        for (name, value) in self.fields {
            match value {
                Field::Int(v) => fields.set_item(name, v)?,
                Field::Float(v) => fields.set_item(name, v)?,
                Field::Text(v) => fields.set_item(name, v)?,
                Field::Ints(v) => fields.set_item(name, v)?,
            }
        }
        py.import("everlevel.errors")?.getattr(self.class)?.call((message,), Some(&fields))
    }
}

fn int(value: usize) -> Field {
    Field::Int(value as i128)
}

fn text(value: impl ToString) -> Field {
    Field::Text(value.to_string())
}

fn kind(kind: BootstrapKind) -> &'static str {
    match kind {
        BootstrapKind::Regular => "regular",
        BootstrapKind::Lossy => "lossy",
    }
}

/// The Python exception of a Rust error.
pub fn to_py(error: &Error) -> PyErr {
    translate(error).into_py_err(&error.to_string())
}

/// The Python exception of a panic: a fault of ours.
pub fn from_panic(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let what = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    let message = format!("internal fault: {}; please report it", what.unwrap_or("a panic without a message"));
    Translation::new("InternalError", []).into_py_err(&message)
}

fn translate(error: &Error) -> Translation {
    use Translation as T;
    match error {
        Error::MessageTooLong { len, slot_count, .. } => {
            T::new("MessageError", [("length", int(*len)), ("slot_count", int(*slot_count))])
        }
        Error::EmptyMessage { slot_count, .. } => {
            T::new("MessageError", [("length", int(0)), ("slot_count", int(*slot_count))])
        }
        Error::NotFinite { index, value, .. } => {
            T::new("MessageError", [("index", int(*index)), ("value", text(value))])
        }
        Error::ScaleOverflow { log2_needed, log2_available, level, .. } => T::new(
            "ScaleError",
            [
                ("log2_left", Field::Float(*log2_needed)),
                ("log2_right", Field::Float(*log2_available)),
                ("level", int(*level)),
            ],
        ),
        Error::LevelOutOfRange { level, max_level, .. } => {
            T::new("LevelError", [("level", int(*level)), ("max_level", int(*max_level))])
        }
        Error::LevelExhausted { needed, level, max_level, .. } => {
            T::new("LevelError", [("needed", int(*needed)), ("level", int(*level)), ("max_level", int(*max_level))])
        }
        Error::ForeignObject { what, .. } => T::new("EngineMismatchError", [("argument", text(what))]),
        Error::WrongSecret { what, found, expected, .. } => T::new(
            "KeyMismatchError",
            [
                ("key", text(what)),
                ("expected", Field::Int(i128::from(expected.0))),
                ("actual", Field::Int(i128::from(found.0))),
            ],
        ),
        Error::MissingRotation { rotation, available, .. } => T::new(
            "MissingKeyError",
            [
                ("key", text("rotation key")),
                ("delta", Field::Int(i128::from(*rotation))),
                ("available", Field::Ints(available.clone())),
            ],
        ),
        Error::NotRelinearized { found, .. } => T::new("CiphertextFormError", [("polynomial_count", int(*found))]),
        Error::NoBootstrap { .. } => T::new("ParameterError", [("option", text("use_bootstrap"))]),
        Error::BootstrapKind { found, needed, .. } => T::new(
            "KeyMismatchError",
            [("key", text("bootstrap key")), ("expected", text(kind(*needed))), ("actual", text(kind(*found)))],
        ),
        Error::StageCount { stage_count, supported, .. } => T::new(
            "ParameterError",
            [
                ("option", text("stage_count")),
                ("value", int(*stage_count)),
                ("allowed", Field::Ints(supported.iter().map(|&s| s as i64).collect())),
            ],
        ),
        Error::Parameter { what, found, needed } => {
            T::new("ParameterError", [("option", text(what)), ("value", text(found)), ("allowed", text(needed))])
        }
        Error::Security(_) => T::new("ParameterError", [("option", text("security"))]),
        // A ring that validated parameters asked for, and the system's randomness: neither is the user's to mend. A cancellation has
        // its cause raised in its place, by `call::run_reporting`.
        _ => T::new("InternalError", []),
    }
}
