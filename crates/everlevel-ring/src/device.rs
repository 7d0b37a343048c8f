//! Polynomials on a device: the limbs that it holds, and the interface of what computes with them.
//!
//! A polynomial's limbs are all the host's or all a device's ([`Poly::to_device`], [`Poly::to_host`]). The operations
//! of [`Ring`] compose [`Call`]s, each of which takes many limbs at once, and give the bits that they give on the host.
//! A host's operand beside a device's is copied there for the operation. A device knows degree and primes of its ring,
//! and jobs on limbs; polynomials, keys and diagonals are the ring's.
//!
//! *Copies.* Keys and plaintexts stay on the host; a device has a copy of them from their first use on, as long as they
//! live ([`Copies`]). Secrets are never copied.
//!
//! *Errors.* A device's error unwinds as [`DeviceError`], since operations of a ring return no `Result`;
//! `everlevel_process::caught` makes an error of it where calls enter.
//!
//! [`Copies`]: crate::Copies
//! [`Poly::to_device`]: crate::Poly::to_device
//! [`Poly::to_host`]: crate::Poly::to_host
//! [`Ring`]: crate::Ring

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

use everlevel_math::Modulus;
pub use everlevel_process::DeviceError;
use everlevel_process::unwind;

use crate::PrimeSet;
pub use crate::jobs::{
    Call, Conversion, DeviceLimb, DevicePacked, DiagonalSums, DiagonalTerm, Halves, KeyProduct, Lift, Operands, Plain,
    Pointwise, Scaling, Tensor, Transform,
};

/// A device that holds limbs of a ring and computes with them.
#[expect(clippy::missing_errors_doc, reason = "all errors are the device's")]
pub trait DeviceRing: Debug + Send + Sync {
    /// A number that no other device of the process has.
    fn id(&self) -> u64;

    /// log2 of a limb's residues.
    fn log_n(&self) -> u32;

    /// The primes, by index.
    fn moduli(&self) -> &[Modulus];

    /// Place of the device, as users write it.
    fn place(&self) -> &str;

    /// Memory of the device.
    fn memory(&self) -> DeviceMemory;

    /// Limbs with arbitrary contents.
    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError>;

    /// Frees limbs.
    fn release(&self, limbs: &[DeviceLimb]);

    /// Copies residues to a limb.
    fn write(&self, to: DeviceLimb, residues: &[u64]) -> Result<(), DeviceError>;

    /// Copies residues from a limb, after all work before.
    fn read(&self, out: &mut [u64], from: DeviceLimb) -> Result<(), DeviceError>;

    /// Packed memory for `count` pieces of `len` residues each.
    fn hold(&self, count: usize, len: usize) -> Result<Box<dyn HeldPieces>, DeviceError>;

    /// Copies residues to a piece of packed memory.
    fn fill(&self, to: DevicePacked, residues: &[u64]) -> Result<(), DeviceError>;

    /// Keeps what owns packed memory as long as the recording under way, if there is one.
    fn keep(&self, held: Arc<dyn Any + Send + Sync>);

    /// Runs jobs. Calls are done in order, and their results have the host's bits.
    fn run(&self, call: Call) -> Result<(), DeviceError>;

    /// Waits until no other thread is within [`DeviceRing::enter`] and [`DeviceRing::leave`], which nest: calls of
    /// others wait meanwhile.
    fn enter(&self);

    /// Ends what [`DeviceRing::enter`] began.
    fn leave(&self);

    /// Records calls from now on instead of doing them, up to [`DeviceRing::end_recording`]. Limbs that are taken
    /// meanwhile belong to a workspace that all recordings share, and only those may be named; residues of limbs are
    /// neither written nor read. Packed memory is held and filled at once.
    fn begin_recording(&self) -> Result<(), DeviceError>;

    /// The calls since [`DeviceRing::begin_recording`].
    fn end_recording(&self) -> Result<Arc<dyn Any + Send + Sync>, DeviceError>;

    /// Does recorded calls again.
    ///
    /// # Panics
    /// If the recording is no device's of this kind.
    fn replay(&self, recording: &(dyn Any + Send + Sync)) -> Result<(), DeviceError>;
}

/// Bytes of a packed residue on a device.
pub const PACKED_NBYTES: u64 = 6;

/// The memory of a device for a ring: bytes in use, and bytes in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Limbs of polynomials, workspaces among them.
    pub limbs: [u64; 2],
    /// Packed residues, of keys and plaintexts.
    pub packed: [u64; 2],
}

/// Pieces of packed memory of one length, free again when this is dropped.
pub trait HeldPieces: Send + Sync {
    /// A piece.
    ///
    /// # Panics
    /// If there are fewer.
    fn piece(&self, index: usize) -> DevicePacked;
}

/// Runs jobs, or unwinds.
pub(crate) fn run(device: &Arc<dyn DeviceRing>, call: Call) {
    done(device.run(call));
}

/// The value, or an unwinding.
pub(crate) fn done<T>(result: Result<T, DeviceError>) -> T {
    result.unwrap_or_else(|error| unwind(error))
}

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

    /// Whether it has the primes of a set.
    pub(crate) fn serves(&self, set: &PrimeSet) -> bool {
        set.is_subset(&self.set)
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
