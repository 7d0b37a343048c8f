//! Polynomials on a device: the limbs that it holds, and the operations that a ring asks of it.
//!
//! A polynomial's limbs are all the host's or all a device's ([`Poly::to_device`], [`Poly::to_host`]). The operations
//! of [`Ring`] compose those of [`DeviceRing`], each of which takes many limbs at once, and give the bits that they
//! give on the host. A host's operand beside a device's is copied there for the operation.
//!
//! *Copies.* Keys and plaintexts stay on the host; a device has a copy of them from their first use on, or from
//! [`DeviceRing::hold_rows`] on, as long as they live ([`Copies`]). Secrets are never copied.
//!
//! *Errors.* A device's error unwinds as [`DeviceError`], since operations of a ring return no `Result`;
//! `everlevel_process::device::caught` makes an error of it where calls enter.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

pub use everlevel_process::DeviceError;

pub use crate::held::{Copies, DeviceLimb, DeviceMemory, OnDevice};
pub use crate::jobs::{Conversion, Halves, Lift, Operands, Pointwise, Scaling, Tensor, Transform};

use crate::held::{DeviceLimbs, done};
use crate::{Basis, Diagonal, PackedPoly, Poly, PrimeSet, ResidueRows, Ring};

/// The products of a polynomial's digits with the rows of a key, and polynomials that are added to them.
#[derive(Debug)]
pub struct KeyProduct<'a> {
    /// The sums of products with bodies and with masks, over the digits' primes.
    pub to: [OnDevice<'a>; 2],
    /// The digits, with their rows' indices, all over the same primes.
    pub digits: &'a [(usize, Poly<crate::Eval>)],
    /// The key.
    pub rows: &'a ResidueRows,
    /// Polynomials over some of the primes, whose products with those of the set are added to the sums.
    pub addends: Option<([Option<OnDevice<'a>>; 2], &'a PrimeSet)>,
}

/// Sums of products of ciphertexts' images with plaintexts, `to[k] = Σ σ(x)·y[k]` for both parts, which share the
/// images.
#[derive(Debug)]
pub struct DiagonalSums<'a> {
    /// Both parts of each sum, all over the same primes, no limbs of operands.
    pub to: Vec<[OnDevice<'a>; 2]>,
    /// The terms.
    pub terms: Vec<DiagonalTerm<'a>>,
}

/// A term of [`DiagonalSums`]. At primes of the sums that it lacks, its `x` is zero.
#[derive(Debug)]
pub struct DiagonalTerm<'a> {
    /// Both parts of a ciphertext, over the same primes.
    pub x: [OnDevice<'a>; 2],
    /// The automorphism `X ↦ X^galois_elt` under which they are multiplied.
    pub galois_elt: u64,
    /// The plaintext of each sum that has the term.
    pub y: Vec<Option<Plain<'a>>>,
}

/// A plaintext that is held on the host, and copied to the device once.
#[derive(Debug, Clone, Copy)]
pub enum Plain<'a> {
    /// The number one.
    One,
    /// A diagonal, lifted to the primes of the set where it is first used.
    Diagonal(&'a Diagonal, &'a PrimeSet),
    /// A packed polynomial.
    Packed(&'a PackedPoly),
}

/// A device that holds limbs of a ring and computes with them.
///
/// The jobs of one call run at once: none may write a limb that another one touches. Calls are done in order. Every
/// result has the host's bits.
#[expect(clippy::missing_errors_doc, reason = "all errors are the device's")]
pub trait DeviceRing: DeviceMemory {
    /// Copies a limb to the device.
    fn write(&self, ring: &Ring, to: DeviceLimb, residues: &[u64]) -> Result<(), DeviceError>;

    /// Copies a limb from the device, after all work before.
    fn read(&self, ring: &Ring, out: &mut [u64], from: DeviceLimb) -> Result<(), DeviceError>;

    /// Forward transforms, as [`everlevel_math::Ntt::forward`].
    fn forward(&self, ring: &Ring, transforms: &[Transform]) -> Result<(), DeviceError>;

    /// Inverse transforms times constants, one for each, as [`everlevel_math::Ntt::inverse_scaled`].
    fn inverse_scaled(&self, ring: &Ring, transforms: &[Transform], constants: &[u64]) -> Result<(), DeviceError>;

    /// One operation on many limbs.
    fn pointwise(&self, ring: &Ring, operation: Pointwise, all: &[Operands]) -> Result<(), DeviceError>;

    /// One operation on many limbs, with its factors for each, below the prime.
    fn scaling(&self, ring: &Ring, op: Scaling, all: &[Operands], factors: &[u64]) -> Result<(), DeviceError>;

    /// One operation on many limbs, each with its prime's index, and a residue for each of its halves.
    fn halves(
        &self,
        ring: &Ring,
        operation: Halves,
        all: &[(usize, DeviceLimb)],
        residues: &[[u64; 2]],
    ) -> Result<(), DeviceError>;

    /// Tensor products.
    fn tensor(&self, ring: &Ring, all: &[Tensor]) -> Result<(), DeviceError>;

    /// Conversions between sets of primes.
    fn convert(&self, ring: &Ring, conversions: &[Conversion<'_>]) -> Result<(), DeviceError>;

    /// Lifts of one prime's residues.
    fn lift(&self, ring: &Ring, lifts: &[Lift]) -> Result<(), DeviceError>;

    /// `to = σ(a)` for `σ: X ↦ X^galois_elt`; `b` is not looked at. A result is another limb than its operand.
    fn automorphism(&self, ring: &Ring, all: &[Operands], galois_elt: u64) -> Result<(), DeviceError>;

    /// Products of digits with keys.
    fn key_products(&self, ring: &Ring, products: &[KeyProduct<'_>]) -> Result<(), DeviceError>;

    /// Sums of ciphertexts' images times plaintexts.
    fn diagonal_sums(&self, ring: &Ring, sums: &[DiagonalSums<'_>]) -> Result<(), DeviceError>;

    /// Copies a key to the device before it is used, with its masks.
    fn hold_rows(&self, ring: &Ring, rows: &ResidueRows) -> Result<(), DeviceError>;

    /// Waits until no other thread is within [`DeviceRing::enter`] and [`DeviceRing::leave`], which nest: calls of
    /// others wait meanwhile.
    fn enter(&self);

    /// Ends what [`DeviceRing::enter`] began.
    fn leave(&self);

    /// Records calls from now on instead of doing them, up to [`DeviceRing::end_recording`]. Limbs that are taken
    /// meanwhile belong to a workspace that all recordings share, and only those may be named; residues are neither
    /// written nor read. Keys and plaintexts are copied where they aren't there yet, and stay as long as the recording.
    fn begin_recording(&self) -> Result<(), DeviceError>;

    /// The calls since [`DeviceRing::begin_recording`].
    fn end_recording(&self) -> Result<Arc<dyn Any + Send + Sync>, DeviceError>;

    /// Does recorded calls again.
    ///
    /// # Panics
    /// If the recording is no device's of this kind.
    fn replay(&self, recording: &(dyn Any + Send + Sync)) -> Result<(), DeviceError>;
}

/// The time in which a device is one thread's.
pub(crate) struct Turn(Arc<dyn DeviceRing>);

impl Turn {
    pub(crate) fn of(device: &Arc<dyn DeviceRing>) -> Self {
        device.enter();
        Self(Arc::clone(device))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A recording that is under way; what was recorded is forgotten unless it ends.
pub(crate) struct Recorder<'a>(Option<&'a Arc<dyn DeviceRing>>);

impl<'a> Recorder<'a> {
    pub(crate) fn begin(device: &'a Arc<dyn DeviceRing>) -> Self {
        done(device.begin_recording());
        Self(Some(device))
    }

    pub(crate) fn end(mut self) -> Arc<dyn Any + Send + Sync> {
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

/// What devices have recorded of the work with a key, by the work's name ([`Ring::repeated`]).
#[derive(Default)]
pub struct Recordings(Mutex<HashMap<(u64, String), Arc<Recording>>>);

impl Debug for Recordings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recordings").finish_non_exhaustive()
    }
}

/// Recorded work: its polynomials in the workspace, and the device's recording.
pub(crate) struct Recording {
    pub inputs: Vec<Vec<DeviceLimb>>,
    pub outputs: Vec<(PrimeSet, Vec<DeviceLimb>)>,
    pub calls: Arc<dyn Any + Send + Sync>,
}

impl Recordings {
    /// The recording of a device's work, made if there is none yet.
    pub(crate) fn of<E>(
        &self,
        key: (u64, String),
        make: impl FnOnce() -> Result<Recording, E>,
    ) -> Result<Arc<Recording>, E> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recording) = lock().get(&key) {
            return Ok(Arc::clone(recording));
        }
        let recording = Arc::new(make()?);
        lock().insert(key, Arc::clone(&recording));
        Ok(recording)
    }
}

impl<R: Basis> Poly<R> {
    /// A copy on a device.
    ///
    /// # Panics
    /// If it is on a device.
    #[must_use]
    pub fn to_device(&self, ring: &Ring, device: &Arc<dyn DeviceRing>) -> Self {
        let memory: Arc<dyn DeviceMemory> = Arc::clone(device) as _;
        let copy = DeviceLimbs::take(&memory, self.set().len());
        for (&to, limb) in copy.as_slice().iter().zip(self.limbs()) {
            done(device.write(ring, to, limb));
        }
        Self::from_device(self.set().clone(), copy)
    }

    /// A copy on the host.
    #[must_use]
    pub fn to_host(&self, ring: &Ring) -> Self {
        let Some(held) = self.device_limbs() else { return self.clone() };
        let device = operations(held);
        let mut copy = ring.uninit(self.set());
        for (out, &from) in copy.limbs_mut().iter_mut().zip(held.as_slice()) {
            done(device.read(ring, out, from));
        }
        copy
    }
}

/// This polynomial on a device: itself, or a copy.
pub(crate) fn there<'p, R: Basis>(ring: &Ring, device: &Arc<dyn DeviceRing>, poly: &'p Poly<R>) -> Cow<'p, Poly<R>> {
    match poly.device_limbs() {
        Some(_) => Cow::Borrowed(poly),
        None => Cow::Owned(poly.to_device(ring, device)),
    }
}

/// The device of limbs.
fn operations(held: &DeviceLimbs) -> Arc<dyn DeviceRing> {
    let operations = Arc::clone(held.device()).operations();
    *operations.downcast().unwrap_or_else(|_| unreachable!("a device's operations are those of a ring"))
}

/// The device of the first polynomial that has one.
pub(crate) fn device_of<'p, R: Basis>(polys: impl IntoIterator<Item = &'p Poly<R>>) -> Option<Arc<dyn DeviceRing>> {
    polys.into_iter().find_map(Poly::device_limbs).map(operations)
}

/// The device of a result and its operands, where one has any; the result is brought there.
pub(crate) fn device_for<'p, R: Basis>(
    ring: &Ring,
    result: &mut Poly<R>,
    operands: impl IntoIterator<Item = &'p Poly<R>>,
) -> Option<Arc<dyn DeviceRing>> {
    let device = device_of([&*result]).or_else(|| device_of(operands))?;
    if !result.is_there() {
        *result = result.to_device(ring, &device);
    }
    Some(device)
}
