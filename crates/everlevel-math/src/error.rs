/// What can be wrong with a modulus, a prime search or a transform size.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The modulus is not an odd prime below `2^48`.
    #[error("modulus: {q} is not an odd prime below 2^48; take one from `primes`")]
    BadModulus {
        /// The rejected modulus.
        q: u64,
    },
    /// `q ≢ 1 (mod 2n)`, so there is no primitive 2n-th root of unity.
    #[error(
        "ntt: modulus {q} is not 1 modulo 2^{log_two_n}, so it has no root of that order; take one from `primes::ntt_primes`"
    )]
    NoRoot {
        /// The modulus.
        q: u64,
        /// log2 of the root's order.
        log_two_n: u32,
    },
    /// Transform size outside the supported range.
    #[error("ntt: log_n = {log_n} is outside 3..=17")]
    BadSize {
        /// The rejected size.
        log_n: u32,
    },
}
