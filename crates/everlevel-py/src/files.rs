//! Files of CKKS: keys, plaintexts and ciphertexts to files or bytes, and back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everlevel_ckks as ckks;
use everlevel_ckks::io::{self, Access, Builder, Container};
use everlevel_ckks::{BUNDLE_KIND, Error, Footprint, Form, Loading};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run;
use crate::context::Context;
use crate::objects::{self, Key};

/// Callers' words on an object, beside the core's: `note.NAME` among the metadata.
pub type Notes = BTreeMap<String, String>;

/// An object and its notes.
pub type Noted<T> = (T, Notes);

/// An object's bytes, in whatever holds them: `bytes`, a part of shared memory, or a mapped file.
pub type Data = PyBuffer<u8>;

/// Begins the names of notes among the metadata.
const NOTE: &str = "note.";

/// Adds notes to what is to be written.
pub fn describe(builder: &mut Builder<'_>, notes: Notes) {
    notes.into_iter().for_each(|(name, value)| builder.describe(&format!("{NOTE}{name}"), value));
}

/// The notes in a container.
pub fn notes(container: &Container) -> Notes {
    let metadata = &container.header().metadata;
    metadata.iter().filter_map(|(k, v)| Some((k.strip_prefix(NOTE)?.to_string(), v.clone()))).collect()
}

/// Gives a context the calls of files, for the classes whose objects it writes and reads. A function `limited` says
/// which files are read where objects may take as many bytes of memory.
macro_rules! file_methods {
    ($Context:ident with $Files:ty, $Error:ty: $($name:ident: $Class:ident of $type:ty,)*) => {
        /// An object that files hold.
        #[derive(FromPyObject)]
        pub enum Stored {
            $($name(Py<$Class>),)*
        }

        /// The object that a container held.
        #[allow(clippy::large_enum_variant, reason = "one at a time, on its way to Python")]
        pub enum Opened {
            $($name($Class),)*
        }

        impl<'py> IntoPyObject<'py> for Opened {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Ok(match self {
                    $(Self::$name(object) => Bound::new(py, object)?.into_any(),)*
                })
            }
        }

        impl Stored {
            fn container(&self, files: &$Files, notes: Notes) -> Result<Builder<'static>, $Error> {
                let mut builder = match self {
                    $(Self::$name(object) => <$type as io::Stored<$Files>>::to_container(&object.get().0, files)?,)*
                };
                describe(&mut builder, notes);
                Ok(builder)
            }
        }

        impl Opened {
            /// The object of a container and its notes.
            fn new(files: &$Files, container: &Container) -> Result<Noted<Self>, $Error> {
                let found = container.kind()?;
                $(if found == <$type as io::Stored<$Files>>::KIND {
                    let object = <$type as io::Stored<$Files>>::from_container(files, container)?;
                    return Ok((Self::$name($Class(object)), notes(container)));
                })*
                let supported = [$(<$type as io::Stored<$Files>>::KIND),*].join(", ");
                Err(io::Error::UnsupportedKind { found: found.into(), supported }.into())
            }
        }

        #[pymethods]
        impl $Context {
            fn save(&self, obj: Stored, path: PathBuf, notes: Notes) -> PyResult<u64> {
                run_any(|| self.on_threads(|files| Ok::<_, $Error>(obj.container(files, notes)?.write(&path)?)))
            }

            fn serialize(&self, obj: Stored, notes: Notes) -> PyResult<Py<PyBytes>> {
                written(&run_any(|| self.on_threads(|files| obj.container(files, notes)))?)
            }

            fn load(&self, path: PathBuf, max_bytes: Option<u64>) -> PyResult<Noted<Opened>> {
                let open = || Ok::<_, $Error>(Container::open(&path, Access::Auto)?);
                run_any(|| self.on_threads(|files| Opened::new(&limited(files, max_bytes), &open()?)))
            }

            fn deserialize(&self, py: Python<'_>, data: Data, max_bytes: Option<u64>) -> PyResult<Noted<Opened>> {
                let bytes = data.to_vec(py)?;
                let open = || Ok::<_, $Error>(Container::from_bytes(bytes)?);
                run_any(|| self.on_threads(|files| Opened::new(&limited(files, max_bytes), &open()?)))
            }
        }
    };
}

pub(crate) use file_methods;

