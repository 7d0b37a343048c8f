//! Distributions of secrets, which caps and estimates are about.

use std::fmt;

/// The distribution of a secret's coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SecretDistribution {
    /// Every coefficient uniform in `{-1, 0, 1}`.
    Ternary,
    /// Exactly this many coefficients are ±1, at uniform places with uniform signs; the rest are zero.
    FixedWeight(usize),
    /// Every coefficient uniform in `{0, 1}`.
    Binary,
    /// Exactly this many coefficients are 1, at uniform places; the rest are zero.
    BinaryWeight(usize),
    /// One-hot blocks, so many and of equal length: one coefficient of each is 1, at a uniform place, and the rest are
    /// zero.
    OneHot(usize),
    /// Blocks, so many and of equal length, with at most one coefficient that is 1: as likely none as each of them.
    BlockBinary(usize),
}

impl fmt::Display for SecretDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ternary => f.write_str("dense ternary"),
            Self::FixedWeight(weight) => write!(f, "weight-{weight}"),
            Self::Binary => f.write_str("binary"),
            Self::BinaryWeight(weight) => write!(f, "binary weight-{weight}"),
            Self::OneHot(blocks) => write!(f, "one-hot {blocks}-block"),
            Self::BlockBinary(blocks) => write!(f, "block-binary {blocks}-block"),
        }
    }
}
