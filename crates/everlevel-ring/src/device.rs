//! Devices: the interface of what holds limbs and computes with them, and its calls, which are lists of jobs, each an
//! operation's limbs, primes and factors.
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
use everlevel_process::unwind;

use crate::PrimeSet;

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

/// A limb of a device: `n` residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceLimb(pub u32);

/// A piece of a device's packed memory: residues of a key or of a plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DevicePacked(pub u32);

/// One operation on many limbs. Its jobs run at once: none may write a limb that another one touches.
#[derive(Debug, Clone)]
pub enum Call {
    /// Copies: each second limb becomes the first one.
    Copy(Vec<[DeviceLimb; 2]>),
    /// Overwrites limbs with zeros.
    Clear(Vec<DeviceLimb>),
    /// Forward transforms, as [`everlevel_math::Ntt::forward`].
    Forward(Vec<Transform>),
    /// Inverse transforms times constants, one for each, as [`everlevel_math::Ntt::inverse_scaled`].
    InverseScaled(Vec<Transform>, Vec<u64>),
    /// One operation on many limbs.
    Pointwise(Pointwise, Vec<Operands>),
    /// One operation on many limbs, with its factors for each, below the prime.
    Scaling(Scaling, Vec<Operands>, Vec<u64>),
    /// One operation on many limbs, each with its prime's index, and a residue for each of its halves.
    Halves(Halves, Vec<(usize, DeviceLimb)>, Vec<[u64; 2]>),
    /// Tensor products.
    Tensor(Vec<Tensor>),
    /// Conversions between sets of primes.
    Convert(Vec<Conversion>),
    /// Lifts of one prime's residues.
    Lift(Vec<Lift>),
    /// `to = σ(a)` for `σ: X ↦ X^galois_elt`; `b` is not looked at. A result is another limb than its operand.
    Automorphism(Vec<Operands>, u64),
    /// Products of digits with keys.
    KeyProducts(Vec<KeyProduct>),
    /// Sums of ciphertexts' images times plaintexts.
    DiagonalSums(Vec<DiagonalSums>),
}

/// The transform of a limb modulo a prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transform {
    /// The operand.
    pub from: DeviceLimb,
    /// The result: another limb, or the operand.
    pub to: DeviceLimb,
    /// Index of the prime.
    pub prime: usize,
}

/// An operation `to = f(a, b)` on residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointwise {
    /// `a + b`.
    Add,
    /// `a − b`.
    Subtract,
    /// `a·b`.
    Multiply,
    /// `to + a·b`.
    MultiplyAdd,
}

/// An operation `to = f(a, b)` with factors `w`, and `v` where it has a second one, for each limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// `a·w`.
    Scale,
    /// `a·w + b`.
    ScaleAdd,
    /// `a·w + b·v`: the last step of a division by part of the modulus.
    Combine,
}

/// An operation `to = f(to, w)` with a residue `w` for each half of a limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halves {
    /// `to·w`.
    Scale,
    /// `to + w`.
    Add,
}

/// The limbs of an operation, modulo one prime. A result may take an operand's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    /// The result.
    pub to: DeviceLimb,
    /// The first operand.
    pub a: DeviceLimb,
    /// The second operand.
    pub b: DeviceLimb,
    /// Index of the prime.
    pub prime: usize,
}

/// The limbs of a tensor product: `to = (a0·b0, a0·b1 + a1·b0, a1·b1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// The results, which may take operands' places.
    pub to: [DeviceLimb; 3],
    /// The first factor.
    pub a: [DeviceLimb; 2],
    /// The second factor.
    pub b: [DeviceLimb; 2],
    /// Index of the prime.
    pub prime: usize,
}

/// The limbs of a conversion of integers from one set of primes to another, as
/// [`everlevel_math::BasisConverter::convert`].
#[derive(Debug, Clone)]
pub struct Conversion {
    /// The primes of the sources, at most 60.
    pub from: PrimeSet,
    /// The primes of the targets.
    pub to: PrimeSet,
    /// The residues that are converted, in coefficient representation, times the converter's scales.
    pub sources: Vec<DeviceLimb>,
    /// The results, each another limb than all sources.
    pub targets: Vec<DeviceLimb>,
}

/// The centred residues of a limb, modulo another prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lift {
    /// The residues.
    pub from: DeviceLimb,
    /// Index of their prime.
    pub from_prime: usize,
    /// The result, another limb.
    pub to: DeviceLimb,
    /// Index of its prime.
    pub to_prime: usize,
}

/// The products of digits with the rows of a key at one prime, and limbs that are added to them.
#[derive(Debug, Clone)]
pub struct KeyProduct {
    /// The sums of products with bodies and with masks, which are no limbs of operands.
    pub to: [DeviceLimb; 2],
    /// Index of the prime.
    pub prime: usize,
    /// Each digit's limb, with the body and the mask of its row.
    pub terms: Vec<(DeviceLimb, [DevicePacked; 2])>,
    /// For each sum a limb whose product with the factor is added to it.
    pub addends: [Option<DeviceLimb>; 2],
    /// The factor, below the prime.
    pub factor: u64,
}

/// Sums at one prime of ciphertexts' images times plaintexts, `to[k] = Σ σ(x)·y[k]` for both parts, which share the
/// images.
#[derive(Debug, Clone)]
pub struct DiagonalSums {
    /// Both parts of each sum, which are no limbs of operands.
    pub to: Vec<[DeviceLimb; 2]>,
    /// Index of the prime.
    pub prime: usize,
    /// The terms.
    pub terms: Vec<DiagonalTerm>,
}

/// A term of [`DiagonalSums`].
#[derive(Debug, Clone)]
pub struct DiagonalTerm {
    /// Both parts of a ciphertext.
    pub x: [DeviceLimb; 2],
    /// The automorphism `X ↦ X^galois_elt` under which they are multiplied.
    pub galois_elt: u64,
    /// The plaintext of each sum.
    pub y: Vec<Plain>,
}

/// A plaintext at one prime.
#[derive(Debug, Clone, Copy)]
pub enum Plain {
    /// The number zero: a sum that lacks the term.
    Zero,
    /// The number one.
    One,
    /// Packed residues, each of which stands for a run of `2^log2_run` equal ones.
    Packed {
        /// The residues.
        piece: DevicePacked,
        /// log2 of a run's length.
        log2_run: u32,
    },
}

/// Runs jobs, or unwinds.
pub(crate) fn run(device: &Arc<dyn DeviceRing>, call: Call) {
    done(device.run(call));
}

/// The value, or an unwinding.
pub(crate) fn done<T>(result: Result<T, DeviceError>) -> T {
    result.unwrap_or_else(|error| unwind(error))
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
