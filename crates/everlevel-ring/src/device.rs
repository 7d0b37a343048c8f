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
use std::fmt::Debug;
use std::sync::Arc;

use everlevel_math::Modulus;
pub use everlevel_process::DeviceError;

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
