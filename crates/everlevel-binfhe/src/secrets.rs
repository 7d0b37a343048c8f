//! The structure of a key's two secrets: how coefficients are drawn, how many of them, and which both have in common;
//! what switches and estimates know of it.

use everlevel_rand::{Stream, sampler};
use everlevel_security::SecretDistribution;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::Error;
use crate::common::refuse;

/// Both secrets of a key. The large one is the coefficients of polynomials, of which all may be drawn or only the first
/// (*partial*; ePrint 2023/979); the small one may begin with coefficients of the large one (*shared*). What is not
/// drawn is zero, and counts neither for noise nor for security.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// The distribution of the small secret's own coefficients.
    pub small: SmallSecret,
    /// Coefficients of the large secret that are drawn, the first ones; `None` stands for all.
    pub drawn: Option<usize>,
    /// Coefficients that both secrets begin with.
    pub shared: usize,
}

impl Secrets {
    /// Whether all coefficients are drawn, each by itself: the usual secrets.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Assumptions on these secrets besides the field's usual ones.
    pub(crate) fn assumptions(self) -> impl Iterator<Item = &'static str> {
        let small = match self.small {
            SmallSecret::Binary | SmallSecret::Ternary => None,
            SmallSecret::OneHot { .. } => Some("small secrets with a single one in each block"),
            SmallSecret::Blocks { .. } => Some("small secrets with at most a single one in each block"),
            SmallSecret::Sparse { .. } => Some("small secrets with few ones"),
        };
        let partial = self.drawn.map(|_| "large secrets that end with zeros (partial)");
        let shared = (self.shared > 0).then_some("small secrets that begin as the large one does (shared)");
        [small, partial, shared].into_iter().flatten()
    }

    /// Refuses what no secrets of so many coefficients have.
    pub(crate) fn check(self, small_dim: usize, coefficients: usize) -> Result<(), Error> {
        let drawn = self.drawn.unwrap_or(coefficients);
        if !(1..=coefficients).contains(&drawn) {
            return refuse("secrets.drawn", drawn, format!("1 to {coefficients}, the large secret's coefficients"));
        }
        if self.shared > small_dim {
            return refuse("secrets.shared", self.shared, format!("0 to {small_dim}, which is lwe_dim"));
        }
        if self.shared > 0 && self.small != SmallSecret::Binary {
            return refuse("secrets.shared", self.shared, "0 where the small secret has blocks");
        }
        if self.shared >= drawn {
            return refuse("secrets.shared", self.shared, format!("less than the {drawn} drawn coefficients"));
        }
        Ok(())
    }
}

/// The distribution of the small secret's coefficients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SmallSecret {
    /// Every coefficient uniform in `{0, 1}`.
    #[default]
    Binary,
    /// Every coefficient uniform in `{-1, 0, 1}`.
    Ternary,
    /// A one at a uniform place of each `block` coefficients, and zeros elsewhere.
    OneHot {
        /// Coefficients of a block.
        block: usize,
    },
    /// At most a one in each `block` coefficients: as likely none as each of them (*block-binary*; Lee, Min, Seo and
    /// Song, AsiaCCS 2023).
    Blocks {
        /// Coefficients of a block.
        block: usize,
    },
    /// Ones at uniform places, so many of them, and zeros elsewhere.
    Sparse {
        /// The number of ones.
        weight: usize,
    },
}

impl SmallSecret {
    /// The distribution as estimates name it.
    pub fn distribution(self, dim: usize) -> SecretDistribution {
        match self {
            Self::Binary => SecretDistribution::Binary,
            Self::Ternary => SecretDistribution::Ternary,
            Self::OneHot { block } => SecretDistribution::OneHot(dim / block),
            Self::Blocks { block } => SecretDistribution::BlockBinary(dim / block),
            Self::Sparse { weight } => SecretDistribution::BinaryWeight(weight),
        }
    }

    /// Refuses what no secret of `dim` coefficients has.
    pub(crate) fn check(self, dim: usize) -> Result<(), Error> {
        match self {
            Self::OneHot { block } | Self::Blocks { block } if block < 2 || !dim.is_multiple_of(block) => {
                refuse("block", block, format!("2 or more, and a divisor of lwe_dim = {dim}"))
            }
            Self::Sparse { weight } if !(1..=dim / 2).contains(&weight) => {
                refuse("weight", weight, format!("1 to {}, half of lwe_dim", dim / 2))
            }
            _ => Ok(()),
        }
    }

    /// A secret from a stream of its own.
    pub(crate) fn sample(self, stream: &mut Stream, dim: usize) -> Vec<i8> {
        let mut coeffs = vec![0; dim];
        match self {
            Self::Binary => sampler::binary(stream, &mut coeffs),
            Self::Ternary => sampler::ternary(stream, &mut coeffs),
            Self::OneHot { block } => sampler::one_hot(stream, &mut coeffs, block),
            Self::Blocks { block } => {
                // The last place of each is that of none.
                let mut places = Zeroizing::new(vec![0; dim / block * (block + 1)]);
                sampler::one_hot(stream, &mut places, block + 1);
                let blocks = coeffs.chunks_exact_mut(block).zip(places.chunks_exact(block + 1));
                blocks.for_each(|(out, place)| out.copy_from_slice(&place[..block]));
            }
            Self::Sparse { weight } => {
                sampler::binary_weight(stream, &mut coeffs, weight).expect("checked parameters");
            }
        }
        coeffs
    }

    /// The mean of a coefficient, as a numerator and a denominator.
    pub(crate) fn mean(self, dim: usize) -> (u32, u32) {
        match self {
            Self::Binary => (1, 2),
            Self::Ternary => (0, 1),
            Self::OneHot { block } => (1, block as u32),
            Self::Blocks { block } => (1, block as u32 + 1),
            Self::Sparse { weight } => (weight as u32, dim as u32),
        }
    }

    /// `Σ (s_i − µ)²` over the coefficients and their mean: what a sum of independent roundings times the secret has as
    /// variance, in those of one, after its mean is corrected.
    pub fn centred_square(self, dim: usize) -> f64 {
        let (numerator, denominator) = self.mean(dim);
        let mean = f64::from(numerator) / f64::from(denominator);
        let square = if self == Self::Ternary { 2.0 / 3.0 } else { mean };
        dim as f64 * (square - mean * mean)
    }
}
