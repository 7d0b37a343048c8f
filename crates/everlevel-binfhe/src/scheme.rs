//! The interface that schemes' literals implement: their numbers, and how secrets are drawn.

use std::fmt::Debug;

use everlevel_rand::Stream;

use crate::common::Common;
use crate::over_keys::OverKeys;
use crate::{Error, SmallSecret};

/// A scheme's numbers.
pub(crate) trait Scheme: Debug {
    /// The numbers that gates, tables and switches know.
    fn common(&self) -> Common;

    /// Refuses numbers that the scheme's own part can't have.
    fn check(&self) -> Result<(), Error>;

    /// Bits of the words of samples under the large secret.
    fn sample_bits(&self) -> u32;

    /// The variance that a blind rotation adds, as a part of the torus squared, over keys: products with the errors of
    /// the bootstrapping key, and what secrets multiply.
    fn rotation_noise(&self) -> (OverKeys, OverKeys);

    /// The variance of products with the secrets of one key, small and large.
    fn rotation_noise_of(&self, small: &[i8], big: &[i8]) -> f64;

    /// Mean square of the large secret's coefficients.
    fn secret_square(&self) -> f64;

    /// The distribution of the large secret's coefficients that are drawn.
    fn secret_distribution(&self) -> SmallSecret;

    /// Transforms of one step of a blind rotation, forward and inverse.
    fn transforms(&self) -> usize;

    /// Transforms of a whole blind rotation, forward and inverse, on average over exponents.
    fn rotation_transforms(&self) -> f64;

    /// The small secret's coefficients, all of them, from a stream of their own.
    fn sample_small_secret(&self, stream: &mut Stream) -> Vec<i8> {
        let common = self.common();
        common.secrets.small.sample(stream, common.lwe_dim)
    }

    /// The large secret's coefficients, those that are zero among them, from a stream of their own.
    fn sample_secret(&self, stream: &mut Stream) -> Vec<i8>;

    /// Polynomials of degree `N` that a stored bootstrapping key has.
    fn body_count(&self) -> usize;

    /// Bits of these polynomials' words in memory: 32, the leading ones, or 64.
    fn body_bits(&self) -> u32;

    /// Bits of these polynomials' words in files: those that may be other than zero.
    fn stored_bits(&self) -> u32 {
        self.body_bits()
    }

    /// The word that a stored one must be below, of fewer bits than [`Scheme::body_bits`].
    fn stored_limit(&self) -> u64 {
        1 << self.stored_bits().min(63)
    }

    /// Bytes of a bootstrapping key that is ready for use.
    fn prepared_nbytes(&self) -> usize;
}