macro_rules! objects {
    ($($name:ident)*) => {
        /// Any object that files hold, a list of evaluation keys among them.
        #[derive(FromPyObject)]
        pub enum Stored {
            $($name(Py<objects::$name>),)*
            SecretKey(Py<objects::SecretKey>),
            Keys(Vec<Key>),
        }

        impl Stored {
            fn container(&self, context: &ckks::Context, form: Form, notes: Notes) -> Result<Builder<'_>, Error> {
                let mut builder = match self {
                    $(Self::$name(object) => context.to_container(&object.get().0, form)?,)*
                    Self::SecretKey(key) => context.export_secret_key(&key.get().0)?,
                    Self::Keys(keys) => {
                        let keys: Vec<_> = keys.iter().map(Key::as_ref).collect();
                        context.keys_to_container(&keys, form)?
                    }
                };
                describe(&mut builder, notes);
                Ok(builder)
            }

            /// The object on its way to another process; secrets and lists of keys, which stay, are none.
            fn in_transit(&self, context: &ckks::Context, notes: Notes) -> Result<Option<Builder<'_>>, Error> {
                let mut builder = match self {
                    $(Self::$name(object) => context.to_transit(&object.get().0)?,)*
                    Self::SecretKey(_) | Self::Keys(_) => return Ok(None),
                };
                describe(&mut builder, notes);
                Ok(Some(builder))
            }
        }

        fn wrap(py: Python<'_>, object: ckks::Object) -> PyResult<Bound<'_, PyAny>> {
            Ok(match object {
                $(ckks::Object::$name(object) => Bound::new(py, objects::$name(object))?.into_any(),)*
                ckks::Object::SecretKey(key) => Bound::new(py, objects::SecretKey(key))?.into_any(),
                _ => return Err(pyo3::exceptions::PyNotImplementedError::new_err("a kind without a class")),
            })
        }
    };
}

objects! {
    Ciphertext Plaintext PublicKey RelinearizationKey ConjugationKey RotationKey FixedRotationKey BootstrapKey
    LightPlaintext PlainMatrix LightPlainMatrix MatrixMultiplicationKey SmallBootstrapKey
}

/// The content of a file.
pub enum Opened {
    One(Box<ckks::Object>),
    Keys(Vec<ckks::Object>),
}

impl<'py> IntoPyObject<'py> for Opened {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::One(object) => wrap(py, *object),
            Self::Keys(keys) => {
                keys.into_iter().map(|key| wrap(py, key)).collect::<PyResult<Vec<_>>>()?.into_pyobject(py)
            }
        }
    }
}

fn form(expanded: bool) -> Form {
    if expanded { Form::Expanded } else { Form::Seeded }
}

/// Opens a file and makes its object, or its keys, of a kind if one is asked for. Keys in memory are held as the
/// context holds keys; mapped ones as they are in the file, unless `expanded` says otherwise.
fn open(
    context: &ckks::Context,
    container: &Container,
    kind: Option<&str>,
    verify: bool,
    expanded: Option<bool>,
    in_memory: bool,
) -> Result<Noted<Opened>, Error> {
    let found = container.kind()?;
    if let Some(expected) = kind.filter(|kind| *kind != found) {
        return Err(io::Error::WrongKind { found: found.into(), expected: expected.into() }.into());
    }
    let stays = container.is_mapped() && !in_memory;
    let loading = Loading { verify, in_memory, expand: expanded.unwrap_or(!stays && !context.seeded_keys()) };
    let opened = match found {
        BUNDLE_KIND => Opened::Keys(context.keys_from_container(container, loading)?),
        _ => Opened::One(Box::new(context.object_from_container(container, loading)?)),
    };
    Ok((opened, notes(container)))
}

/// Writes an object to a file, and returns the file's size.
#[pyfunction]
pub fn save(context: &Context, obj: Stored, path: PathBuf, notes: Notes, expanded: bool) -> PyResult<u64> {
    run(|| Ok(obj.container(&context.0, form(expanded), notes)?.write(&path)?))
}

/// An object's file as bytes.
#[pyfunction]
pub fn serialize(context: &Context, obj: Stored, notes: Notes, expanded: bool) -> PyResult<Py<PyBytes>> {
    let container = run(|| {
        let container = obj.container(&context.0, form(expanded), notes)?;
        ckks::Context::require("serialize", Footprint { held: container.data_nbytes(), work: 0 })?;
        Ok(container)
    })?;
    written(&container)
}

