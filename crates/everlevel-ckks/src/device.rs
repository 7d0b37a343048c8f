//! Ciphertexts on a device.
//!
//! A ciphertext's polynomials are the host's or a device's; operations on it run where they are, and give the same
//! bits. What needs a secret, or bytes, takes a copy on the host.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_ring::OutOfMemory;
use everlevel_ring::device::DeviceRing;
use everlevel_ring::memory::Limit;

use crate::{Ciphertext, Context, Error, KeyRef};

/// The host's place.
const HOST: &str = "cpu";

impl Context {
    /// A copy of a ciphertext on a device, or the ciphertext itself where it is on one.
    ///
    /// # Errors
    /// A ciphertext of other parameters, or a device for another ring; the device's.
    pub fn to_device(&self, a: &Ciphertext, device: &Arc<dyn DeviceRing>) -> Result<Ciphertext, Error> {
        self.check_ciphertext("to", a)?;
        self.check_device(device)?;
        match a.device() {
            Some(other) if other.id() == device.id() => Ok(a.clone()),
            Some(_) => self.to_device(&self.to_host(a)?, device),
            None => self.on_device("to", || Ok(a.map_polynomials(|poly| poly.to_device(&self.core.ring, device)))),
        }
    }

    /// A copy of a ciphertext on the host.
    ///
    /// # Errors
    /// As [`Context::to_device`].
    pub fn to_host(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_ciphertext("to", a)?;
        self.on_device("to", || Ok(a.map_polynomials(|poly| poly.to_host(&self.core.ring))))
    }

    /// Copies an evaluation key to a device, which has it beside the host from then on, as long as it lives. Keys that
    /// weren't copied are at their first use there.
    ///
    /// # Errors
    /// A key of other parameters, or a device for another ring; less memory of the device than the key takes, before
    /// any of it is copied; the device's.
    pub fn key_to_device(&self, key: KeyRef<'_>, device: &Arc<dyn DeviceRing>) -> Result<(), Error> {
        self.check_device(device)?;
        self.check_fingerprint("to", key.name(), key.fingerprint())?;
        let missing = || key.switching_keys().into_iter().filter(|key| !key.rows().copies().are_on(device.id()));
        let rows = || missing().map(|key| key.rows());
        let needed: u64 = rows().map(|rows| rows.device_nbytes(&self.core.ring)).sum();
        let [used, all] = device.memory().packed;
        if needed > all - used {
            let lack = OutOfMemory { needed, available: all - used, limit: Limit::DeviceCopies };
            return Err(everlevel_objects::Error::out_of_memory("to", lack).into());
        }
        self.on_device("to", || {
            rows().for_each(|rows| rows.hold_on(&self.core.ring, &**device));
            Ok(())
        })
    }

    /// Whether a device has a copy of all of an evaluation key.
    pub fn is_key_on_device(&self, key: KeyRef<'_>, device: &Arc<dyn DeviceRing>) -> bool {
        key.switching_keys().into_iter().all(|key| key.rows().copies().are_on(device.id()))
    }

    /// Frees a device of its copy of an evaluation key, and of the bootstraps that it has recorded with the key.
    pub fn forget_on_device(&self, key: KeyRef<'_>, device: &Arc<dyn DeviceRing>) {
        key.forget_recordings();
        key.switching_keys().into_iter().for_each(|key| key.rows().copies().forget(device.id()));
    }

    /// Refuses devices that were opened for other rings.
    fn check_device(&self, device: &Arc<dyn DeviceRing>) -> Result<(), Error> {
        if self.core.ring.is_of(&**device) {
            return Ok(());
        }
        let (found, needed) = (device.place().into(), "one that was opened for this context's ring".into());
        Err(Error::Parameter { what: "device", found, needed })
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

    /// Where its polynomials are: `cpu`, or the device's place.
    pub fn place(&self) -> &str {
        self.device().map_or(HOST, |device| device.place())
    }
}
