//! Public keys: encryption for those who have no secret key, and re-randomisation.
//!
//! A list of ciphertexts comes from one ring sample ([`CompactPublicKey`]), under the large secret itself: nothing is
//! switched. Ciphertexts between bootstraps are under the large secret where the key switch comes first, and sets of
//! that order alone have public keys. Their noise is below a bootstrap's output in every combination
//! ([`noise::public_key`]), so that what may be done with outputs may be done with them.
//!
//! *Security.* The key is samples of GLWE under the large secret, as the rows of a bootstrapping key are; lists have
//! the same dimension and errors, and a ternary secret of their own. NTRU's large secret has such samples beside its
//! own kind of keys: that these hide each other's secret is one more assumption there.

use std::sync::Arc;

use everlevel_objects::{require_memory, require_secret};
use everlevel_rand::sampler::Gaussian;
use everlevel_rand::secrecy::erase_stack;
use everlevel_rand::{Domain, Seed, SeedSource};
use everlevel_ring::{Footprint, TorusRing};
use everlevel_rlwe::lwe::CompactPublicKey;
use everlevel_rlwe::{Randomness, SecretId};

use crate::common::{Order, gaussian};
use crate::{Ciphertext, Error, Lwe, NoiseSum, Params, SecretKey, noise};

/// Encrypts under one secret, and can't decrypt. It may be given to anybody.
pub struct PublicKey {
    params: Arc<Params>,
    id: SecretId,
    key: CompactPublicKey,
    ring: TorusRing<u64>,
    error: Gaussian,
    /// Variance of a ciphertext's noise, taken so large that any combination is covered.
    variance: f64,
    seeds: SeedSource,
}

impl Params {
    /// The memory of a public key.
    pub fn public_key_footprint(&self) -> Footprint {
        let polynomials = self.rank() * (self.rank() + 1);
        Footprint { held: (8 * self.n() * polynomials) as u64, work: 0 }
    }

    /// The variance of a ciphertext that a public key made, as a part of the torus squared, in any combination.
    ///
    /// # Errors
    /// [`Error::NoPublicKey`] where ciphertexts are under the small secret, or this is above a bootstrap's output.
    pub fn public_key_variance(&self, op: &'static str) -> Result<f64, Error> {
        if self.order == Order::BootstrapFirst {
            let (found, needed) = ("ciphertexts under the small secret", "the key switch first in bootstraps");
            return Err(Error::NoPublicKey { op, found: found.into(), needed: needed.into() });
        }
        let (variance, bootstrapped) = (noise::public_key(self), self.noise().bootstrapped);
        if variance > bootstrapped {
            let [found, most] = [variance, bootstrapped].map(|variance| variance.log2() / 2.0);
            let found = format!("2^{found:.1} of the torus as noise of public encryption");
            return Err(Error::NoPublicKey { op, found, needed: format!("2^{most:.1}, a bootstrap's, at most") });
        }
        Ok(variance)
    }
}

impl PublicKey {
    /// The key of a secret, with a seed from the secret's source.
    ///
    /// # Errors
    /// [`Error::NoPublicKey`], [`Error::Random`], [`crate::ObjectError::OutOfMemory`].
    pub fn generate(secret: &SecretKey) -> Result<Self, Error> {
        Self::from_seed(secret, &secret.seeds.next()?)
    }

    /// The key of a secret, from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// As [`PublicKey::generate`].
    pub fn from_seed(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        let (op, params, ring) = ("create_public_key", secret.params(), &secret.ring);
        let variance = params.public_key_variance(op)?;
        require_memory(op, params.public_key_footprint())?;
        // What follows the drawn coefficients is zero.
        let coeffs = secret.big_key().coeffs()[..params.rank() * params.n()].to_vec();
        let big = everlevel_rlwe::SecretKey::from_coeffs(ring, secret.id(), coeffs);
        let error = gaussian(params.big_log2_std_dev, u64::BITS)?;
        let key = CompactPublicKey::generate(ring, &big, &error, Randomness::from(seed));
        erase_stack();
        let (params, id, ring) = (Arc::clone(params), secret.id(), ring.clone());
        Ok(Self { params, id, key, ring, error, variance, seeds: SeedSource::os() })
    }

