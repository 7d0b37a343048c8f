//! Limbs that a device holds, as polynomials have them, and copies on devices of what is on the host.
//!
//! Nothing here knows of rings: what a device computes is in [`crate::device`].

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everlevel_process::DeviceError;

use crate::PrimeSet;

/// A limb of a device: `n` residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceLimb(pub u32);

/// The memory of a device that holds limbs.
#[expect(clippy::missing_errors_doc, reason = "all errors are the device's")]
pub trait DeviceMemory: Debug + Send + Sync {
    /// A number that no other device of the process has.
    fn id(&self) -> u64;

    /// Limbs with arbitrary contents.
    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError>;

    /// Frees limbs.
    fn release(&self, limbs: &[DeviceLimb]);

    /// Copies limbs: each second one becomes the first one.
    fn copy(&self, pairs: &[[DeviceLimb; 2]]) -> Result<(), DeviceError>;

    /// Overwrites limbs with zeros.
    fn clear(&self, limbs: &[DeviceLimb]) -> Result<(), DeviceError>;

    /// The operations on the limbs: an `Arc<dyn DeviceRing>`, which memory doesn't know of.
    fn operations(self: Arc<Self>) -> Box<dyn Any>;
}

/// Limbs of a device that are free again when they are dropped.
pub(crate) struct DeviceLimbs {
    device: Arc<dyn DeviceMemory>,
    limbs: Vec<DeviceLimb>,
}

impl Debug for DeviceLimbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceLimbs").field("device", &self.device.id()).field("limbs", &self.limbs).finish()
    }
}

impl DeviceLimbs {
    /// Limbs with arbitrary contents.
    pub(crate) fn take(device: &Arc<dyn DeviceMemory>, count: usize) -> Self {
        Self { device: Arc::clone(device), limbs: done(device.take(count)) }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<dyn DeviceMemory> {
        &self.device
    }

    /// The limbs.
    pub(crate) fn as_slice(&self) -> &[DeviceLimb] {
        &self.limbs
    }

    /// Overwrites every residue with zero.
    pub(crate) fn clear(&mut self) {
        done(self.device.clear(&self.limbs));
    }

    /// Copies of some of the limbs.
    pub(crate) fn copies_of(&self, at: impl Iterator<Item = usize>) -> Self {
        let from: Vec<DeviceLimb> = at.map(|at| self.limbs[at]).collect();
        let copy = Self::take(&self.device, from.len());
        let pairs: Vec<[DeviceLimb; 2]> = copy.limbs.iter().zip(&from).map(|(&to, &from)| [to, from]).collect();
        done(self.device.copy(&pairs));
        copy
    }
}

impl Clone for DeviceLimbs {
    fn clone(&self) -> Self {
        self.copies_of(0..self.limbs.len())
    }
}

impl Drop for DeviceLimbs {
    fn drop(&mut self) {
        self.device.release(&self.limbs);
    }
}

/// A polynomial on a device: limb `k` is for prime `set.indices()[k]`.
#[derive(Debug, Clone, Copy)]
pub struct OnDevice<'a> {
    /// The primes.
    pub set: &'a PrimeSet,
    /// The limbs, in the order of the set.
    pub limbs: &'a [DeviceLimb],
}

impl OnDevice<'_> {
    /// The limb of prime `index`.
    ///
    /// # Panics
    /// If the prime does not belong to the set.
    pub fn limb(&self, index: usize) -> DeviceLimb {
        self.limbs[self.set.position(index).expect("prime belongs to the polynomial's set")]
    }

    /// Primes and limbs.
    pub fn each(self) -> impl Iterator<Item = (usize, DeviceLimb)> {
        self.set.indices().iter().copied().zip(self.limbs.iter().copied())
    }
}

/// The value, or an unwinding.
pub(crate) fn done<T>(result: Result<T, DeviceError>) -> T {
    result.unwrap_or_else(|error| error.unwind())
}

/// Copies that devices hold of something on the host, and its identity.
pub struct Copies {
    id: u64,
    all: Mutex<Vec<(u64, Arc<dyn Any + Send + Sync>)>>,
}

impl Default for Copies {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), all: Mutex::default() }
    }
}

impl Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copies").finish_non_exhaustive()
    }
}

/// A clone is on the host alone.
impl Clone for Copies {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Copies {
    /// A number that nothing else with copies has in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The copy on a device that serves, made if there is none yet.
    ///
    /// # Errors
    /// That of `make`.
    pub fn on<T: Any + Send + Sync, E>(
        &self,
        device: u64,
        serves: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.iter().filter(|(id, _)| *id == device);
        let mut copies = held.filter_map(|(_, copy)| Arc::clone(copy).downcast::<T>().ok());
        if let Some(copy) = copies.find(|copy| serves(copy)) {
            return Ok(copy);
        }
        drop(copies);
        let copy = Arc::new(make()?);
        all.push((device, Arc::clone(&copy) as Arc<dyn Any + Send + Sync>));
        Ok(copy)
    }
}
