//! The one map from Rust errors to the classes of `everlevel.errors`. The values become attributes.

use everlevel_ckks::{BootstrapKind, Error, io};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An error that has a class in Python.
pub trait Raise: std::fmt::Display + Send {
    /// The class, and the attributes that it gets.
    fn translate(&self) -> Translation;

    /// The sentence, in the façade's names, where the core has others.
    fn sentence(&mut self) -> String {
        self.to_string()
    }
}

impl Raise for Error {
    fn translate(&self) -> Translation {
        translate(self)
    }

    fn sentence(&mut self) -> String {
        match self {
            Error::Parameter { what: "log_n", found, needed } => {
                format!("Engine: insecure_log_n is {found}; it must be {needed}")
            }
            Error::NoBootstrap { op } => {
                format!(
                    "{op}: use_bootstrap is False and True is needed; make the engine with Engine(use_bootstrap=True)"
                )
            }
            Error::BootstrapKind { op, found, needed } => {
                let maker = match needed {
                    BootstrapKind::Regular => "create_bootstrap_key",
                    BootstrapKind::Lossy => "create_lossy_bootstrap_key",
                };
                let (found, needed) = (kind(*found), kind(*needed));
                format!(
                    "{op}: the bootstrap key is for {found} bootstraps, and one for {needed} ones is needed; make it with \
                     engine.{maker}(secret_key)"
                )
            }
            error => {
                let sentence = error.to_string();
                let same = |rest| format!("bootstrap: {rest}");
                sentence.strip_prefix("precise_bootstrap: ").map(same).unwrap_or(sentence)
            }
        }
    }
}

/// An error on its way to Python: the class, and the attributes that it gets.
pub struct Translation {
    class: &'static str,
    fields: Vec<(&'static str, Field)>,
}

/// An attribute's value.
pub enum Field {
    Int(i128),
    Float(f64),
    Text(String),
    Ints(Vec<i64>),
}

impl Translation {
    pub fn new<const F: usize>(class: &'static str, fields: [(&'static str, Field); F]) -> Self {
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

pub fn int(value: usize) -> Field {
    Field::Int(value as i128)
}

pub fn text(value: impl ToString) -> Field {
    Field::Text(value.to_string())
}

fn kind(kind: BootstrapKind) -> &'static str {
    match kind {
        BootstrapKind::Regular => "regular",
        BootstrapKind::Lossy => "lossy",
    }
}

/// The Python exception of a Rust error.
pub fn to_py(mut error: impl Raise) -> PyErr {
    error.translate().into_py_err(&error.sentence())
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
        Error::UnitCount { left, right, .. } => {
            T::new("UnitCountError", [("left", int(*left)), ("right", int(*right))])
        }
        Error::MatrixUnits { needed, found, .. } => {
            T::new("UnitCountError", [("left", int(*needed)), ("right", int(*found))])
        }
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
            let what = if *what == "log_n" { "insecure_log_n" } else { what };
            T::new("ParameterError", [("option", text(what)), ("value", text(found)), ("allowed", text(needed))])
        }
        Error::SignPrecision { what, found, .. } => {
            T::new("ParameterError", [("option", text(what)), ("value", Field::Float(*found))])
        }
        Error::SignLevels { .. } => T::new("ParameterError", [("option", text("level"))]),
        Error::SignRounds { gap, .. } => {
            T::new("ParameterError", [("option", text("gap")), ("value", Field::Float(*gap))])
        }
        Error::PolynomialDepth { level, most, .. } => {
            T::new("LevelError", [("level", int(*level)), ("max_level", int(*most))])
        }
        Error::BeyondBootstrap { needed, level, level_out, .. } => {
            T::new("LevelError", [("needed", int(*needed)), ("level", int(*level)), ("max_level", int(*level_out))])
        }
        Error::SlotCount { count, .. } => T::new("ParameterError", [("option", text("count")), ("value", int(*count))]),
        Error::Files(error) => translate_files(error),
        Error::Security(_) => T::new("ParameterError", [("option", text("security"))]),
        // A ring that validated parameters asked for, and the system's randomness: neither is the user's to mend. A
        // cancellation has its cause raised in its place, by `call::run_reporting`.
        _ => T::new("InternalError", []),
    }
}

pub fn translate_files(error: &io::Error) -> Translation {
    use Translation as T;
    let wide = |value: u64| Field::Int(i128::from(value));
    match error {
        io::Error::Truncated { needed, found, .. } => {
            T::new("TruncatedFileError", [("needed", wide(*needed)), ("found", wide(*found))])
        }
        io::Error::Checksum { part, expected, found } => {
            T::new("ChecksumError", [("part", text(part)), ("expected", text(expected)), ("found", text(found))])
        }
        io::Error::Foreign { found } => T::new("ForeignFileError", [("found", text(found))]),
        io::Error::NewerFormat { found, supported } => {
            T::new("NewerFormatError", [("found", wide(u64::from(*found))), ("supported", wide(u64::from(*supported)))])
        }
        io::Error::HeaderTooLarge { found, limit } => {
            T::new("HeaderError", [("part", text("length")), ("found", wide(*found)), ("expected", wide(*limit))])
        }
        io::Error::Header { what, found, needed } => {
            T::new("HeaderError", [("part", text(what)), ("found", text(found)), ("expected", text(needed))])
        }
        io::Error::Layout { tensor, begin, end, .. } => {
            T::new("LayoutError", [("part", text(tensor)), ("begin", wide(*begin)), ("end", wide(*end))])
        }
        io::Error::WrongKind { found, expected } => {
            T::new("FileKindError", [("found", text(found)), ("expected", text(expected))])
        }
        io::Error::UnsupportedKind { found, supported } => {
            T::new("UnsupportedKindError", [("found", text(found)), ("expected", text(supported))])
        }
        io::Error::WrongParameters { found, expected, .. } => {
            T::new("FileParametersError", [("found", wide(*found)), ("expected", wide(*expected))])
        }
        io::Error::NonCanonical { tensor, index, value, modulus } => T::new(
            "ResidueError",
            [("part", text(tensor)), ("index", int(*index)), ("value", wide(*value)), ("modulus", wide(*modulus))],
        ),
        io::Error::Changed { path, .. } => T::new("FileChangedError", [("path", text(path.display()))]),
        io::Error::StorageFull { path, needed, source } => T::new(
            "StorageError",
            [("path", text(path.display())), ("needed", wide(*needed)), ("errno", errno(source))],
        ),
        io::Error::Io { path, source, .. } => {
            let class = match source.kind() {
                std::io::ErrorKind::NotFound => "StorageNotFoundError",
                _ => "StorageError",
            };
            T::new(class, [("path", text(path.display())), ("errno", errno(source))])
        }
        _ => T::new("FormatError", []),
    }
}

fn errno(error: &std::io::Error) -> Field {
    Field::Int(error.raw_os_error().map_or(0, i128::from))
}
