//! RLWE ciphertexts in any representation.

use std::fmt::{Debug, Formatter, Result};

use everlevel_rand::Domain;
use everlevel_ring::{LimbRing, Representation, Ring, SampleRing};

use crate::encrypt::encryptor;
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
