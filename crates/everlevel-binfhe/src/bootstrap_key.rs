//! Bootstrapping keys of either scheme: stored as a seed and bodies, and ready for use.

use everlevel_rlwe::{Lwe, Randomness};
use rayon::prelude::*;

use crate::blind_rotation::{BlindRotate, SeededBootstrapKey};
use crate::lut::Lut;
use crate::params::Literal;
use crate::{Error, Params, Progress, SecretKey, no_progress, ntru, tfhe};

impl SeededBootstrapKey {
    /// The key of a secret.
    ///
    /// # Errors
    /// [`Error::Random`] if a deviation is outside the sampler's range.
    pub fn generate(secret: &SecretKey, randomness: impl Into<Randomness>) -> Result<Self, Error> {
        Self::generate_reporting(secret, randomness, &no_progress)
    }

    /// [`SeededBootstrapKey::generate`] with reports of progress: a step for each row.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn generate_reporting(
        secret: &SecretKey,
        randomness: impl Into<Randomness>,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        let randomness = randomness.into();
        let bodies = match secret.params().literal() {
            Literal::Tfhe(params) => tfhe::bodies(params, secret, &randomness, progress)?,
            Literal::Limbs(params) => tfhe::bodies_over_limbs(params, secret, &randomness, progress)?,
            Literal::Ntru(params) => ntru::bodies(params, secret, &randomness, progress)?,
        };
        Ok(Self { mask_seed: randomness.masks().clone(), bodies })
    }

    /// The key ready for use.
    pub fn prepare(&self, params: &Params) -> BootstrapKey {
        BootstrapKey(match params.literal() {
            Literal::Tfhe(params) => tfhe::prepare(params, self),
            Literal::Limbs(params) => tfhe::prepare_over_limbs(params, self),
            Literal::Ntru(params) => ntru::prepare(params, self),
        })
    }
}

/// A bootstrapping key ready for use: transformed, on huge pages.
#[derive(Debug)]
pub struct BootstrapKey(Box<dyn BlindRotate>);

impl BootstrapKey {
    /// Bytes of the transformed key.
    pub fn nbytes(&self) -> usize {
        self.0.nbytes()
    }

    /// The stored key's bodies, where the key gives them back to the bit, as NTRU's does.
    pub(crate) fn bodies(&self) -> Option<Vec<u64>> {
        self.0.bodies()
    }

    /// Inputs that one pass over the key serves.
    pub fn batch_len(&self) -> usize {
        self.0.tile()
    }

    /// For each input, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each table of the
    /// input's [`Lut`], are returned.
    ///
    /// `inputs` are exponents modulo `2EN`, mask and then body. One pass over the key serves all of them that fit the
    /// second-level cache together; `threads` of the current rayon pool take equal parts.
    ///
    /// # Panics
    /// Unless there is one table for each input.
    pub fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        assert_eq!(inputs.len(), luts.len(), "one table for each input");
        let tile = self.0.tile().min(inputs.len().div_ceil(threads.max(1))).max(1);
        let alone = inputs.len() == 1;
        let work = |(inputs, luts): (&[Vec<u32>], &[&Lut])| self.0.rotate(inputs, luts, alone);
        if threads > 1 && !alone {
            inputs.par_chunks(tile).zip(luts.par_chunks(tile)).flat_map_iter(work).collect()
        } else {
            inputs.chunks(tile).zip(luts.chunks(tile)).flat_map(work).collect()
        }
    }
}
