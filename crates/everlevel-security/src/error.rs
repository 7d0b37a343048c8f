//! Errors of this crate: why a ring and a modulus are not accepted as secure, or can't be estimated.

use crate::SecretDistribution;

/// Why a pair of ring and modulus is not accepted as 128-bit secure.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The modulus is above the cap of the table, or not a number.
    #[error(
        "check: log2(QP) = {log2_qp:.1} is above {max_log2_qp:.1}, the 128-bit cap for N = 2^{log_n} and a {secret} \
         secret; drop primes, take a larger ring, or spell out `insecure`"
    )]
    ModulusTooLarge {
        /// log2 of the ring degree.
        log_n: u32,
        /// Distribution of the secret.
        secret: SecretDistribution,
        /// The rejected log2 of the modulus.
        log2_qp: f64,
        /// The largest accepted one.
        max_log2_qp: f64,
    },
    /// The table has no row for this ring and secret, so nothing is claimed about it.
    #[error(
        "check: no 128-bit cap is listed for N = 2^{log_n} and a {secret} secret, so log2(QP) = {log2_qp:.1} is \
         unjudged; take a pair listed in `caps::CAPS`, or spell out `insecure`"
    )]
    NoCap {
        /// log2 of the ring degree.
        log_n: u32,
        /// Distribution of the secret.
        secret: SecretDistribution,
        /// The log2 of the modulus that was asked for.
        log2_qp: f64,
    },
    /// The estimator can't judge these numbers.
    #[error(
        "estimate: dimension {dim}, log2(q) = {log2_q:.1}, {secret} secret, error deviation {std_dev_int} is no LWE \
         instance; needs a dimension in 2^6..=2^20, a weight up to it, blocks of equal length and 0 < deviation < q"
    )]
    BadInstance {
        /// Dimension of the secret: the ring degree of ring LWE.
        dim: usize,
        /// log2 of the modulus.
        log2_q: f64,
        /// Distribution of the secret.
        secret: SecretDistribution,
        /// Standard deviation of the error.
        std_dev_int: f64,
    },
    /// The estimator can't judge this NTRU instance.
    #[error(
        "estimate: degree 2^{log_n}, log2(Q) = {log2_q:.1}, deviations {f_std_dev} and {g_std_dev}, {samples} samples \
         are no NTRU instance; needs a degree in 2^7..=2^15, at least one sample and 0 < deviations < Q"
    )]
    BadNtru {
        /// log2 of the ring degree.
        log_n: u32,
        /// log2 of the modulus.
        log2_q: f64,
        /// Standard deviation of a coefficient of `f`.
        f_std_dev: f64,
        /// Standard deviation of a coefficient of `g`.
        g_std_dev: f64,
        /// Number of samples `g/f`.
        samples: usize,
    },
}
