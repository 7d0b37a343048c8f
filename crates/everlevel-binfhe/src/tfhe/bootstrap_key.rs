//! The bootstrapping key: GGSW encryptions of the small secret's bits under the large one.

use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_math::fft::Together;
use everlevel_ring::{TorusWord, report};
use everlevel_rlwe::Randomness;
use rayon::prelude::*;

use super::ggsw::{self, Shape};
use crate::common::gaussian;
use crate::secret::SecretKey;
use crate::{Error, ParamsLiteral, Progress};

/// The bodies of the key's rows, as leading bits: for each GGSW ciphertext and each row, `N` words.
pub(super) fn bodies<T: TorusWord>(
    params: &ParamsLiteral,
    secret: &SecretKey,
    randomness: &Randomness,
    progress: Progress<'_>,
) -> Result<Vec<u64>, Error> {
    let shape = Shape::new(params);
    let error = gaussian(params.glwe_log2_std_dev, T::BITS)?;
    let rows = shape.rows();
    let mut bodies = vec![0; params.ggsws() * rows * shape.n];
    let (total, done) = (bodies.len() / shape.n, AtomicUsize::new(0));
    bodies.par_chunks_mut(shape.n).enumerate().try_for_each(|(i, body)| {
        let bit = encrypted_bit(params, secret.small(), i / rows);
        let row = ggsw::encrypt_row::<T>((shape, secret), &error, bit, randomness, (i / rows, i % rows));
        body.iter_mut().zip(&row).for_each(|(out, x)| *out = x.to_leading());
        report("generate", progress, done.fetch_add(1, Ordering::Relaxed) + 1, total)
    })?;
    Ok(bodies)
}

/// The bit that the GGSW ciphertext `index` of a bootstrapping key encrypts: one of the small secret; or for each pair,
/// its bits and their product.
fn encrypted_bit(params: &ParamsLiteral, bits: &[i8], index: usize) -> i8 {
    if params.together() != Some(Together::Pair) {
        return bits[index];
    }
    let (first, second) = (bits[index / 3 * 2], bits[index / 3 * 2 + 1]);
    match index % 3 {
        0 => first,
        1 => second,
        _ => first & second,
    }
}
