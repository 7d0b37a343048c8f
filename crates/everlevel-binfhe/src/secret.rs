//! Secret keys: the small LWE secret, the large GLWE secret, and encryption under them.

use std::sync::Arc;

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::secrecy::{declassified, erase_stack};
use everlevel_rand::{Domain, Seed, SeedSource};
use everlevel_ring::{SmallTorusRing, TorusRing};
use everlevel_rlwe::SecretId;
use zeroize::Zeroizing;

use crate::common::{Order, gaussian};
use crate::key_noise::is_lucky;
use crate::over_keys::DRAWS;
use crate::{Error, Params};

/// The secret of a key switch's samples.
pub(crate) type SmallSecretKey = everlevel_rlwe::SecretKey<SmallTorusRing>;

/// Both secrets of one user, drawn as the parameters say. Erased on drop.
pub struct SecretKey {
    params: Arc<Params>,
    id: SecretId,
    seed: Seed,
    small: SmallSecretKey,
    /// The GLWE secret: its coefficients that are drawn are the LWE secret of extracted ciphertexts. 32-bit words share
    /// its products.
    big: everlevel_rlwe::SecretKey<TorusRing<u64>>,
    pub(crate) ring: TorusRing<u64>,
    error: Gaussian,
    /// The source of the seeds of evaluation keys and encryptions.
    pub(crate) seeds: SeedSource,
}

/// The first stream of small secrets that belong to other parameters: the large one's is the stream before it.
const FIRST_OTHER: u64 = 2;

/// The secret of these coefficients over the ring of a degree. Where they make no whole polynomials, zeros follow.
fn small_key(degree: usize, id: SecretId, coeffs: &[i8]) -> SmallSecretKey {
    let mut padded = vec![0; coeffs.len().next_multiple_of(degree)];
    padded[..coeffs.len()].copy_from_slice(coeffs);
    SmallSecretKey::from_coeffs(&SmallTorusRing::new(degree), id, padded)
}

impl SecretKey {
    /// A key from the operating system's randomness.
    ///
    /// # Errors
    /// [`Error::Random`] if there is none.
    pub fn generate(params: Arc<Params>) -> Result<Self, Error> {
        Self::with_seeds(params, SeedSource::os())
    }

    /// A key whose seed, the first one that stands for a key within the parameters' [limits](Params::limits), and those
    /// of what it encrypts and of the evaluation keys made from it, come from `seeds`: golden tests have a source that
    /// repeats itself.
    ///
    /// # Errors
    /// As [`SecretKey::generate`].
    pub fn with_seeds(params: Arc<Params>, seeds: SeedSource) -> Result<Self, Error> {
        for _ in 0..DRAWS {
            let key = Self::from_seed(Arc::clone(&params), &seeds.next()?)?;
            if is_lucky(&key) {
                return Ok(Self { seeds, ..key });
            }
        }
        Err(Error::UnluckySecret { draws: DRAWS, max_log2_p_fail: params.max_log2_p_fail })
    }

    /// The key that a seed stands for, whatever its own noise. The seed is the secret: it must be uniform and used for
    /// one key only.
    ///
    /// # Errors
    /// [`Error::Random`] if the parameters' deviations are outside the sampler's range.
    pub fn from_seed(params: Arc<Params>, seed: &Seed) -> Result<Self, Error> {
        // The id comes from another stream: it is public.
        let id = SecretId(declassified(seed.stream(Domain::Derive, 0).next_u64()) ^ params.fingerprint());
        let ring = TorusRing::new(params.log_n).expect("parameters hold the transform's sizes");
        let coeffs = params.scheme().sample_secret(&mut seed.stream(Domain::SecretKey, 1));
        let big = everlevel_rlwe::SecretKey::from_coeffs(&ring, id, coeffs);
        let mut coeffs = Zeroizing::new(params.scheme().sample_small_secret(&mut seed.stream(Domain::SecretKey, 0)));
        let shared = params.secrets.shared;
        coeffs[..shared].copy_from_slice(&big.coeffs()[..shared]);
        let small = small_key(params.key_switch.ring, id, &coeffs);
        let error = match params.order {
            Order::KeySwitchFirst => gaussian(params.big_log2_std_dev, 64)?,
            Order::BootstrapFirst => gaussian(params.lwe_log2_std_dev, 64)?,
        };
        erase_stack();
        Ok(Self { params, id, seed: seed.clone(), small, big, ring, error, seeds: SeedSource::os() })
    }

    /// The secret of other parameters with this one's large secret and name, and a small secret of its own: the first
    /// one of this key's seed that is within the parameters' [limits](Params::limits).
    ///
    /// # Errors
    /// [`Error::UnluckySecret`] where none is, [`Error::Random`].
    pub(crate) fn with_small_secret_of(&self, params: Arc<Params>) -> Result<Self, Error> {
        let max_log2_p_fail = params.max_log2_p_fail;
        let big = everlevel_rlwe::SecretKey::from_coeffs(&self.ring, self.id, self.big.coeffs().to_vec());
        let small = |draw: u64| {
            let mut stream = self.seed.stream(Domain::SecretKey, FIRST_OTHER + draw);
            let coeffs = Zeroizing::new(params.scheme().sample_small_secret(&mut stream));
            small_key(params.key_switch.ring, self.id, &coeffs)
        };
        let error = gaussian(params.big_log2_std_dev, 64)?;
        let (seed, ring, id) = (self.seed.clone(), self.ring.clone(), self.id);
        let small_of = small(0);
        let mut key =
            Self { params: Arc::clone(&params), id, seed, small: small_of, big, ring, error, seeds: SeedSource::os() };
        for draw in 1..=DRAWS {
            // That all draws but the last were unlucky is public.
            if is_lucky(&key) {
                erase_stack();
                return Ok(key);
            }
            key.small = small(draw);
        }
        Err(Error::UnluckySecret { draws: DRAWS, max_log2_p_fail })
    }

    /// The parameters.
    pub fn params(&self) -> &Arc<Params> {
        &self.params
    }

    /// The id, which is public: keys and ciphertexts carry it.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// The small secret's coefficients.
    pub fn small(&self) -> &[i8] {
        &self.small.coeffs()[..self.params.lwe_dim]
    }

    /// The large secret's coefficients that are drawn: the LWE secret of extracted ciphertexts.
    pub fn big(&self) -> &[i8] {
        &self.big.coeffs()[..self.params.big_dim]
    }

    /// The small secret, to encrypt under.
    pub(crate) fn small_key(&self) -> &SmallSecretKey {
        &self.small
    }

    /// An intermediate secret, to encrypt under.
    pub(crate) fn landing_key(&self, index: usize) -> SmallSecretKey {
        let to = self.params.landings[index];
        small_key(to.key_switch.ring, self.id, &self.big()[..to.dim])
    }

    /// The large secret, to encrypt under.
    pub(crate) fn big_key(&self) -> &everlevel_rlwe::SecretKey<TorusRing<u64>> {
        &self.big
    }

    /// The secret of ciphertexts between bootstraps.
    pub fn ciphertext_secret(&self) -> &[i8] {
        match self.params.order {
            Order::KeySwitchFirst => self.big(),
            Order::BootstrapFirst => self.small(),
        }
    }

    /// The seed that stands for the key.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The error of fresh encryptions.
    pub(crate) fn error(&self) -> &Gaussian {
        &self.error
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretKey").field("id", &self.id).finish_non_exhaustive()
    }
}
