//! The key of circuit bootstraps: stored as seeds and bodies, and ready for use.

use std::sync::{Arc, Mutex, PoisonError};

use everlevel_math::fft::{Digits, ExternalProduct};
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{Representation, TorusRing, WordBuffer};
use everlevel_rlwe::{Encryptor, Randomness, RowAddress, SecretId};
use zeroize::Zeroizing;

use super::params::CircuitParams;
use super::{CircuitNoise, cmux};
use crate::automorphisms::{self, Automorphisms};
use crate::common::gaussian;
use crate::gates::same_length;
use crate::{Error, EvalKeys, Footprint, Params, Progress, SecretKey, SeededEvalKeys, no_progress};

/// The key of circuit bootstraps as seeds and bodies, for files and for sending.
#[derive(Debug, Clone)]
pub struct SeededCircuitKey {
    pub(crate) params: CircuitParams,
    /// The keys of the rotations.
    pub rotations: SeededEvalKeys,
    /// The seed of the masks of the half products' rows.
    pub mask_seed: Seed,
    /// Bodies of the rows of half products: for each automorphism its digits', then those of the secret's square.
    pub bodies: Vec<u64>,
}

impl SeededCircuitKey {
    /// The key of a secret, with a seed from the secret's source.
    ///
    /// # Errors
    /// As [`CircuitParams::of`]; [`Error::Random`], [`Error::UnluckySecret`].
    pub fn generate(secret: &SecretKey) -> Result<Self, Error> {
        Self::generate_reporting(secret, &no_progress)
    }

    /// [`SeededCircuitKey::generate`] with reports of progress: a step for each row of the rotations' key.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn generate_reporting(secret: &SecretKey, progress: Progress<'_>) -> Result<Self, Error> {
        Self::from_seed_reporting(secret, &secret.seeds.next()?, progress)
    }

    /// The key of a secret, from a seed that must be secret and fresh.
    ///
    /// # Errors
    /// As [`SeededCircuitKey::generate`].
    pub fn from_seed(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        Self::from_seed_reporting(secret, seed, &no_progress)
    }

    fn from_seed_reporting(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        let params = CircuitParams::of(secret.params())?;
        let inner = secret.with_small_secret_of(Arc::clone(params.rotation()))?;
        let rotations = SeededEvalKeys::from_seed_reporting(&inner, &seed.derive(Domain::Derive, 0), progress)?;
        let randomness = Randomness::from(&seed.derive(Domain::Derive, 1));
        let bodies = bodies(&params, secret, &randomness)?;
        Ok(Self { params, rotations, mask_seed: randomness.masks().clone(), bodies })
    }

    /// A key from its parts, for files.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where a part hasn't the parameters' length.
    pub(crate) fn from_parts(
        params: CircuitParams,
        rotations: SeededEvalKeys,
        mask_seed: Seed,
        bodies: Vec<u64>,
    ) -> Result<Self, Error> {
        same_length("from_parts", bodies.len(), params.bodies_len())?;
        Ok(Self { params, rotations, mask_seed, bodies })
    }

    /// The parameters.
    pub fn params(&self) -> &CircuitParams {
        &self.params
    }

    /// The secret that the key belongs to.
    pub fn id(&self) -> SecretId {
        self.rotations.id()
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.rotations.nbytes() + size_of_val(&self.bodies[..])
    }

    /// The key ready for use.
    pub fn prepare(&self) -> CircuitKey {
        let params = self.params.clone();
        let ring = TorusRing::<u64>::new(params.outer().log_n).expect("parameters hold the transform's sizes");
        let square = ExternalProduct::half::<u64>(ring.fft().clone(), &[Digits::from(CircuitParams::SQUARE)], 2, 0);
        let mut square_key = WordBuffer::zeroed(square.matrix_len());
        let (outer, seed) = (params.outer(), &self.mask_seed);
        let first = automorphisms::rows(outer, CircuitParams::EXPANSION);
        automorphisms::prepare(&ring, &square, &mut square_key, (seed, &self.bodies, first));
        let automorphisms = Automorphisms::new(&ring, outer, CircuitParams::EXPANSION, seed, &self.bodies);
        let product = cmux::product(ring.fft().clone());
        let noise = params.noise();
        let (rotations, free) = (self.rotations.prepare(), Mutex::new(Vec::new()));
        CircuitKey { params, rotations, automorphisms, square, square_key, product, ring, noise, free }
    }
}

