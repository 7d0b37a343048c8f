//! The bootstrapping key: GGSW encryptions of the small secret's bits under the large one.

use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_rand::Seed;
use everlevel_ring::{TorusWord, report};
use everlevel_rlwe::Randomness;
use rayon::prelude::*;

use super::ggsw::{self, Shape};
use super::rotation::Prepared;
use crate::blind_rotation::BootstrapKey;
use crate::params::Params;
use crate::secret::{SecretKey, gaussian};
use crate::{Error, Progress, no_progress};

/// A bootstrapping key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededBootstrapKey {
    /// The masks' seed.
    pub mask_seed: Seed,
    /// For each GGSW ciphertext and each row, `N` leading bits.
    pub bodies: Vec<u64>,
}

impl SeededBootstrapKey {
    /// The key of a secret.
    ///
    /// # Errors
    /// [`Error::Random`] if the deviation is outside the sampler's range.
    pub fn generate(secret: &SecretKey, randomness: impl Into<Randomness>) -> Result<Self, Error> {
        Self::generate_reporting(secret, randomness, &no_progress)
    }

    /// As [`SeededBootstrapKey::generate`], with a step for each row.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn generate_reporting(
        secret: &SecretKey,
        randomness: impl Into<Randomness>,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        let randomness = randomness.into();
        match secret.params().torus_bits {
            32 => Self::generate_on::<u32>(secret, &randomness, progress),
            _ => Self::generate_on::<u64>(secret, &randomness, progress),
        }
    }

    fn generate_on<T: TorusWord>(
        secret: &SecretKey,
        randomness: &Randomness,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        let shape = Shape::new(secret.params());
        let error = gaussian(secret.params().glwe_log2_std_dev, T::BITS)?;
        let rows = shape.rows();
        let mut bodies = vec![0; secret.params().ggsws() * rows * shape.n];
        let (total, done) = (bodies.len() / shape.n, AtomicUsize::new(0));
        bodies.par_chunks_mut(shape.n).enumerate().try_for_each(|(i, body)| {
            let bit = encrypted_bit(secret, i / rows);
            let row = ggsw::encrypt_row::<T>(secret, &error, bit, randomness, (i / rows, i % rows));
            body.iter_mut().zip(&row).for_each(|(out, x)| *out = x.to_leading());
            report("generate", progress, done.fetch_add(1, Ordering::Relaxed) + 1, total)
        })?;
        Ok(Self { mask_seed: randomness.masks().clone(), bodies })
    }

    /// The key ready for use.
    pub fn prepare(&self, params: &Params) -> BootstrapKey {
        match params.torus_bits {
            32 => BootstrapKey(Box::new(Prepared::<u32>::new(self, params))),
            _ => BootstrapKey(Box::new(Prepared::<u64>::new(self, params))),
        }
    }
}

/// The bit that the GGSW ciphertext `index` of a bootstrapping key encrypts: one of the small secret; or for each two
/// bits, these and their product.
fn encrypted_bit(secret: &SecretKey, index: usize) -> i8 {
    let bits = secret.small();
    if secret.params().bits_per_step == 1 {
        return bits[index];
    }
    let (first, second) = (bits[index / 3 * 2], bits[index / 3 * 2 + 1]);
    match index % 3 {
        0 => first,
        1 => second,
        _ => first & second,
    }
}