    /// A key from its parts, for files: the seed of the masks, and the bodies, one polynomial after another.
    ///
    /// # Errors
    /// [`Error::NoPublicKey`], [`Error::LengthMismatch`] for too few bodies, or too many.
    pub(crate) fn from_parts(
        params: Arc<Params>,
        id: SecretId,
        mask_seed: Seed,
        bodies: &[u64],
    ) -> Result<Self, Error> {
        let op = "from_parts";
        crate::gates::same_length(op, bodies.len(), params.rank() * params.n())?;
        let variance = params.public_key_variance(op)?;
        let ring = TorusRing::new(params.log_n).expect("parameters hold the transform's sizes");
        let bodies = bodies.chunks_exact(params.n()).map(<[u64]>::to_vec).collect();
        let key = CompactPublicKey::from_parts(&ring, mask_seed, bodies);
        let error = gaussian(params.big_log2_std_dev, u64::BITS)?;
        Ok(Self { params, id, key, ring, error, variance, seeds: SeedSource::os() })
    }

    /// The parameters.
    pub fn params(&self) -> &Arc<Params> {
        &self.params
    }

    /// The secret that the key belongs to.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The ring samples.
    pub(crate) fn key(&self) -> &CompactPublicKey {
        &self.key
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.key.nbytes()
    }

    /// Encrypts torus elements that stand for messages of at most `max_value`.
    pub(crate) fn encrypt(
        &self,
        len: usize,
        max_value: u64,
        phase: impl Fn(usize) -> u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let one = |lwe: Lwe| Ciphertext { noise: NoiseSum::of(&lwe, self.variance), lwe, key: self.id, max_value };
        Ok(self.lists("encrypt", len, phase)?.into_iter().map(one).collect())
    }

    /// Other ciphertexts of the same messages: each with a fresh encryption of zero added. Their masks tell nothing of
    /// the masks before; their noise has both errors, and still tells its owner how they were made.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`] where the noise would make a decryption fail too
    /// often, [`Error::Random`] without entropy.
    pub fn rerandomize(&self, all: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let op = "rerandomize";
        let max_log2_p_fail = self.params.max_log2_p_fail;
        for x in all {
            require_secret(op, "ciphertext", x.key, self.id)?;
            let log2_p_fail = noise::log2_p_fail(self.params.margin_torus(), x.variance_torus() + self.variance);
            if log2_p_fail > max_log2_p_fail {
                return Err(Error::NoiseExhausted { op, log2_p_fail, max_log2_p_fail });
            }
        }
        let with_zero = |(x, mut lwe): (&Ciphertext, Lwe)| {
            let own = NoiseSum::of(&lwe, self.variance);
            lwe.add_multiple(&x.lwe, 1);
            let noise = NoiseSum::combination([(1.0, &x.noise), (1.0, &own)]);
            Ciphertext { lwe, key: self.id, noise, max_value: x.max_value }
        };
        let zeros = self.lists(op, all.len(), |_| 0)?;
        Ok(all.iter().zip(zeros).map(with_zero).collect())
    }

    /// Masks and body of a fresh encryption of zeros, of as many as a polynomial has coefficients.
    pub(crate) fn zeros(&self) -> Result<Vec<u64>, Error> {
        Ok(self.key.sample(&self.ring, &self.error, &[], &self.seeds.next()?))
    }

    /// Encryptions of torus elements, in lists of as many as a polynomial has coefficients.
    fn lists(&self, op: &'static str, len: usize, phase: impl Fn(usize) -> u64) -> Result<Vec<Lwe>, Error> {
        let seed = self.seeds.next()?;
        require_memory(op, self.params.ciphertexts_footprint(len))?;
        let n = self.params.n();
        let list = |first: usize| {
            let phases: Vec<u64> = (first..len.min(first + n)).map(&phase).collect();
            let seed = seed.derive(Domain::Derive, (first / n) as u64);
            self.key.encrypt(&self.ring, &self.error, &phases, self.params.big_dim, &seed)
        };
        Ok((0..len).step_by(n).flat_map(list).collect())
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicKey").field("id", &self.id).finish_non_exhaustive()
    }
}
