//! An instance of LWE, as attacks see it.

use std::f64::consts::LN_2;

use crate::{Error, SecretDistribution};

/// An LWE instance under attack; ring LWE of degree `N` is LWE of dimension `N`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lwe {
    dim: usize,
    log2_q: f64,
    pub(crate) secret: SecretDistribution,
    pub(crate) std_dev_int: f64,
}

impl Lwe {
    /// Ring degree `2^log_n`, modulus `2^log2_q` (key-switching primes included), error deviation `std_dev_int`.
    ///
    /// # Errors
    /// As [`Lwe::with_dim`].
    pub fn new(log_n: u32, log2_q: f64, secret: SecretDistribution, std_dev_int: f64) -> Result<Self, Error> {
        Self::with_dim(1 << log_n.min(31), log2_q, secret, std_dev_int)
    }

    /// Dimension `dim`: the mask length of LWE, or rank times degree of GLWE.
    ///
    /// # Errors
    /// [`Error::BadInstance`] unless `dim` is `2^6` to `2^20`, the weight 1 to `dim`, blocks two or more whole
    /// coordinates long, modulus and error finite and positive in log2 and value, and the error narrower than the
    /// modulus.
    pub fn with_dim(dim: usize, log2_q: f64, secret: SecretDistribution, std_dev_int: f64) -> Result<Self, Error> {
        let lwe = Self { dim, log2_q, secret, std_dev_int };
        let sound = (1 << 6..=1 << 20).contains(&dim)
            && (1.0..=lwe.n()).contains(&lwe.weight())
            && lwe.block_len().is_none_or(|len| len >= 2.0 && len.fract() == 0.0)
            && lwe.open_block_len().is_none_or(|len| len >= 1.0 && len.fract() == 0.0)
            && std_dev_int > 0.0
            && log2_q.is_finite()
            && std_dev_int.log2() < log2_q;
        if sound { Ok(lwe) } else { Err(Error::BadInstance { dim, log2_q, secret, std_dev_int }) }
    }

    pub(crate) fn n(&self) -> f64 {
        self.dim as f64
    }

    /// Expected number of nonzero coefficients.
    pub(crate) fn weight(&self) -> f64 {
        use SecretDistribution::{Binary, BinaryWeight, BlockBinary, FixedWeight, OneHot, Ternary};
        match self.secret {
            Ternary => (2.0 * self.n() / 3.0).round(),
            BlockBinary(blocks) => blocks as f64 * self.n() / (self.n() + blocks as f64),
            FixedWeight(weight) | BinaryWeight(weight) | OneHot(weight) => weight as f64,
            Binary => (self.n() / 2.0).round(),
        }
    }

    /// Standard deviation of one coefficient; of one dimension of [`Rest`], for one-hot blocks. Coefficients 0 and 1
    /// are taken around their mean, which the attacker may subtract. Of blocks that may be empty, of `ℓ` coefficients,
    /// it is the geometric mean along the axes of their covariance `1/(ℓ+1) − 1/(ℓ+1)²`: `(ℓ+1)^(−(ℓ+1)/2ℓ)`, which an
    /// attacker has after scaling.
    pub(crate) fn secret_std_dev(&self) -> f64 {
        use SecretDistribution::{Binary, BinaryWeight, BlockBinary, FixedWeight, OneHot, Ternary};
        let density = self.weight() / self.n();
        match self.secret {
            Binary => 0.5,
            Ternary | FixedWeight(_) | OneHot(_) => density.sqrt(),
            BinaryWeight(_) => (density * (1.0 - density)).sqrt(),
            BlockBinary(blocks) => {
                let len = self.n() / blocks as f64;
                (len + 1.0).powf(-(len + 1.0) / (2.0 * len))
            }
        }
    }

    /// log2 of the values that each of many coefficients has on average, where all choices of them are as likely, or
    /// all likely ones.
    pub(crate) fn log2_values(&self) -> Option<f64> {
        use SecretDistribution::{Binary, BinaryWeight, BlockBinary, FixedWeight, OneHot, Ternary};
        let density = self.weight() / self.n();
        match self.secret {
            Binary => Some(1.0),
            BlockBinary(blocks) => Some((self.n() / blocks as f64 + 1.0).log2() * blocks as f64 / self.n()),
            Ternary => Some(3f64.log2()),
            OneHot(_) => Some(-density * density.log2()),
            BinaryWeight(_) if density < 1.0 => {
                Some(-density * density.log2() - (1.0 - density) * (1.0 - density).log2())
            }
            BinaryWeight(_) => Some(0.0),
            FixedWeight(_) => None,
        }
    }

    /// log2 of the values that a nonzero coefficient may have.
    pub(crate) fn log2_signs(&self) -> f64 {
        use SecretDistribution::{Binary, BinaryWeight, BlockBinary, FixedWeight, OneHot, Ternary};
        match self.secret {
            Binary | BinaryWeight(_) | OneHot(_) | BlockBinary(_) => 0.0,
            Ternary | FixedWeight(_) => 1.0,
        }
    }

    /// The length of a block that may be empty.
    fn open_block_len(&self) -> Option<f64> {
        if let SecretDistribution::BlockBinary(blocks) = self.secret { Some(self.n() / blocks as f64) } else { None }
    }

    /// The instance with one-hot blocks, where blocks may be empty: one coefficient more for each block, which is 1
    /// where all others are 0. Its mask is any public word, subtracted from the masks of its block and from the body.
    pub(crate) fn with_full_blocks(&self) -> Option<Self> {
        let SecretDistribution::BlockBinary(blocks) = self.secret else { return None };
        Some(Self { dim: self.dim + blocks, secret: SecretDistribution::OneHot(blocks), ..*self })
    }

    /// The instance with blocks that may be empty, where they are one-hot: a block's last coefficient is 1 less the sum
    /// of its others, so that its mask is subtracted from theirs and, with the constant, from the body.
    pub(crate) fn with_open_blocks(&self) -> Option<Self> {
        let SecretDistribution::OneHot(blocks) = self.secret else { return None };
        Some(Self { dim: self.dim - blocks, secret: SecretDistribution::BlockBinary(blocks), ..*self })
    }

    pub(crate) fn ln_q(&self) -> f64 {
        self.log2_q * LN_2
    }

    pub(crate) fn ln_std_dev(&self) -> f64 {
        self.std_dev_int.ln()
    }

    /// ln of the scaling `ξ` that makes the secret as long as the error.
    pub(crate) fn ln_xi(&self) -> f64 {
        (self.std_dev_int / self.secret_std_dev()).ln().max(0.0)
    }
}
