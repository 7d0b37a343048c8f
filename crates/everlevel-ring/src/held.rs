//! The host's handles of devices' memory: limbs of a polynomial, and copies of keys and plaintexts.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everlevel_process::unwind;

use crate::PrimeSet;
use crate::device::{Call, DeviceError, DeviceLimb, DevicePacked, DeviceRing, HeldPieces};

/// Limbs of a device that are free again when they are dropped.
pub(crate) struct DeviceLimbs {
    device: Arc<dyn DeviceRing>,
    limbs: Vec<DeviceLimb>,
}

impl Debug for DeviceLimbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceLimbs").field("device", &self.device.id()).field("limbs", &self.limbs).finish()
    }
}

impl DeviceLimbs {
    /// Limbs with arbitrary contents.
    pub(crate) fn take(device: &Arc<dyn DeviceRing>, count: usize) -> Self {
        Self { device: Arc::clone(device), limbs: done(device.take(count)) }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<dyn DeviceRing> {
        &self.device
    }

    /// The limbs.
    pub(crate) fn as_slice(&self) -> &[DeviceLimb] {
        &self.limbs
    }

    /// Overwrites every residue with zero.
    pub(crate) fn clear(&mut self) {
        run(&self.device, Call::Clear(self.limbs.clone()));
    }

    /// Copies of some of the limbs.
    pub(crate) fn copies_of(&self, at: impl Iterator<Item = usize>) -> Self {
        let from: Vec<DeviceLimb> = at.map(|at| self.limbs[at]).collect();
        let copy = Self::take(&self.device, from.len());
        let pairs: Vec<[DeviceLimb; 2]> = copy.limbs.iter().zip(&from).map(|(&to, &from)| [to, from]).collect();
        run(&self.device, Call::Copy(pairs));
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

/// Runs jobs, or unwinds.
pub(crate) fn run(device: &Arc<dyn DeviceRing>, call: Call) {
    done(device.run(call));
}

/// The value, or an unwinding.
pub(crate) fn done<T>(result: Result<T, DeviceError>) -> T {
    result.unwrap_or_else(|error| unwind(error))
}

/// Copies that devices hold of something on the host, and its identity.
pub struct Copies {
    id: u64,
    all: Mutex<Vec<(u64, Arc<Held>)>>,
}

/// A device's copy of packed polynomials over the same primes.
pub(crate) struct Held {
    set: PrimeSet,
    log2_run: u32,
    pieces: Box<dyn HeldPieces>,
}

impl Held {
    /// Memory on a device for `count` polynomials, each value of which stands for a run of `2^log2_run` equal ones.
    pub(crate) fn new(device: &dyn DeviceRing, set: &PrimeSet, count: usize, log2_run: u32) -> Self {
        let len = (1 << device.log_n()) >> log2_run;
        Self { set: set.clone(), log2_run, pieces: done(device.hold(count * set.len(), len)) }
    }

    /// Polynomial `k` at prime `index`.
    ///
    /// # Panics
    /// If there isn't such a one.
    pub(crate) fn at(&self, k: usize, index: usize) -> DevicePacked {
        let at = self.set.position(index).expect("the copy has the prime");
        self.pieces.piece(k * self.set.len() + at)
    }

    /// Copies the limbs of polynomial `k`.
    pub(crate) fn fill(&self, device: &dyn DeviceRing, k: usize, limbs: impl Iterator<Item: AsRef<[u64]>>) {
        for (&index, limb) in self.set.indices().iter().zip(limbs) {
            done(device.fill(self.at(k, index), limb.as_ref()));
        }
    }

    /// log2 of the length of runs of equal values.
    pub(crate) fn log2_run(&self) -> u32 {
        self.log2_run
    }
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
    /// Whether a device has a copy.
    pub fn are_on(&self, device_id: u64) -> bool {
        self.lock().iter().any(|(id, _)| *id == device_id)
    }

    /// Drops a device's copies.
    pub fn forget(&self, device_id: u64) {
        self.lock().retain(|(id, _)| *id != device_id);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Arc<Held>)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that nothing else with copies has in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The copy on a device at primes of a set, made if there is none yet. A recording under way keeps it.
    pub(crate) fn on(&self, device: &dyn DeviceRing, set: &PrimeSet, make: impl FnOnce() -> Held) -> Arc<Held> {
        let mut all = self.lock();
        let serves = |(id, held): &&(u64, Arc<Held>)| *id == device.id() && set.is_subset(&held.set);
        let held = match all.iter().find(serves) {
            Some((_, held)) => Arc::clone(held),
            None => {
                let held = Arc::new(make());
                all.push((device.id(), Arc::clone(&held)));
                held
            }
        };
        device.keep(Arc::clone(&held) as _);
        held
    }
}
