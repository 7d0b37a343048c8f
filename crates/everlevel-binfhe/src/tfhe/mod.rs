//! TFHE's bootstrapping key and blind rotation: GGSW encryptions of the small secret's bits, and products with them.

mod bootstrap_key;
mod bootstraps;
mod ggsw;
mod key_noise;
mod limb_params;
mod limbs;
mod params;
mod rotation;

use everlevel_rlwe::Randomness;

use crate::blind_rotation::{BlindRotate, BlindRotation, SeededBootstrapKey};
use crate::{Error, Progress, SecretKey};

pub use limb_params::LimbsLiteral;
pub use params::ParamsLiteral;

/// The bodies of a key's rows, as leading bits.
pub(crate) fn bodies(
    params: &ParamsLiteral,
    secret: &SecretKey,
    randomness: &Randomness,
    progress: Progress<'_>,
) -> Result<Vec<u64>, Error> {
    match params.torus_bits {
        32 => bootstrap_key::bodies::<u32>(params, secret, randomness, progress),
        _ => bootstrap_key::bodies::<u64>(params, secret, randomness, progress),
    }
}

/// A stored key made ready for use.
pub(crate) fn prepare(params: &ParamsLiteral, stored: &SeededBootstrapKey) -> Box<dyn BlindRotate> {
    match params.torus_bits {
        32 => Box::new(BlindRotation::from(rotation::Prepared::<u32>::new(stored, params))),
        _ => Box::new(BlindRotation::from(rotation::Prepared::<u64>::new(stored, params))),
    }
}

/// The bodies of a key's rows over limbs, as leading bits.
pub(crate) fn bodies_over_limbs(
    params: &LimbsLiteral,
    secret: &SecretKey,
    randomness: &Randomness,
    progress: Progress<'_>,
) -> Result<Vec<u64>, Error> {
    limbs::bodies(params, secret, randomness, progress)
}

/// A stored key over limbs made ready for use.
pub(crate) fn prepare_over_limbs(params: &LimbsLiteral, stored: &SeededBootstrapKey) -> Box<dyn BlindRotate> {
    Box::new(BlindRotation::from(limbs::LimbRotation::new(stored, params)))
}
