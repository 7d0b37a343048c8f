//! Files of CKKS over limbs: keys and ciphertexts to containers, and back.

use std::path::PathBuf;

use everlevel_ckks::io::{Access, Builder, Container};
use everlevel_ckks::limbs::{Context, Error, Object};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run_any;
use crate::files::{Data, Noted, Notes, describe, notes, written};
use crate::limbs::context::LimbsContext;
use crate::limbs::objects::{LimbsCiphertext, LimbsEvaluationKey, LimbsSecretKey};

/// An object that files hold.
#[derive(FromPyObject)]
pub enum Stored {
    Secret(Py<LimbsSecretKey>),
    Evaluation(Py<LimbsEvaluationKey>),
    Ciphertext(Py<LimbsCiphertext>),
}

impl Stored {
    fn container(&self, context: &Context, notes: Notes) -> Result<Builder<'static>, Error> {
        let mut builder = match self {
            Self::Secret(key) => context.secret_key_to_container(&key.get().0)?,
            Self::Evaluation(key) => context.eval_keys_to_container(&key.get().0)?,
            Self::Ciphertext(ciphertext) => context.ciphertext_to_container(&ciphertext.get().0)?,
        };
        describe(&mut builder, notes);
        Ok(builder)
    }
}

/// The object that a container held.
#[derive(IntoPyObject)]
pub enum Opened {
    Secret(LimbsSecretKey),
    Evaluation(LimbsEvaluationKey),
    Ciphertext(LimbsCiphertext),
}

impl Opened {
    /// The object of a container and its notes.
    fn new(context: &Context, container: &Container) -> Result<Noted<Self>, Error> {
        let opened = match context.object_from_container(container)? {
            Object::SecretKey(key) => Self::Secret(LimbsSecretKey(*key)),
            Object::EvalKeys(keys) => Self::Evaluation(LimbsEvaluationKey(keys)),
            Object::Ciphertext(ciphertext) => Self::Ciphertext(LimbsCiphertext(*ciphertext)),
        };
        Ok((opened, notes(container)))
    }
}

#[pymethods]
impl LimbsContext {
    fn save(&self, obj: Stored, path: PathBuf, notes: Notes) -> PyResult<u64> {
        run_any(|| self.pool.install(|| Ok::<_, Error>(obj.container(&self.context, notes)?.write(&path)?)))
    }

    fn serialize(&self, obj: Stored, notes: Notes) -> PyResult<Py<PyBytes>> {
        written(&run_any(|| self.pool.install(|| obj.container(&self.context, notes)))?)
    }

    fn load(&self, path: PathBuf) -> PyResult<Noted<Opened>> {
        run_any(|| self.pool.install(|| Opened::new(&self.context, &Container::open(&path, Access::Auto)?)))
    }

    fn deserialize(&self, py: Python<'_>, data: Data) -> PyResult<Noted<Opened>> {
        let bytes = data.to_vec(py)?;
        run_any(|| self.pool.install(|| Opened::new(&self.context, &Container::from_bytes(bytes)?)))
    }
}
