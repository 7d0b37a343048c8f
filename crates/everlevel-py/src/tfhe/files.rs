//! Objects to containers and back.

use everlevel_binfhe::{self as tfhe, Error, files};
use everlevel_ckks::io::{Builder, Container, Error as FileError};
use pyo3::prelude::*;

use crate::files::{NOTE, Notes};
use crate::tfhe::bools::TfheBoolArray;
use crate::tfhe::context::TfheContext;
use crate::tfhe::objects::{TfheCiphertext, TfheEvaluationKey, TfheSecretKey};
use crate::tfhe::uints::TfheUintArray;

/// An object that files hold.
#[derive(FromPyObject)]
pub enum Stored {
    Secret(Py<TfheSecretKey>),
    Evaluation(Py<TfheEvaluationKey>),
    Ciphertext(Py<TfheCiphertext>),
    Uints(Py<TfheUintArray>),
    Bools(Py<TfheBoolArray>),
}

/// What a file held.
pub enum Opened {
    Secret(Box<tfhe::SecretKey>),
    Evaluation(Box<TfheEvaluationKey>),
    Ciphertext(Vec<tfhe::Ciphertext>),
    Uints(tfhe::UintArray),
    Bools(tfhe::BoolArray),
}

impl TfheContext {
    pub(super) fn container(&self, obj: &Stored, notes: Notes) -> Result<Builder<'static>, Error> {
        let name = self.set.name;
        let mut builder = match obj {
            Stored::Secret(key) => files::secret_key_to_container(&key.get().0, name),
            Stored::Evaluation(key) => files::eval_keys_to_container(&key.get().seeded, name),
            Stored::Ciphertext(all) => files::ciphertexts_to_container(&self.params, &all.get().0, name)?,
            Stored::Uints(all) => files::uints_to_container(&self.params, &all.get().0, name)?,
            Stored::Bools(all) => files::bools_to_container(&self.params, &all.get().0, name)?,
        };
        notes.into_iter().for_each(|(name, value)| builder.describe(&format!("{NOTE}{name}"), value));
        Ok(builder)
    }

    pub(super) fn open(&self, container: &Container) -> Result<(Opened, Notes), Error> {
        let params = &self.params;
        let opened = match container.kind()? {
            files::SECRET_KEY_KIND => Opened::Secret(Box::new(files::secret_key_from_container(params, container)?)),
            files::EVAL_KEYS_KIND => {
                let seeded = files::eval_keys_from_container(params, container)?;
                Opened::Evaluation(Box::new(TfheEvaluationKey::new(seeded)))
            }
            files::CIPHERTEXTS_KIND => Opened::Ciphertext(files::ciphertexts_from_container(params, container)?),
            files::UINTS_KIND => Opened::Uints(files::uints_from_container(params, container)?),
            files::BOOLS_KIND => Opened::Bools(files::bools_from_container(params, container)?),
            found => {
                let supported = files::KINDS.join(", ");
                return Err(FileError::UnsupportedKind { found: found.into(), supported }.into());
            }
        };
        let metadata = &container.header().metadata;
        let notes = metadata.iter().filter_map(|(k, v)| Some((k.strip_prefix(NOTE)?.to_string(), v.clone()))).collect();
        Ok((opened, notes))
    }
}

impl Opened {
    pub fn wrap(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Secret(key) => Py::new(py, TfheSecretKey(*key))?.into_any(),
            Self::Evaluation(key) => Py::new(py, *key)?.into_any(),
            Self::Ciphertext(all) => Py::new(py, TfheCiphertext(all))?.into_any(),
            Self::Uints(all) => Py::new(py, TfheUintArray(all))?.into_any(),
            Self::Bools(all) => Py::new(py, TfheBoolArray(all))?.into_any(),
        })
    }
}
