//! Methods of `Context` for the device that it may have: copies of ciphertexts and keys there, and its memory.

use everlevel_ckks as ckks;
use everlevel_gpu::Opened;
use everlevel_objects as objects;
use pyo3::prelude::*;

use super::Context;
use crate::call::run;
use crate::objects::{Ciphertext, Key};
use crate::properties::properties;

/// Bytes in use, and bytes in all.
type Share = [u64; 2];

#[pymethods]
impl Context {
    /// Bytes of the device's memory for ciphertexts, and for copies of keys and plaintexts.
    fn device_memory(&self) -> PyResult<[Share; 2]> {
        run(|| {
            let memory = self.opened("device_memory")?.device.memory();
            Ok([memory.limbs, memory.packed])
        })
    }

    fn to_device(&self, ciphertext: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| {
            let device = &self.opened("to")?.device;
            ciphertext.0.try_map(|unit| self.0.to_device(unit, device))
        })
        .map(Ciphertext)
    }

    fn to_host(&self, ciphertext: &Ciphertext) -> PyResult<Ciphertext> {
        run(|| ciphertext.0.try_map(|unit| self.0.to_host(unit))).map(Ciphertext)
    }

    fn key_to_device(&self, key: Key) -> PyResult<()> {
        run(|| self.0.key_to_device(key.as_ref(), &self.opened("to")?.device))
    }

    fn forget_on_device(&self, key: Key) -> PyResult<()> {
        run(|| {
            if let Some(opened) = &self.2 {
                self.0.forget_on_device(key.as_ref(), &opened.device);
            }
            Ok(())
        })
    }

    fn is_key_on_device(&self, key: Key) -> bool {
        self.2.as_ref().is_some_and(|opened| self.0.is_key_on_device(key.as_ref(), &opened.device))
    }
}

properties! { [Context] as context {
    /// The device's place, and its maker's name.
    device: Option<(String, String)> = context.2.as_ref().map(|opened| {
        (opened.device.place().into(), opened.name.clone())
    });
} }

impl Context {
    fn opened(&self, op: &'static str) -> Result<&Opened, ckks::Error> {
        let message = "this engine has no device; make it with Engine(mode=\"gpu\")".into();
        self.2.as_ref().ok_or(objects::Error::Device { op, message }.into())
    }
}
