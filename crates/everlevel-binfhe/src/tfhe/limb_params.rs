//! TFHE's numbers where rotations are over limbs: those of words, and how limbs are multiplied.

use everlevel_rand::Stream;
use everlevel_ring::base2k::{Error as BaseError, PreparedMatrix, Transform};
use everlevel_ring::{LimbRing, WordBuffer};
use serde::{Deserialize, Serialize};

use super::ParamsLiteral;
use super::key_noise;
use crate::Error;
use crate::common::{Common, refuse};
use crate::over_keys::OverKeys;
use crate::scheme::Scheme;
use crate::secrets::SmallSecret;

/// Unchecked parameters of TFHE over limbs in base `2^K`, of which a digit of a product is one: `K` is the base of both
/// gadgets. Products are exact, so that no transform changes a bit of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimbsLiteral {
    /// The numbers, as those of words of 64 bits with a step for each bit.
    #[serde(flatten)]
    pub words: ParamsLiteral,
    /// The products of limbs.
    #[serde(with = "transform_name")]
    pub transform: Transform,
}

impl LimbsLiteral {
    /// Bits of a limb.
    pub fn log2_base(&self) -> u32 {
        self.words.mask_gadget.log2_base
    }

    /// Limbs of each part of a sample: the fewest in whose units errors are as wide as those of words have to be.
    pub fn limbs(&self) -> usize {
        ((2.0 - self.words.glwe_log2_std_dev) / f64::from(self.log2_base())).ceil() as usize
    }

    /// Bits of a sample's coefficients.
    pub(crate) fn bits(&self) -> u32 {
        self.limbs() as u32 * self.log2_base()
    }

    /// The ring of accumulators.
    pub(super) fn ring(&self) -> Result<LimbRing, Error> {
        let what = "mask_gadget.log2_base";
        let log2_base = self.log2_base();
        match LimbRing::new(self.words.log_n, self.transform, log2_base, self.words.rows().max(self.limbs())) {
            Ok(ring) => Ok(ring),
            Err(BaseError::BaseTooLarge { max, .. }) => {
                refuse(what, log2_base, format!("at most {max} with {:?}", self.transform))
            }
            Err(_) => refuse(what, log2_base, "2 to 62"),
        }
    }

    /// The variance of a rotation's products with secrets over keys, or of one key's, beside words': limbs are rounded
    /// with each step, and transforms add nothing.
    fn rounded_limbs(&self, weight: f64) -> f64 {
        let unit = (-2.0 * f64::from(self.bits())).exp2();
        self.words.steps() as f64 * (1.0 + weight) * unit / 12.0
    }
}

impl Scheme for LimbsLiteral {
    fn common(&self) -> Common {
        self.words.common()
    }

    fn check(&self) -> Result<(), Error> {
        let l = &self.words;
        l.check()?;
        let log2_base = self.log2_base();
        for (what, found, needed) in [
            ("torus_bits", l.torus_bits, 64),
            ("body_gadget.log2_base", l.body_gadget.log2_base, log2_base),
            ("bits_per_step", l.bits_per_step as u32, 1),
            ("log2_extension", l.log2_extension, 0),
        ] {
            if found != needed {
                return refuse(what, found, format!("{needed} over limbs in base 2^{log2_base}"));
            }
        }
        if !(-62.0..0.0).contains(&l.glwe_log2_std_dev) {
            return refuse("glwe_log2_std_dev", l.glwe_log2_std_dev, "-62 to 0");
        }
        let (limbs, bits) = (self.limbs(), self.bits());
        if bits > 62 {
            let needed = format!("such that {limbs} limbs have 62 bits, not {bits}");
            return refuse("mask_gadget.log2_base", log2_base, needed);
        }
        self.ring().map(drop)
    }

    fn sample_bits(&self) -> u32 {
        self.words.sample_bits()
    }

    fn rotation_noise(&self) -> (OverKeys, OverKeys) {
        let rounded = self.rounded_limbs(self.words.big_dim() as f64 / 2.0);
        let roundings = key_noise::roundings_of_secrets(&self.words);
        (key_noise::products(&self.words), roundings.plus(OverKeys { mean: rounded, deviation: 0.0 }))
    }

    fn rotation_noise_of(&self, small: &[i8], big: &[i8]) -> f64 {
        let (turns, weight) = key_noise::turns_and_weight(&self.words, small, big);
        key_noise::roundings_of_weights(&self.words, turns, weight) + self.rounded_limbs(weight)
    }

    fn secret_square(&self) -> f64 {
        self.words.secret_square()
    }

    fn secret_distribution(&self) -> SmallSecret {
        self.words.secret_distribution()
    }

    /// Transforms of each prime, where numbers are transformed modulo several.
    fn transforms(&self) -> usize {
        self.words.rows() + (self.words.rank + 1) * self.limbs()
    }

    fn rotation_transforms(&self) -> f64 {
        (self.words.steps() * self.transforms()) as f64
    }

    fn sample_secret(&self, stream: &mut Stream) -> Vec<i8> {
        self.words.sample_secret(stream)
    }

    fn body_count(&self) -> usize {
        self.words.body_count()
    }

    fn body_bits(&self) -> u32 {
        u64::BITS
    }

    fn prepared_nbytes(&self) -> usize {
        let ring = self.ring().expect("checked parameters");
        WordBuffer::<u8>::nbytes_of(self.words.steps() * Shape::new(self).matrix_nbytes(&ring))
    }
}

/// The shape of a bit's matrix.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Digits of each part of a sample, the masks and then the body.
    pub(super) digits: Vec<usize>,
    /// Limbs of each part.
    pub(super) limbs: usize,
}

impl Shape {
    pub(super) fn new(literal: &LimbsLiteral) -> Self {
        let mut digits = vec![literal.words.mask_gadget.digits as usize; literal.words.rank];
        digits.push(literal.words.body_gadget.digits as usize);
        Self { digits, limbs: literal.limbs() }
    }

    pub(super) fn rows(&self) -> usize {
        self.digits.iter().sum()
    }

    pub(super) fn columns(&self) -> usize {
        self.limbs * self.digits.len()
    }

    /// Bytes of a matrix, those behind it that keep the next one aligned among them.
    pub(super) fn matrix_nbytes(&self, ring: &LimbRing) -> usize {
        ring.module().matrix_nbytes(self.rows(), self.columns()).next_multiple_of(64)
    }

    /// A matrix in memory of its own.
    pub(super) fn matrix<B: std::ops::Deref<Target = [u8]>>(&self, ring: &LimbRing, bytes: B) -> PreparedMatrix<B> {
        ring.module().matrix_in(bytes, self.rows(), self.columns())
    }

    /// Each row's part of a sample, and its digit there.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.digits.iter().enumerate().flat_map(|(part, &digits)| (0..digits).map(move |digit| (part, digit)))
    }
}

/// A transform's name in files.
mod transform_name {
    use everlevel_ring::base2k::Transform;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    const ALL: [Transform; 3] = [Transform::Doubles, Transform::TwoPrimes, Transform::ThreePrimes];

    pub(super) fn serialize<S: Serializer>(transform: &Transform, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{transform:?}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Transform, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = ALL.into_iter().find(|transform| format!("{transform:?}") == name);
        found.ok_or_else(|| D::Error::custom(format!("there is no transform {name:?}")))
    }
}