/// An object as bytes that another process reads at once, by [`from_transit`]: no file, for there are no checksums.
#[pyfunction]
pub fn to_transit(context: &Context, obj: Stored, notes: Notes) -> PyResult<Py<PyBytes>> {
    let container = run(|| {
        let Some(container) = obj.in_transit(&context.0, notes)? else { return Ok(None) };
        ckks::Context::require("serialize", Footprint { held: container.data_nbytes(), work: 0 })?;
        Ok(Some(container))
    })?;
    written(&container.ok_or_else(|| PyTypeError::new_err("secret keys and lists of keys stay where they are"))?)
}

/// The object that another process sent, and its notes.
#[pyfunction]
pub fn from_transit(py: Python<'_>, context: &Context, data: Data) -> PyResult<Noted<Opened>> {
    run(|| ckks::Context::require("deserialize", Footprint { held: data.len_bytes() as u64, work: 0 }))?;
    let bytes = data.to_vec(py)?;
    run(|| open(&context.0, &Container::in_transit(bytes)?, None, false, None, true))
}

/// The container as Python's bytes, without a copy between.
pub(crate) fn written(container: &Builder<'_>) -> PyResult<Py<PyBytes>> {
    Python::attach(|py| {
        let bytes = PyBytes::new_with(py, container.nbytes(), |out| {
            container.write_into(out);
            Ok(())
        })?;
        Ok(bytes.unbind())
    })
}

/// The object in a file, or a list of the keys in it, and its notes.
#[pyfunction]
pub fn load(
    context: &Context,
    path: PathBuf,
    kind: Option<&str>,
    mapped: Option<bool>,
    verify: bool,
    expanded: Option<bool>,
) -> PyResult<Noted<Opened>> {
    run(|| {
        // To be read into memory, a large file is mapped too: its polynomials are copied one by one.
        let access = if mapped == Some(true) { Access::Map } else { Access::Auto };
        let container = Container::open(Path::new(&path), access)?;
        open(&context.0, &container, kind, verify || mapped == Some(false), expanded, mapped == Some(false))
    })
}

/// The object in bytes, or a list of the keys in them, and its notes.
#[pyfunction]
pub fn deserialize(
    py: Python<'_>,
    context: &Context,
    data: Data,
    kind: Option<&str>,
    verify: bool,
    expanded: Option<bool>,
) -> PyResult<Noted<Opened>> {
    run(|| ckks::Context::require("deserialize", Footprint { held: data.len_bytes() as u64, work: 0 }))?;
    let bytes = data.to_vec(py)?;
    run(|| {
        let container = Container::from_bytes(bytes)?;
        open(&context.0, &container, kind, verify, expanded, true)
    })
}

/// The size of each tensor, and the metadata.
type Inspected = Noted<BTreeMap<String, usize>>;

fn inspected(mut header: io::header::Header) -> Inspected {
    everlevel_binfhe::files::add_literal(&mut header.metadata);
    let sizes = header.tensors.into_iter().map(|(name, place)| (name, place.range.len())).collect();
    (sizes, header.metadata)
}

/// The contents of a file's header: the size of each tensor, and its metadata, with the literal that a set's name
/// stands for.
#[pyfunction]
pub fn inspect_file(path: PathBuf) -> PyResult<Inspected> {
    run(|| Ok(inspected(Container::inspect(&path)?)))
}

/// As [`inspect_file`], of a file's bytes, and compares every checksum if asked to.
#[pyfunction]
pub fn inspect_bytes(py: Python<'_>, data: Data, verify: bool) -> PyResult<Inspected> {
    run(|| ckks::Context::require("deserialize", Footprint { held: data.len_bytes() as u64, work: 0 }))?;
    let bytes = data.to_vec(py)?;
    run(|| {
        let container = Container::from_bytes(bytes)?;
        if verify {
            container.verify()?;
        }
        Ok(inspected(container.header().clone()))
    })
}

/// Compares every checksum of a file, which is read once; of the whole of it, whatever engine it is for.
#[pyfunction]
pub fn verify_file(path: PathBuf) -> PyResult<()> {
    run(|| Ok(Container::open(&path, Access::Auto)?.verify()?))
}

/// Every kind of file, with its scheme.
#[pyfunction]
pub fn file_kinds() -> Vec<(&'static str, &'static str)> {
    io::kinds::ALL.to_vec()
}
