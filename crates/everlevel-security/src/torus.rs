//! The least standard deviation of errors over the torus: the counterpart of the caps for torus schemes, where the
//! modulus is a machine word and the noise is chosen.
//!
//! The line is the one that tfhe-rs publishes for 132 bits (`secure_noise.rs`, Gaussian errors, `q = 2^64`):
//! `σ² = 2^(4−128) + 2^(5.31469 − 0.0497829·n)`. The authors of tfhe-rs check sets on this line by the
//! lattice-estimator's direct primal attack and dual hybrid under MATZOV (`ci/lattice_estimator.sage`, estimator commit
//! 352ddaf). This crate gives 132 bits along the line, too, for that dual hybrid as it is counted there. Claims are
//! made with the number of samples that suits the attack best, and with two guesses for each bit that it enumerates:
//! by that count the line has fewer than 128 bits below 736 coefficients. There [`min_log2_std_dev`] is above it, on
//! `log2 σ = 3.48 − 0.02599·n`, where the attack costs 128. Security depends on `σ` as a part of the torus and hardly
//! on the word, so all this serves 32-bit words too, down to `MIN_STD_DEV_INT`.

use crate::estimate::{Attack, CostModel, Estimate, Lwe, cheapest, core_svp};
use crate::{Error, SecretDistribution};

/// Bits of security that the line is published with.
pub const LINE_BITS: f64 = 132.0;
/// Narrowest error, in units of the word's last place.
const MIN_STD_DEV_INT: f64 = 4.0;
/// Dimensions for which the line is taken to hold: those where it was fitted, and those beyond, where it is flat.
pub const DIMS: std::ops::RangeInclusive<usize> = 500..=1 << 17;

/// log2 of the smallest standard deviation that has 128 bits, as a part of the torus, for `dim` binary secret
/// coefficients and words of `torus_bits`; `None` for dimensions that the published line does not cover.
pub fn min_log2_std_dev(dim: usize, torus_bits: u32) -> Option<f64> {
    published_log2_std_dev(dim, torus_bits).map(|line| line.max(3.48 - 0.02599 * dim as f64))
}

/// The least standard deviation by the published line alone, whatever estimates say ([`min_log2_std_dev`]).
pub(crate) fn published_log2_std_dev(dim: usize, torus_bits: u32) -> Option<f64> {
    let floor = MIN_STD_DEV_INT.log2() - f64::from(torus_bits);
    let line = 0.5 * ((-124.0f64).exp2() + (5.314_69 - 0.049_782_9 * dim as f64).exp2()).log2();
    DIMS.contains(&dim).then(|| line.max(floor))
}

/// Structured and ternary secrets that are accepted: secret, dimension, and log2 of a standard deviation that has
/// 128 bits by this crate's estimates, and less than one more; the tests recompute each. One-hot blocks have 127.4 bits
/// at least: their deviations are those of sets that were published before the dual hybrid was counted without one
/// coefficient of each block.
pub const LINES: &[(SecretDistribution, usize, f64)] = &[
    (SecretDistribution::OneHot(112), 896, -14.12),
    (SecretDistribution::OneHot(128), 1024, -17.09),
    (SecretDistribution::BinaryWeight(80), 768, -13.98),
    (SecretDistribution::BlockBinary(192), 768, -14.88),
    (SecretDistribution::BlockBinary(208), 832, -16.56),
    (SecretDistribution::BlockBinary(224), 896, -18.24),
    (SecretDistribution::BlockBinary(240), 960, -19.89),
    (SecretDistribution::BlockBinary(256), 1024, -21.57),
    (SecretDistribution::Ternary, 576, -13.09),
    (SecretDistribution::Ternary, 608, -13.97),
];

/// log2 of the smallest standard deviation that has 128 bits, as a part of the torus, for words of `torus_bits`:
/// [`min_log2_std_dev`] for binary secrets, and for others a row of [`LINES`]; `None` where there is none.
pub fn min_log2_std_dev_of(secret: SecretDistribution, dim: usize, torus_bits: u32) -> Option<f64> {
    line_of(secret, dim, torus_bits, min_log2_std_dev)
}

/// The least standard deviation for binary secrets by the published line alone, by which keys of earlier versions were
/// made; for other secrets that of [`min_log2_std_dev_of`].
pub fn published_log2_std_dev_of(secret: SecretDistribution, dim: usize, torus_bits: u32) -> Option<f64> {
    line_of(secret, dim, torus_bits, published_log2_std_dev)
}

fn line_of(
    secret: SecretDistribution,
    dim: usize,
    torus_bits: u32,
    binary: fn(usize, u32) -> Option<f64>,
) -> Option<f64> {
    if secret == SecretDistribution::Binary {
        return binary(dim, torus_bits);
    }
    let row = LINES.iter().find(|row| (row.0, row.1) == (secret, dim))?;
    Some(row.2.max(MIN_STD_DEV_INT.log2() - f64::from(torus_bits)))
}

/// The cheapest attack on `dim` coefficients of a secret with an error of `2^log2_std_dev` of the torus, under MATZOV;
/// `None` if none is within reach.
///
/// # Errors
/// [`Error::BadInstance`] outside the dimensions of [`Lwe::with_dim`], or for an error wider than the torus.
pub fn estimate_of(secret: SecretDistribution, dim: usize, log2_std_dev: f64) -> Result<Option<Estimate>, Error> {
    let lwe = Lwe::with_dim(dim, 64.0, secret, (64.0 + log2_std_dev).exp2())?;
    Ok(cheapest(&lwe, CostModel::Matzov))
}

/// The core-SVP count ([`core_svp`]) of the instance of [`estimate_of`], in bits.
///
/// # Errors
/// As [`estimate_of`].
pub fn core_svp_of(secret: SecretDistribution, dim: usize, log2_std_dev: f64) -> Result<Option<f64>, Error> {
    Ok(core_svp(&Lwe::with_dim(dim, 64.0, secret, (64.0 + log2_std_dev).exp2())?))
}

/// The cheapest attack on `dim` binary coefficients with an error of `2^log2_std_dev` of the torus, under MATZOV;
/// `None` if none is within reach.
///
/// # Errors
/// [`Error::BadInstance`] outside the dimensions of [`Lwe::with_dim`], or for an error wider than the torus.
pub fn estimate(dim: usize, log2_std_dev: f64) -> Result<Option<Estimate>, Error> {
    estimate_of(SecretDistribution::Binary, dim, log2_std_dev)
}

/// log2 of the cost of the direct primal attack alone on the instance of [`estimate`], known in microseconds.
///
/// # Errors
/// As [`estimate`].
pub fn direct_estimate(dim: usize, log2_std_dev: f64) -> Result<Option<f64>, Error> {
    let lwe = Lwe::with_dim(dim, 64.0, SecretDistribution::Binary, (64.0 + log2_std_dev).exp2())?;
    Ok(crate::estimate::estimate(&lwe, Attack::Usvp, CostModel::Matzov).map(|found| found.log2_cost))
}
