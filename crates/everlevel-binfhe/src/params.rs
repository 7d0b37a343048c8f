//! Parameters: unchecked literals of each scheme ([`Literal`]) and the validated parameters that are made of them
//! ([`Params`]). They are numbers only; tables and keys are made from them elsewhere.

use everlevel_objects::{Fingerprints, fnv1a};
use everlevel_security::torus;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::common::{Common, Line, Order};
use crate::limits::{Limits, Parts};
use crate::noise::{self, Noise};
use crate::ntru::NtruLiteral;
use crate::scheme::Scheme;
use crate::secrets::Secrets;
use crate::tfhe::{LimbsLiteral, ParamsLiteral};

/// The unchecked parameters of a scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// NTRU's.
    Ntru(NtruLiteral),
    /// TFHE's over limbs.
    Limbs(LimbsLiteral),
    /// TFHE's.
    Tfhe(ParamsLiteral),
}

impl Literal {
    /// TFHE's numbers, if these are TFHE's on words.
    pub fn tfhe(self) -> Option<ParamsLiteral> {
        match self {
            Self::Tfhe(literal) => Some(literal),
            Self::Ntru(_) | Self::Limbs(_) => None,
        }
    }

    /// TFHE's numbers over limbs, if these are such.
    pub fn limbs(self) -> Option<LimbsLiteral> {
        match self {
            Self::Limbs(literal) => Some(literal),
            Self::Ntru(_) | Self::Tfhe(_) => None,
        }
    }

    /// NTRU's numbers, if these are NTRU's.
    pub fn ntru(self) -> Option<NtruLiteral> {
        match self {
            Self::Ntru(literal) => Some(literal),
            Self::Limbs(_) | Self::Tfhe(_) => None,
        }
    }

    /// Whether these are NTRU's numbers.
    pub(crate) fn is_ntru(&self) -> bool {
        matches!(self, Self::Ntru(_))
    }

    /// The scheme's interface, behind which schemes differ.
    pub(crate) fn scheme(&self) -> &dyn Scheme {
        match self {
            Self::Ntru(literal) => literal,
            Self::Limbs(literal) => literal,
            Self::Tfhe(literal) => literal,
        }
    }

    /// The fingerprints that files may have: that of version 2 is of the literal.
    pub(crate) fn fingerprints(&self) -> Fingerprints {
        let scheme = match self {
            Self::Ntru(_) => "ntru",
            Self::Tfhe(_) => "tfhe",
            Self::Limbs(_) => "tfhe over limbs",
        };
        Fingerprints::new(self.fingerprint(), scheme, self)
    }

    /// The fingerprint that keys and ciphertexts have: of version 1, FNV-1a of every number.
    pub(crate) fn fingerprint(&self) -> u64 {
        // The text has the names that fields had when the first keys were written, and none for what all secrets were
        // then.
        let usual = format!(", secrets: {:?}", Secrets::default());
        let text = format!("{:?}", self.scheme())
            .replace(&usual, "")
            .replace(", landings: []", "")
            .replace("WordGadget { log2_base", "Gadget { base_log2")
            .replace("squared_norm", "norm2");
        fnv1a(text.bytes())
    }
}

impl From<ParamsLiteral> for Literal {
    fn from(literal: ParamsLiteral) -> Self {
        Self::Tfhe(literal)
    }
}

impl From<LimbsLiteral> for Literal {
    fn from(literal: LimbsLiteral) -> Self {
        Self::Limbs(literal)
    }
}

impl From<NtruLiteral> for Literal {
    fn from(literal: NtruLiteral) -> Self {
        Self::Ntru(literal)
    }
}

/// Validated parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    literal: Literal,
    common: Common,
    parts: Parts,
    limits: Limits,
    noise: Noise,
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        Self::try_from(Literal::Tfhe(literal))
    }
}

impl TryFrom<NtruLiteral> for Params {
    type Error = Error;

    fn try_from(literal: NtruLiteral) -> Result<Self, Error> {
        Self::try_from(Literal::Ntru(literal))
    }
}

impl TryFrom<Literal> for Params {
    type Error = Error;

