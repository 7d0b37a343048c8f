//! RLWE ciphertexts in any representation.

use std::fmt::{Debug, Formatter, Result};

use everlevel_rand::Domain;
use everlevel_ring::{LimbRing, PrimeSet, Representation, Ring, SampleRing};

use crate::encryptor::encryptor;
use crate::{Randomness, SecretKey};

/// `(c0, c1)` with phase `c0 + c1·s`, both over the same primes, or normalised and of one precision.
pub struct Rlwe<R: Representation = Ring> {
    /// The body.
    pub c0: R::Poly,
    /// The mask.
    pub c1: R::Poly,
}

impl<R: Representation> Clone for Rlwe<R> {
    fn clone(&self) -> Self {
        Self { c0: self.c0.clone(), c1: self.c1.clone() }
    }
}

impl<R: Representation> From<[R::Poly; 2]> for Rlwe<R> {
    fn from([c0, c1]: [R::Poly; 2]) -> Self {
        Self { c0, c1 }
    }
}

impl<R: Representation<Poly: Debug>> Debug for Rlwe<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("Rlwe").field("c0", &self.c0).field("c1", &self.c1).finish()
    }
}

impl<R: SampleRing> Rlwe<R> {
    /// Encryption of zero under a secret of one polynomial, with an error of deviation [`SIGMA`](crate::SIGMA) in units
    /// of the ring's last place.
    pub fn encrypt_zero(
        ring: &R,
        modulus: &R::Modulus,
        secret: &SecretKey<R>,
        randomness: impl Into<Randomness>,
    ) -> Self {
        let (mut masks, c0) =
            encryptor(ring, secret.prepared()).zero(modulus, Domain::EncryptionNoise, &randomness.into(), 0);
        let c1 = masks.pop().unwrap_or_else(|| unreachable!("one mask"));
        Self { c0, c1 }
    }

    /// The phase `c0 + c1·s`.
    pub fn phase(&self, ring: &R, secret: &SecretKey<R>) -> R::Poly {
        let mut phase = self.c0.clone();
        ring.add_masked(&mut phase, &self.c1, secret.prepared());
        phase
    }

    /// `self += other`, where `other` may have more primes or more precision.
    pub fn add_assign(&mut self, ring: &R, other: &Self) {
        ring.add_assign(&mut self.c0, &other.c0);
        ring.add_assign(&mut self.c1, &other.c1);
    }

    /// `self −= other`, where `other` may have more primes or more precision.
    pub fn sub_assign(&mut self, ring: &R, other: &Self) {
        ring.sub_assign(&mut self.c0, &other.c0);
        ring.sub_assign(&mut self.c1, &other.c1);
    }

    /// Both parts under an automorphism, whose image of the secret the result belongs to.
    pub(crate) fn moved(&self, ring: &R, galois_elt: u64) -> Self {
        self.map(|part| ring.automorphism(part, galois_elt))
    }

    /// `f` of either part.
    #[must_use]
    pub fn map(&self, f: impl Fn(&R::Poly) -> R::Poly) -> Self {
        Self { c0: f(&self.c0), c1: f(&self.c1) }
    }

    /// Bytes held by both parts.
    pub fn nbytes(&self) -> usize {
        R::poly_nbytes(&self.c0) + R::poly_nbytes(&self.c1)
    }
}

impl Rlwe {
    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        self.c0.set()
    }

    /// A zero where this ciphertext is: on the host, or on its device.
    pub fn zero_beside(&self, ring: &Ring, set: &PrimeSet) -> Self {
        self.map(|part| ring.zero_beside(part, set))
    }

    /// `self *= c` for an integer.
    pub fn mul_integer_assign(&mut self, ring: &Ring, c: u64) {
        for part in [&mut self.c0, &mut self.c1] {
            ring.mul_residues_assign(part, |m| m.reduce(c));
        }
    }

    /// [`Ring::rescale`] of both parts.
    pub fn rescale(self, ring: &Ring, target: &PrimeSet) -> Self {
        Self::rescale_many(vec![self], ring, target).remove(0)
    }

    /// [`Ring::rescale`] of both parts of several ciphertexts over the same primes.
    pub fn rescale_many(all: Vec<Self>, ring: &Ring, target: &PrimeSet) -> Vec<Self> {
        let pairs = all.into_iter().map(|ct| [ct.c0, ct.c1]).collect();
        ring.rescale_pairs(pairs, target).into_iter().map(Self::from).collect()
    }

    /// [`everlevel_ring::Poly::restricted`] of both parts.
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        self.map(|part| part.restricted(set))
    }
}

impl Rlwe<LimbRing> {
    /// Limbs of either part.
    pub fn limbs(&self) -> usize {
        self.c0.count()
    }

    /// The ciphertext rounded to its first limbs.
    pub fn truncate(&mut self, limbs: usize) {
        self.c0.truncate(limbs);
        self.c1.truncate(limbs);
    }
}

/// Rounding `(c0, c1)` to integers, under a secret of `weight` nonzero coefficients: `√((weight + 1)/12)`.
pub fn rounding_std_dev(weight: usize) -> f64 {
    ((weight as f64 + 1.0) / 12.0).sqrt()
}

/// Rounding `(c0, c1, c2)` to integers, where `c2` belongs to `s²`, whose coefficients have a sum of squares of about
/// `2·weight²`: `√((2·weight² + weight + 1)/12)`.
pub fn square_rounding_std_dev(weight: usize) -> f64 {
    let weight = weight as f64;
    ((2.0 * weight * weight + weight + 1.0) / 12.0).sqrt()
}
