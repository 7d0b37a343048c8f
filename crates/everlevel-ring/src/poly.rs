//! Polynomials as limbs.

use std::marker::PhantomData;
use std::sync::Arc;

use zeroize::Zeroize;

use crate::device::{DeviceLimbs, DeviceRing, OnDevice};
use crate::{Limb, PrimeSet};

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