    fn try_from(literal: Literal) -> Result<Self, Error> {
        let params = Self::above(literal, torus::min_log2_std_dev_of)?;
        let (log2_p_fail, max_log2_p_fail) = (params.log2_p_fail(params.squared_norm), params.max_log2_p_fail);
        // Limits are found by halving.
        if log2_p_fail > max_log2_p_fail + 1e-6 {
            return Err(Error::FailureTooLikely { log2_p_fail, max_log2_p_fail });
        }
        Ok(params)
    }
}

impl Params {
    /// The parameters of keys that exist: those made by earlier versions have the published line's noise, and hold
    /// their probability of failure on average over keys.
    pub(crate) fn of_keys(literal: Literal) -> Result<Self, Error> {
        Self::above(literal, torus::published_log2_std_dev_of)
    }

    /// Validated parameters, with noise above a security line.
    fn above(literal: Literal, line: Line) -> Result<Self, Error> {
        let scheme = literal.scheme();
        scheme.check()?;
        let common = scheme.common();
        common.check(scheme.sample_bits(), line)?;
        let parts = Parts::new(scheme, &common);
        let mean = parts.mean(&common);
        let (margin_torus, max_log2_p_fail) = (common.margin_torus(), common.max_log2_p_fail);
        let log2_p_fail = noise::log2_p_fail(margin_torus, mean.at_table(common.squared_norm * mean.bootstrapped));
        if log2_p_fail.is_nan() || max_log2_p_fail.is_nan() || log2_p_fail > max_log2_p_fail {
            return Err(Error::FailureTooLikely { log2_p_fail, max_log2_p_fail });
        }
        let limits = parts.limits(&common, noise::variance_at(margin_torus, max_log2_p_fail));
        let noise = parts.below(&common, &limits);
        Ok(Self { literal, common, parts, limits, noise })
    }

    /// The literal, with every number as it was given.
    pub fn literal(&self) -> &Literal {
        &self.literal
    }

    /// The scheme's interface, behind which schemes differ.
    pub(crate) fn scheme(&self) -> &dyn Scheme {
        self.literal.scheme()
    }

    /// Transforms of one step of a blind rotation, forward and inverse.
    pub fn transforms(&self) -> usize {
        self.scheme().transforms()
    }

    /// Transforms of a whole blind rotation, on average over exponents.
    pub fn rotation_transforms(&self) -> f64 {
        self.scheme().rotation_transforms()
    }

    /// Noise of every step that all keys but one in `2^40` stay below: those that would be above are drawn again. What
    /// ciphertexts track, what is refused, and all claims of failures are by this noise.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Noise of every step on average over keys, by the formulas of [`crate::noise`].
    pub fn mean_noise(&self) -> Noise {
        self.parts.mean(&self.common)
    }

    /// The parts of the noise that a key fixes.
    pub fn key_parts(&self) -> &Parts {
        &self.parts
    }

    /// Upper bounds of a key's own noise, above which it is drawn again.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Dimension of ciphertexts between bootstraps.
    pub fn ciphertext_dim(&self) -> usize {
        match self.order {
            Order::KeySwitchFirst => self.big_dim,
            Order::BootstrapFirst => self.lwe_dim,
        }
    }

    /// The sum of the squares of a large secret's coefficients, so many deviations above its mean over keys.
    pub(crate) fn big_weight(&self, deviations: f64) -> f64 {
        let (dim, square) = (self.big_dim as f64, self.scheme().secret_square());
        dim * square + deviations * (dim * square * (1.0 - square)).sqrt()
    }

    /// log2 of the probability that a bootstrap fails whose input is a combination with coefficients of sum of squares
    /// `squared_norm`: at most that, for all keys but one in `2^40`.
    pub fn log2_p_fail(&self, squared_norm: f64) -> f64 {
        let variance = self.noise.at_table(squared_norm * self.noise.bootstrapped);
        noise::log2_p_fail(self.margin_torus(), variance)
    }

    /// The fingerprints that files may have.
    pub fn fingerprints(&self) -> Fingerprints {
        self.literal.fingerprints()
    }

    /// The fingerprint that keys and ciphertexts have.
    pub fn fingerprint(&self) -> u64 {
        self.literal.fingerprint()
    }
}

impl std::ops::Deref for Params {
    type Target = Common;
    fn deref(&self) -> &Common {
        &self.common
    }
}
