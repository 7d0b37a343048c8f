//! Work that a device records at the first time, and repeats.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::{Call, DeviceLimb, DeviceRing, done, run};
use crate::on_device::{device, there};
use crate::{Eval, Poly, PrimeSet, Ring};

/// The time in which a device is one thread's.
struct Turn<'a>(&'a dyn DeviceRing);

impl<'a> Turn<'a> {
    fn of(device: &'a dyn DeviceRing) -> Self {
        device.enter();
        Self(device)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A recording that is under way; what was recorded is forgotten unless it ends.
struct Recorder<'a>(Option<&'a dyn DeviceRing>);

impl<'a> Recorder<'a> {
    fn begin(device: &'a dyn DeviceRing) -> Self {
        done(device.begin_recording());
        Self(Some(device))
    }

    fn end(mut self) -> Arc<dyn Any + Send + Sync> {
        let device = self.0.take().unwrap_or_else(|| unreachable!("a recording ends once"));
        done(device.end_recording())
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        // The work's error is the one to be told.
        let _ = self.0.map(|device| device.end_recording());
    }
}

/// The recordings of the work with a key, by device and by the work's name ([`Ring::repeated`]).
#[derive(Default)]
pub struct Recordings(Mutex<HashMap<(u64, String), Arc<Recording>>>);

impl Debug for Recordings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recordings").finish_non_exhaustive()
    }
}

/// Recorded work: its polynomials in the workspace, and the device's recording.
struct Recording {
    inputs: Vec<Vec<DeviceLimb>>,
    outputs: Vec<(PrimeSet, Vec<DeviceLimb>)>,
    calls: Arc<dyn Any + Send + Sync>,
}

impl Recordings {
    /// Forgets all of them.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The recording of a device's work, made if there is none yet.
    fn of<E>(&self, key: (u64, String), make: impl FnOnce() -> Result<Recording, E>) -> Result<Arc<Recording>, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recording) = lock().get(&key) {
            return Ok(Arc::clone(recording));
        }
        let recording = Arc::new(make()?);
        lock().insert(key, Arc::clone(&recording));
        Ok(recording)
    }
}

impl Ring {
    /// The results of a device's work on polynomials over one set of primes or several. The device records it at the
    /// first time, under this name, and does later what it recorded: work of one name is the same operations with the
    /// same keys and plaintexts, and touches no polynomial but its operands and what it makes itself.
    ///
    /// # Errors
    /// The work's.
    ///
    /// # Panics
    /// If all operands are on the host, which has nothing to record.
    pub fn repeated<E>(
        &self,
        recordings: &Recordings,
        name: impl FnOnce() -> String,
        operands: Vec<Poly<Eval>>,
        work: impl FnOnce(Vec<Poly<Eval>>) -> Result<Vec<Poly<Eval>>, E>,
    ) -> Result<Vec<Poly<Eval>>, E> {
        let device = &device(&operands);
        let operands: Vec<_> = operands.iter().map(|operand| there(self, device, operand)).collect();
        let _turn = Turn::of(&**device);
        let recording = recordings.of((device.id(), name()), || {
            let recorder = Recorder::begin(&**device);
            let inside = operands.iter().map(|operand| Poly::uninit_there(device, operand.set()));
            let inside: Vec<Poly<Eval>> = inside.collect();
            let inputs = inside.iter().map(|poly| poly.on_device().limbs.to_vec()).collect();
            let results = work(inside)?;
            let outputs = results.iter().map(|poly| (poly.set().clone(), poly.on_device().limbs.to_vec())).collect();
            Ok(Recording { inputs, outputs, calls: recorder.end() })
        })?;
        let pairs = |to: &[DeviceLimb], from: &[DeviceLimb]| -> Vec<[DeviceLimb; 2]> {
            to.iter().zip(from).map(|(&to, &from)| [to, from]).collect()
        };
        let given = operands.iter().zip(&recording.inputs);
        let given: Vec<_> = given.flat_map(|(poly, limbs)| pairs(limbs, poly.on_device().limbs)).collect();
        run(device, Call::Copy(given));
        done(device.replay(&*recording.calls));
        let results: Vec<Poly<Eval>> =
            recording.outputs.iter().map(|(set, _)| Poly::uninit_there(device, set)).collect();
        let taken = results.iter().zip(&recording.outputs);
        let taken: Vec<_> = taken.flat_map(|(poly, (_, limbs))| pairs(poly.on_device().limbs, limbs)).collect();
        run(device, Call::Copy(taken));
        Ok(results)
    }
}
