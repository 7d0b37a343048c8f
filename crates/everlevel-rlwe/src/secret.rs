//! Secret keys.

use everlevel_rand::secrecy::declassified;
use everlevel_rand::{Domain, Seed, sampler};
use everlevel_ring::{Eval, Poly, Representation, Ring};
use zeroize::{Zeroize, Zeroizing};

/// Names a secret without telling anything about it: keys and ciphertexts carry the id of the secret that they belong
/// to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretId(pub u64);

/// A secret of one small polynomial or several, kept as its coefficients, polynomial by polynomial, and ready for
/// products in its representation. Zeroized on drop.
pub struct SecretKey<R: Representation = Ring> {
    id: SecretId,
    coeffs: Zeroizing<Vec<i8>>,
    prepared: R::Secret,
}

impl<R: Representation> SecretKey<R> {
    /// A secret with the given coefficients in {−1, 0, 1}, or any others the caller answers for.
    ///
    /// # Panics
    /// If they are not those of whole polynomials.
    pub fn from_coeffs(ring: &R, id: SecretId, coeffs: Vec<i8>) -> Self {
        assert!(coeffs.len().is_multiple_of(ring.degree()), "coefficients of whole polynomials");
        let coeffs = Zeroizing::new(coeffs);
        let prepared = ring.secret(&coeffs);
        Self { id, coeffs, prepared }
    }

    /// The id.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The coefficients, polynomial by polynomial: the LWE secret of extracted samples.
    pub fn coeffs(&self) -> &[i8] {
        &self.coeffs
    }

    /// Number of nonzero coefficients.
    pub fn weight(&self) -> usize {
        self.coeffs.iter().filter(|&&c| c != 0).count()
    }

    /// The polynomials, ready for products.
    pub fn prepared(&self) -> &R::Secret {
        &self.prepared
    }
}

impl SecretKey<Ring> {
    /// A ternary secret with exactly `weight` nonzero coefficients, or uniform in {−1, 0, 1} where `weight` is `None`.
    ///
    /// # Errors
    /// If `weight` exceeds the degree.
    pub fn sample(ring: &Ring, seed: &Seed, index: u64, weight: Option<usize>) -> Result<Self, everlevel_rand::Error> {
        let mut coeffs = vec![0i8; ring.n()];
        let mut stream = seed.stream(Domain::SecretKey, index);
        match weight {
            Some(weight) => sampler::fixed_weight(&mut stream, &mut coeffs, weight)?,
            None => sampler::ternary(&mut stream, &mut coeffs),
        }
        // The id comes from another stream: it is public.
        let id = SecretId(declassified(seed.stream(Domain::Derive, index).next_u64()));
        Ok(Self::from_coeffs(ring, id, coeffs))
    }

    /// The transform over every prime.
    pub fn eval(&self) -> &Poly<Eval> {
        &self.prepared
    }
}

impl<R: Representation> Drop for SecretKey<R> {
    fn drop(&mut self) {
        self.coeffs.zeroize();
        R::erase(&mut self.prepared);
    }
}

impl<R: Representation> std::fmt::Debug for SecretKey<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretKey").field("id", &self.id).finish_non_exhaustive()
    }
}
