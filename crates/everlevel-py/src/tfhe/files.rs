//! Files of TFHE: keys and arrays of ciphertexts to containers, and back.

use std::path::PathBuf;

use everlevel_binfhe::files::{self, Object};
use everlevel_binfhe::{Context, Error, KeptEvalKeys};
use everlevel_ckks::io::{Access, Builder, Container};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run_any;
use crate::files::{Data, Noted, Notes, describe, notes, written};
use crate::tfhe::arrays::{TfheBoolArray, TfheCiphertext, TfheUintArray};
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{TfheEvaluationKey, TfheSecretKey};

/// An object that files hold.
#[derive(FromPyObject)]
pub enum Stored {
    Secret(Py<TfheSecretKey>),
    Evaluation(Py<TfheEvaluationKey>),
    Ciphertext(Py<TfheCiphertext>),
    Uints(Py<TfheUintArray>),
    Bools(Py<TfheBoolArray>),
}

impl Stored {
    fn container(&self, context: &Context, notes: Notes) -> Result<Builder<'static>, Error> {
        let (params, name) = (context.params(), context.set().map_or(files::UNNAMED, |set| set.name));
        let mut builder = match self {
            Self::Secret(key) => files::secret_key_to_container(&key.get().0, name),
            Self::Evaluation(key) => files::eval_keys_to_container(&key.get().0.seeded(), name),
            Self::Ciphertext(all) => files::ciphertexts_to_container(params, &all.get().0, name)?,
            Self::Uints(all) => files::uints_to_container(params, &all.get().0, name)?,
            Self::Bools(all) => files::bools_to_container(params, &all.get().0, name)?,
        };
        describe(&mut builder, notes);
        Ok(builder)
    }
}

/// The object that a container held.
#[derive(IntoPyObject)]
pub enum Opened {
    Secret(TfheSecretKey),
    Evaluation(TfheEvaluationKey),
    Ciphertext(TfheCiphertext),
    Uints(TfheUintArray),
    Bools(TfheBoolArray),
}

impl Opened {
    /// The object of a container and its notes, evaluation keys ready for use.
    fn new(context: &Context, container: &Container) -> Result<Noted<Self>, Error> {
        let opened = match context.object_from_container(container)? {
            Object::SecretKey(key) => Self::Secret(TfheSecretKey(*key)),
            Object::EvalKeys(seeded) => Self::Evaluation(TfheEvaluationKey(KeptEvalKeys::new(*seeded))),
            Object::Ciphertexts(all) => Self::Ciphertext(TfheCiphertext(all)),
            Object::Uints(all) => Self::Uints(TfheUintArray(all)),
            Object::Bools(all) => Self::Bools(TfheBoolArray(all)),
        };
        Ok((opened, notes(container)))
    }
}

#[pymethods]
impl TfheContext {
    fn save(&self, obj: Stored, path: PathBuf, notes: Notes) -> PyResult<u64> {
        run_any(|| self.0.install(|| Ok::<_, Error>(obj.container(&self.0, notes)?.write(&path)?)))
    }

    fn serialize(&self, obj: Stored, notes: Notes) -> PyResult<Py<PyBytes>> {
        written(&run_any(|| self.0.install(|| obj.container(&self.0, notes)))?)
    }

    fn load(&self, path: PathBuf) -> PyResult<Noted<Opened>> {
        run_any(|| self.0.install(|| Opened::new(&self.0, &Container::open(&path, Access::Auto)?)))
    }

    fn deserialize(&self, py: Python<'_>, data: Data) -> PyResult<Noted<Opened>> {
        let bytes = data.to_vec(py)?;
        run_any(|| self.0.install(|| Opened::new(&self.0, &Container::from_bytes(bytes)?)))
    }
}
