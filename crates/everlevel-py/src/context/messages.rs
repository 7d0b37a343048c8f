//! Methods of `Context` that encode, encrypt, decrypt and decode.

use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use super::Context;
use crate::call::{Slots, run, values};
use crate::objects::{Ciphertext, Plaintext, PublicKey, SecretKey};

#[pymethods]
impl Context {
    fn encode(&self, py: Python<'_>, slots: Slots<'_>, level: usize) -> PyResult<Plaintext> {
        let slots = values(&slots)?;
        run(py, || self.0.encode_units(slots, level)).map(Plaintext)
    }

    fn decode<'py>(&self, py: Python<'py>, plaintext: &Plaintext) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
        let slots = run(py, || self.0.decode_units(&plaintext.0))?;
        Ok(PyArray1::from_vec(py, slots))
    }

    fn encrypt_public(&self, py: Python<'_>, plaintext: &Plaintext, public_key: &PublicKey) -> PyResult<Ciphertext> {
        run(py, || plaintext.0.try_map(|unit| self.0.encrypt(unit, &public_key.0))).map(Ciphertext)
    }

    fn encrypt_secret(&self, py: Python<'_>, plaintext: &Plaintext, secret_key: &SecretKey) -> PyResult<Ciphertext> {
        run(py, || plaintext.0.try_map(|unit| self.0.encrypt_with_secret(unit, &secret_key.0))).map(Ciphertext)
    }

    fn decrypt(&self, py: Python<'_>, ciphertext: &Ciphertext, secret_key: &SecretKey) -> PyResult<Plaintext> {
        run(py, || ciphertext.0.try_map(|unit| self.0.decrypt(unit, &secret_key.0))).map(Plaintext)
    }
}
