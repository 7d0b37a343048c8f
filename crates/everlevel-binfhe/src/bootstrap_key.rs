//! The bootstrapping key: GGSW encryptions of the small secret's bits under the large one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_rand::{Domain, Seed};
use rayon::prelude::*;

use crate::blind_rotation::Prepared;
use crate::ggsw::{self, Shape};
use crate::lut::Lut;
use crate::params::Params;
use crate::secret::{SecretKey, gaussian};
use crate::torus::Torus;
use crate::{Error, Lwe, Progress};

/// A bootstrapping key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededBootstrapKey {
    /// The masks' seed.
    pub mask_seed: Seed,
    /// For each GGSW ciphertext and each row, `N` leading bits.
    pub bodies: Vec<u64>,
}

impl SeededBootstrapKey {
    /// The key of a secret; `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`Error::Random`] if the deviation is outside the sampler's range.
    pub fn generate(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        Self::generate_reporting(secret, seed, &|_, _| ControlFlow::Continue(()))
    }

    /// As [`SeededBootstrapKey::generate`], with a step for each row.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn generate_reporting(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        match secret.params().torus_bits {
            32 => Self::generate_on::<u32>(secret, seed, progress),
            _ => Self::generate_on::<u64>(secret, seed, progress),
        }
    }

    fn generate_on<T: Torus>(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        let shape = Shape::new(secret.params());
        let error = gaussian(secret.params().glwe_log2_std_dev, T::BITS)?;
        let mask_seed = seed.derive(Domain::Mask, 0);
        let rows = shape.rows();
        let mut bodies = vec![0; secret.params().ggsws() * rows * shape.n];
        let (total, done) = (bodies.len() / shape.n, AtomicUsize::new(0));
        bodies.par_chunks_mut(shape.n).enumerate().try_for_each(|(i, body)| {
            let row = ggsw::encrypt_row::<T>(
                secret,
                &error,
                encrypted_bit(secret, i / rows),
                (seed, &mask_seed),
                (i / rows, i % rows),
            );
            body.copy_from_slice(&row);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            match progress(done, total) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Error::Cancelled { op: "generate", done, total }),
            }
        })?;
        Ok(Self { mask_seed, bodies })
    }

    /// The key ready for use.
    pub fn prepare(&self, params: &Params) -> BootstrapKey {
        match params.torus_bits {
            32 => BootstrapKey(Words::Bits32(Prepared::new(self, params))),
            _ => BootstrapKey(Words::Bits64(Prepared::new(self, params))),
        }
    }
}

/// What the GGSW ciphertext `index` of a bootstrapping key encrypts: a bit of the small secret; or for each two bits,
/// these and their product.
fn encrypted_bit(secret: &SecretKey, index: usize) -> u8 {
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

/// A bootstrapping key ready for use: transformed, on huge pages.
#[derive(Debug)]
pub struct BootstrapKey(Words);

#[derive(Debug)]
enum Words {
    Bits32(Prepared<u32>),
    Bits64(Prepared<u64>),
}

impl BootstrapKey {
    /// Bytes of the transformed key.
    pub fn nbytes(&self) -> usize {
        match &self.0 {
            Words::Bits32(key) => key.nbytes(),
            Words::Bits64(key) => key.nbytes(),
        }
    }

    /// Inputs that one pass over the key serves.
    pub fn batch_len(&self) -> usize {
        match &self.0 {
            Words::Bits32(key) => key.tile(),
            Words::Bits64(key) => key.tile(),
        }
    }

    /// For each input, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each table of the
    /// input's [`Lut`], are returned.
    ///
    /// `inputs` are exponents modulo `2EN`, mask and then body. One pass over the key serves all of them that fit the
    /// second-level cache together; `threads` of the current rayon pool take equal parts.
    pub fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        assert_eq!(inputs.len(), luts.len(), "one table for each input");
        match &self.0 {
            Words::Bits32(key) => key.blind_rotate(inputs, luts, threads),
            Words::Bits64(key) => key.blind_rotate(inputs, luts, threads),
        }
    }
}
