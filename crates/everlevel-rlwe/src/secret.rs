//! Secret keys.

use everlevel_rand::{Domain, Seed, sampler};
use everlevel_ring::{Eval, Poly, Ring};
use zeroize::{Zeroize, Zeroizing};

/// Names a secret without telling anything about it: keys and ciphertexts carry the id of the secret that they belong
/// to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretId(pub u64);

/// A small secret polynomial, kept as its coefficients and its transform over every prime of the ring. Zeroized on
/// drop.
pub struct SecretKey {
    id: SecretId,
    coeffs: Zeroizing<Vec<i8>>,
    eval: Poly<Eval>,
}

impl SecretKey {
    /// A secret with the given coefficients in {−1, 0, 1}, or any others the caller answers for.
    pub fn from_coeffs(ring: &Ring, id: SecretId, coeffs: Vec<i8>) -> Self {
        let coeffs = Zeroizing::new(coeffs);
        let wide: Zeroizing<Vec<i64>> = Zeroizing::new(coeffs.iter().map(|&c| i64::from(c)).collect());
        let eval = ring.to_eval(ring.from_i64(&ring.all_primes(), &wide));
        Self { id, coeffs, eval }
    }

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
        let id = SecretId(seed.stream(Domain::Derive, index).next_u64());
        Ok(Self::from_coeffs(ring, id, coeffs))
    }

    /// The id.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The coefficients.
    pub fn coeffs(&self) -> &[i8] {
        &self.coeffs
    }

    /// Number of nonzero coefficients.
    pub fn weight(&self) -> usize {
        self.coeffs.iter().filter(|&&c| c != 0).count()
    }

    /// The transform over every prime.
    pub fn eval(&self) -> &Poly<Eval> {
        &self.eval
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.coeffs.zeroize();
        self.eval.zeroize();
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretKey").field("id", &self.id).finish_non_exhaustive()
    }
}