impl CircuitParams {
    /// Words of the half products' bodies.
    pub(crate) fn bodies_len(&self) -> usize {
        self.rows() * self.n()
    }

    /// The memory of a key, as seeds and bodies and ready for use.
    pub fn key_footprint(&self) -> Footprint {
        let rotations = self.rotation().eval_keys_footprint();
        let half_products = 3 * 8 * self.bodies_len() as u64;
        Footprint { held: rotations.held + half_products, work: rotations.work }
    }
}

/// The bodies of the half products' rows.
fn bodies(params: &CircuitParams, secret: &SecretKey, randomness: &Randomness) -> Result<Vec<u64>, Error> {
    let (ring, n): (&TorusRing<u64>, usize) = (&secret.ring, params.n());
    let mut bodies = automorphisms::bodies(secret, CircuitParams::EXPANSION, randomness)?;
    let error = gaussian(params.outer().big_log2_std_dev, u64::BITS)?;
    let own: Zeroizing<Vec<i64>> = Zeroizing::new(secret.big().iter().map(|&s| i64::from(s)).collect());
    // The square, by the exact product of masks with the secret.
    let mut square = Zeroizing::new(vec![0; n]);
    ring.mask_body(&mut square, &[ring.small(&(), &own)], secret.big_key().prepared());
    let encryptor = Encryptor { ring, secret: secret.big_key().prepared(), error: &error };
    for digit in 0..CircuitParams::SQUARE.digits as usize {
        let at = RowAddress { gadget: &CircuitParams::SQUARE, digit, index: (bodies.len() / n) as u64 };
        bodies.extend(encryptor.row(at, &square, randomness).1);
    }
    Ok(bodies)
}

/// The key of circuit bootstraps, ready for use. It holds nothing secret.
#[derive(Debug)]
pub struct CircuitKey {
    params: CircuitParams,
    rotations: EvalKeys,
    automorphisms: Automorphisms,
    /// The half product with the secret's square, and its key.
    square: ExternalProduct,
    square_key: WordBuffer<f64>,
    /// The external product of CMuxes.
    product: ExternalProduct,
    ring: TorusRing<u64>,
    noise: CircuitNoise,
    /// Scratch of threads that are in no product: fresh memory takes longer to clear than a product does.
    free: Mutex<Vec<WordBuffer<f64>>>,
}

impl CircuitKey {
    /// The parameters.
    pub fn params(&self) -> &CircuitParams {
        &self.params
    }

    /// The parameters of the keys that this one stands beside.
    pub fn outer(&self) -> &Arc<Params> {
        self.params.outer()
    }

    /// The secret that the key belongs to.
    pub fn id(&self) -> SecretId {
        self.rotations.id()
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.rotations.nbytes() + self.automorphisms.nbytes() + size_of_val(&self.square_key[..])
    }

    /// Circuit bootstraps' rotations that were done with this key.
    pub fn rotation_count(&self) -> usize {
        self.rotations.bootstrap_count()
    }

    /// The noise that all keys but one in `2^40` stay below.
    pub fn noise(&self) -> &CircuitNoise {
        &self.noise
    }

    /// The keys of the rotations.
    pub(super) fn rotations(&self) -> &EvalKeys {
        &self.rotations
    }

    pub(super) fn automorphisms(&self) -> &Automorphisms {
        &self.automorphisms
    }

    /// The external product of CMuxes.
    pub(super) fn product(&self) -> &ExternalProduct {
        &self.product
    }

    pub(super) fn ring(&self) -> &TorusRing<u64> {
        &self.ring
    }

    /// Adds the products of masks and the secret's square to ciphertexts.
    pub(super) fn multiply_by_square(&self, accs: &mut [Vec<u64>], masks: &[Vec<u64>], scratch: &mut [f64]) {
        automorphisms::add_each(&self.square, accs, masks, &self.square_key, scratch);
    }

    /// Result of a function of scratch for any of the products.
    pub(super) fn with_scratch<R>(&self, f: impl FnOnce(&mut [f64]) -> R) -> R {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = free.unwrap_or_else(|| {
            let products = [&self.square, &self.product].map(ExternalProduct::scratch_len);
            WordBuffer::zeroed(products.into_iter().fold(self.automorphisms.scratch_len(), usize::max))
        });
        let result = f(&mut scratch);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        result
    }
}
