//! Sets of primes, and polynomials as a limb for each, on the host or on a device.

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::Arc;

use zeroize::Zeroize;

use crate::Limb;
use crate::device::{Call, DeviceLimb, DeviceRing, done, run};

/// Indices into a ring's prime table, ascending: the modulus that is the product of those primes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrimeSet(Arc<[usize]>);

impl PrimeSet {
    /// The set of the given indices.
    pub fn new(indices: impl IntoIterator<Item = usize>) -> Self {
        let mut v: Vec<usize> = indices.into_iter().collect();
        v.sort_unstable();
        v.dedup();
        Self(v.into())
    }

    /// The indices, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.0
    }

    /// Number of primes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Position of prime `index` among the limbs of a polynomial over this set.
    pub fn position(&self, index: usize) -> Option<usize> {
        self.0.binary_search(&index).ok()
    }

    /// Whether prime `index` belongs to the set.
    pub fn contains(&self, index: usize) -> bool {
        self.position(index).is_some()
    }

    /// Whether every prime of `self` belongs to `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|&i| other.contains(i))
    }

    /// Primes of either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(other.0.iter()).copied())
    }

    /// Primes of both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|&i| other.contains(i)))
    }

    /// Primes of `self` that `other` lacks.
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|&i| !other.contains(i)))
    }
}

/// Coefficient representation: `limb[j]` is the coefficient of `X^j`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coeff;

/// Transform representation: `limb[i]` is the value at `ψ^(2·brv(i)+1)`; products are pointwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eval;

/// [`Coeff`] or [`Eval`].
pub trait Basis: Copy + Send + Sync + 'static {}
impl Basis for Coeff {}
impl Basis for Eval {}

/// The message of a panic: callers above the ring bring a polynomial to the host before they look at its residues.
const ON_DEVICE: &str = "the polynomial is on a device; Poly::to_host copies it to the host";

/// An element of `Z_Q[X]/(X^n + 1)`: limb `k` holds the residues modulo prime `set.indices()[k]`, canonical.
///
/// The limbs are the host's, or a device's ([`crate::device`]). Those of a device can't be looked at:
/// [`Poly::to_host`] copies them.
#[derive(Debug, Clone)]
pub struct Poly<R: Basis> {
    pub(crate) set: PrimeSet,
    place: Place,
    basis: PhantomData<R>,
}

#[derive(Debug, Clone)]
enum Place {
    Host(Vec<Limb>),
    Device(DeviceLimbs),
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

impl<R: Basis> Poly<R> {
    pub(crate) fn from_limbs(set: PrimeSet, limbs: Vec<Limb>) -> Self {
        debug_assert_eq!(set.len(), limbs.len());
        Self { set, place: Place::Host(limbs), basis: PhantomData }
    }

    fn from_device(set: PrimeSet, limbs: DeviceLimbs) -> Self {
        debug_assert_eq!(set.len(), limbs.as_slice().len());
        Self { set, place: Place::Device(limbs), basis: PhantomData }
    }

    /// A polynomial on a device with arbitrary contents, to be overwritten.
    pub(crate) fn uninit_there(device: &Arc<dyn DeviceRing>, set: &PrimeSet) -> Self {
        Self::from_device(set.clone(), DeviceLimbs::take(device, set.len()))
    }

    fn device_limbs(&self) -> Option<&DeviceLimbs> {
        match &self.place {
            Place::Host(_) => None,
            Place::Device(limbs) => Some(limbs),
        }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.device_limbs().is_some()
    }

    /// The device that holds its limbs.
    pub fn device(&self) -> Option<&Arc<dyn DeviceRing>> {
        Some(self.device_limbs()?.device())
    }

    /// The limbs on a device.
    ///
    /// # Panics
    /// If they are the host's.
    pub fn on_device(&self) -> OnDevice<'_> {
        let held = self.device_limbs().expect("limbs are a device's");
        OnDevice { set: self.set(), limbs: held.as_slice() }
    }

    /// These limbs as the residues of another representation.
    pub(crate) fn transformed<S: Basis>(self) -> Poly<S> {
        Poly { set: self.set, place: self.place, basis: PhantomData }
    }

    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        &self.set
    }

    /// The limbs, in the order of the set.
    ///
    /// # Panics
    /// If they are a device's.
    pub fn limbs(&self) -> &[Limb] {
        match &self.place {
            Place::Host(limbs) => limbs,
            Place::Device(_) => panic!("{ON_DEVICE}"),
        }
    }

    /// The limbs, in the order of the set. Residues must stay canonical.
    ///
    /// # Panics
    /// If they are a device's.
    pub fn limbs_mut(&mut self) -> &mut [Limb] {
        match &mut self.place {
            Place::Host(limbs) => limbs,
            Place::Device(_) => panic!("{ON_DEVICE}"),
        }
    }

    /// The limbs themselves.
    ///
    /// # Panics
    /// If they are a device's.
    pub(crate) fn into_limbs(self) -> Vec<Limb> {
        match self.place {
            Place::Host(limbs) => limbs,
            Place::Device(_) => panic!("{ON_DEVICE}"),
        }
    }

    /// The limb of prime `index`.
    ///
    /// # Panics
    /// If the prime does not belong to the set, or the limbs are a device's.
    pub fn limb(&self, index: usize) -> &[u64] {
        let at = self.set.position(index).expect("prime belongs to the polynomial's set");
        &self.limbs()[at]
    }

    /// These integers modulo a divisor of the modulus: a copy of the limbs of `set`.
    ///
    /// # Panics
    /// If `set` is not a subset.
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        let at = set.indices().iter().map(|&i| self.set.position(i).expect("restricted: target primes are a subset"));
        match &self.place {
            Place::Host(limbs) => Self::from_limbs(set.clone(), at.map(|at| limbs[at].clone()).collect()),
            Place::Device(limbs) => Self::from_device(set.clone(), limbs.copies_of(at)),
        }
    }

    /// Bytes that the limbs hold, of the host's memory or of the device's.
    pub fn nbytes(&self) -> usize {
        match &self.place {
            Place::Host(limbs) => limbs.iter().map(|l| 8 * l.len()).sum(),
            Place::Device(limbs) => (8 * limbs.as_slice().len()) << limbs.device().log_n(),
        }
    }
}

/// Whether one of some polynomials is on a device.
pub(crate) fn any_there<'p, R: Basis>(polys: impl IntoIterator<Item = &'p Poly<R>>) -> bool {
    polys.into_iter().any(Poly::is_there)
}

/// Overwrites every residue with zero. A secret polynomial belongs in a [`zeroize::Zeroizing`], which does so also
/// where work is left in the middle.
impl<R: Basis> Zeroize for Poly<R> {
    fn zeroize(&mut self) {
        match &mut self.place {
            Place::Host(limbs) => limbs.iter_mut().for_each(|limb| limb[..].zeroize()),
            Place::Device(limbs) => limbs.clear(),
        }
    }
}
