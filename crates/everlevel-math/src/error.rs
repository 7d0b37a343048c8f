//! The errors of moduli and of transforms' sizes.

/// A modulus or a size that has no arithmetic here.
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
    /// Size of the complex transform outside the supported range.
    #[error("fft: n = {n} is not a power of two in 2^8..=2^16")]
    BadFftSize {
        /// The rejected size.
        n: usize,
    },
    /// Base of limbs outside the supported range.
    #[error("base2k: limbs have 2 to 62 bits, not {log2_base}")]
    BadBase {
        /// log2 of the rejected base.
        log2_base: u32,
    },
    /// Digits that residues don't have, or whose sums of products are not exact on floats.
    #[error(
        "small ntt: {digits} digits of {log2_base} bits above {dropped} of residues modulo {q} have no exact products"
    )]
    BadGadget {
        /// The modulus.
        q: u64,
        /// log2 of the digits' base.
        log2_base: u32,
        /// The number of digits.
        digits: u32,
        /// Bits below the digits.
        dropped: u32,
    },
    /// Modulus or size outside the range of a transform on floats.
    #[error("small ntt: modulus {q} with log_n = {log_n}: these floats hold moduli below 2^{bits}, log_n is in 4..=11")]
    BadSmallNtt {
        /// The rejected modulus.
        q: u64,
        /// The rejected size.
        log_n: u32,
        /// Bits of the largest modulus.
        bits: u32,
    },
}
