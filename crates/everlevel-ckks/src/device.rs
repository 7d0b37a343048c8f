//! Ciphertexts on a device.
//!
//! A ciphertext's polynomials are the host's or a device's; operations on it run where they are, and give the same
//! bits. What needs a secret, or bytes, takes a copy on the host.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_ring::device::DeviceRing;
use everlevel_ring::{Eval, Poly};

use crate::{Ciphertext, Context, Error};

impl Context {
    /// A copy of a ciphertext on a device, or the ciphertext itself where it is on one.
    ///
    /// # Errors
    /// A ciphertext of other parameters; the device's.
    pub fn to_device(&self, a: &Ciphertext, device: &Arc<dyn DeviceRing>) -> Result<Ciphertext, Error> {
        self.check_ciphertext("to", a)?;
        let there = |poly: &Poly<Eval>| match poly.device() {
            Some(_) => poly.clone(),
            None => poly.to_device(&self.core.ring, device),
        };
        self.on_device("to", || Ok(a.map_polynomials(there)))
    }

    /// A copy of a ciphertext on the host.
    ///
    /// # Errors
    /// As [`Context::to_device`].
    pub fn to_host(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_ciphertext("to", a)?;
        self.on_device("to", || Ok(a.map_polynomials(|poly| poly.to_host(&self.core.ring))))
    }

    /// The ciphertext on the host: itself, or a copy.
    pub(crate) fn on_host<'a>(&self, a: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>, Error> {
        match a.device() {
            None => Ok(Cow::Borrowed(a)),
            Some(_) => self.to_host(a).map(Cow::Owned),
        }
    }

    /// Runs work whose device's errors become the call's.
    pub(crate) fn on_device<T>(&self, op: &'static str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        everlevel_objects::with_device(op, work)
    }
}

impl Ciphertext {
    /// The device that holds its polynomials.
    pub fn device(&self) -> Option<&Arc<dyn DeviceRing>> {
        self.rlwe().c0.device()
    }
}
