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
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use everlevel_process::DeviceError;

use crate::{Basis, Diagonal, PackedPoly, Poly, PrimeSet, ResidueRows, Ring};

/// A limb of a device: `n` residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceLimb(pub u32);

/// Limbs of a device that are free again when they are dropped.
pub struct DeviceLimbs {
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
pub struct Conversion<'a> {
    /// The primes of the sources, at most 60.
    pub from: &'a PrimeSet,
    /// The primes of the targets.
    pub to: &'a PrimeSet,
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
pub trait DeviceRing: Debug + Send + Sync {
    /// A number that no other device of the process has.
    fn id(&self) -> u64;

    /// Limbs with arbitrary contents.
    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError>;

    /// Frees limbs.
    fn release(&self, limbs: &[DeviceLimb]);

    /// Copies a limb to the device.
    fn write(&self, ring: &Ring, to: DeviceLimb, residues: &[u64]) -> Result<(), DeviceError>;

    /// Copies a limb from the device, after all work before.
    fn read(&self, ring: &Ring, out: &mut [u64], from: DeviceLimb) -> Result<(), DeviceError>;

    /// Copies limbs: each first one becomes the second one.
    fn copy(&self, pairs: &[[DeviceLimb; 2]]) -> Result<(), DeviceError>;

    /// Overwrites limbs with zeros.
    fn clear(&self, limbs: &[DeviceLimb]) -> Result<(), DeviceError>;

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

impl<R: Basis> Poly<R> {
    /// A copy on a device.
    ///
    /// # Panics
    /// If it is on a device.
    #[must_use]
    pub fn to_device(&self, ring: &Ring, device: &Arc<dyn DeviceRing>) -> Self {
        let copy = DeviceLimbs::take(device, self.set().len());
        for (&to, limb) in copy.as_slice().iter().zip(self.limbs()) {
            done(device.write(ring, to, limb));
        }
        Self::from_device(self.set().clone(), copy)
    }

    /// A copy on the host.
    #[must_use]
    pub fn to_host(&self, ring: &Ring) -> Self {
        let Some(held) = self.device_limbs() else { return self.clone() };
        let mut copy = ring.uninit(self.set());
        for (out, &from) in copy.limbs_mut().iter_mut().zip(held.as_slice()) {
            done(held.device().read(ring, out, from));
        }
        copy
    }

    /// The device that holds its limbs.
    pub fn device(&self) -> Option<&Arc<dyn DeviceRing>> {
        Some(self.device_limbs()?.device())
    }

    /// Its limbs on a device.
    ///
    /// # Panics
    /// If they are the host's.
    pub fn on_device(&self) -> OnDevice<'_> {
        let held = self.device_limbs().expect("limbs are a device's");
        OnDevice { set: self.set(), limbs: held.as_slice() }
    }
}

/// This polynomial on a device: itself, or a copy.
pub(crate) fn there<'p, R: Basis>(ring: &Ring, device: &Arc<dyn DeviceRing>, poly: &'p Poly<R>) -> Cow<'p, Poly<R>> {
    match poly.device() {
        Some(_) => Cow::Borrowed(poly),
        None => Cow::Owned(poly.to_device(ring, device)),
    }
}

/// The device of the first polynomial that has one.
pub(crate) fn device_of<'p, R: Basis>(polys: impl IntoIterator<Item = &'p Poly<R>>) -> Option<Arc<dyn DeviceRing>> {
    polys.into_iter().find_map(|poly| poly.device().cloned())
}

/// The device of a result and its operands, where one has any; the result is brought there.
pub(crate) fn device_for<'p, R: Basis>(
    ring: &Ring,
    result: &mut Poly<R>,
    operands: impl IntoIterator<Item = &'p Poly<R>>,
) -> Option<Arc<dyn DeviceRing>> {
    let device = result.device().cloned().or_else(|| device_of(operands))?;
    if result.device().is_none() {
        *result = result.to_device(ring, &device);
    }
    Some(device)
}
