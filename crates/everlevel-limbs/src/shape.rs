//! Sizes of ciphertexts and keys, and the noise of operations at these sizes.

use everlevel_ring::base2k::{Operands, Transform};
use everlevel_ring::{Footprint, LimbGadget, LimbRing};
use everlevel_rlwe::{
    key_switch_std_dev, rounding_std_dev, square_rounding_std_dev, undivided_public_encryption_std_dev,
};
use everlevel_security::{SecretDistribution, caps};

use crate::Error;

/// The numbers that ciphertexts and keys are made of, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// log2 of the degree.
    pub log_n: u32,
    /// Bits of a limb, `K`.
    pub log2_base: u32,
    /// Limbs of a ciphertext.
    pub limbs: usize,
    /// Limbs of a digit, `D`: keys have as many limbs more than ciphertexts, and are `D` times smaller.
    pub digit_limbs: usize,
}

/// The largest base whose tensor products two primes carry, at every degree and number of limbs.
const LOG2_BASE_OF_TWO_PRIMES: u32 = 36;

impl Shape {
    /// Refuses numbers of limbs that there aren't.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_limbs(&self, least: usize) -> Result<(), Error> {
        let Self { limbs, digit_limbs, .. } = *self;
        if (least..=64).contains(&limbs) && (1..=limbs).contains(&digit_limbs) {
            return Ok(());
        }
        let found = format!("{limbs} limbs, digits of {digit_limbs}");
        Err(Error::Parameter { what: "limbs", found, needed: format!("{least} to 64, and digits of at most as many") })
    }

    /// Refuses a number that isn't in a range.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_range(what: &'static str, found: u32, range: std::ops::RangeInclusive<u32>) -> Result<(), Error> {
        if range.contains(&found) {
            return Ok(());
        }
        let needed = format!("{} to {}", range.start(), range.end());
        Err(Error::Parameter { what, found: found.to_string(), needed })
    }

    /// Refuses keys whose modulus is above the cap for 128 bits of security with dense ternary secrets.
    ///
    /// # Errors
    /// [`Error::Security`].
    pub fn check_security(&self) -> Result<(), Error> {
        Ok(caps::check(self.log_n, SecretDistribution::Ternary, f64::from(self.key_bits()))?)
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Bits of a ciphertext's modulus.
    pub fn bits(&self) -> u32 {
        self.log2_base * self.limbs as u32
    }

    /// Bits of a key's modulus: what security caps hold for.
    pub fn key_bits(&self) -> u32 {
        self.log2_base * (self.limbs + self.digit_limbs) as u32
    }

    /// The digits of half products, and the shape of their keys.
    pub fn gadget(&self) -> LimbGadget {
        LimbGadget::new(self.limbs, self.digit_limbs)
    }

    /// The transform: two primes where they carry the base, three otherwise.
    pub fn transform(&self) -> Transform {
        if self.log2_base <= LOG2_BASE_OF_TWO_PRIMES { Transform::TwoPrimes } else { Transform::ThreePrimes }
    }

    /// The ring of the shape, in which every product is right.
    ///
    /// # Errors
    /// [`Error::Base`].
    pub fn ring(&self) -> Result<LimbRing, Error> {
        let ring = LimbRing::new(self.log_n, self.transform(), self.log2_base, self.limbs + self.digit_limbs)?;
        // The middle part of a tensor product has two sums.
        ring.require_base(2 * self.limbs, Operands::Chosen)?;
        Ok(ring)
    }

    /// The memory of so many ciphertexts.
    pub fn ciphertexts_footprint(&self, count: usize) -> Footprint {
        Footprint { held: (count * 2 * 8 * self.n() * self.limbs) as u64, work: 0 }
    }
}

/// Noise, as log2 of standard deviations of a coefficient, in units of the torus: they lie far below what a double
/// holds.
impl Shape {
    /// Nonzero coefficients of a secret, at its mean.
    pub fn weight(&self) -> usize {
        2 * self.n() / 3
    }

    /// Bits of so many limbs.
    pub fn bits_of(&self, limbs: usize) -> u32 {
        limbs as u32 * self.log2_base
    }

    /// log2 of a unit of the last of so many limbs.
    pub fn log2_unit(&self, limbs: usize) -> f64 {
        -f64::from(self.bits_of(limbs))
    }

    /// An encryption: its error, and the rounding of the message.
    pub fn fresh_noise(&self) -> f64 {
        self.log2_unit(self.limbs) + everlevel_rlwe::SIGMA.hypot((1.0f64 / 12.0).sqrt()).log2()
    }

    /// An encryption by a public key: the key's error times an ephemeral secret, its own, and the mask's error times
    /// the secret; and the rounding of the message.
    pub fn public_noise(&self) -> f64 {
        let key = undivided_public_encryption_std_dev(self.n(), self.weight());
        self.log2_unit(self.limbs) + key.hypot((1.0f64 / 12.0).sqrt()).log2()
    }

    /// The rounding of both parts to a number of bits.
    pub fn rounding_noise(&self, bits: u32) -> f64 {
        rounding_std_dev(self.weight()).log2() - f64::from(bits)
    }

    /// The rounding of both parts of so many limbs, times `2^up`, to a number of bits: none where that drops nothing.
    /// Few bits that are dropped have many ties, whose rounding is the largest: `d` bits are one of `2^d` fractions,
    /// and the variance of their rounding is `(1 + 2·4^−d)/12`.
    pub fn shift_noise(&self, limbs: usize, up: u32, bits: u32) -> f64 {
        let dropped = i64::from(self.bits_of(limbs)) - i64::from(up + bits);
        if dropped <= 0 {
            return f64::NEG_INFINITY;
        }
        self.rounding_noise(bits) + 0.5 * (1.0 + (1.0 - 2.0 * dropped as f64).exp2()).log2()
    }

    /// The rounding of a tensor product's three parts to so many limbs.
    pub fn tensor_noise(&self, limbs: usize) -> f64 {
        self.log2_unit(limbs) + square_rounding_std_dev(self.weight()).log2()
    }

    /// A half product with a key, of an element of so many limbs, rounded to as many.
    pub fn switch_noise(&self, limbs: usize) -> f64 {
        let LimbGadget { digits, digit_limbs, limbs: of_key } = self.gadget();
        let digits = digits.min(limbs.div_ceil(digit_limbs));
        let key = key_switch_std_dev(self.n(), digits, 0.0, 0.0).log2() + self.log2_unit(of_key - digit_limbs);
        log2_hypot(key, self.rounding_noise(self.bits_of(limbs)))
    }
}

/// `log2 √(2^2a + 2^2b)`: of a sum of errors that don't depend on each other.
pub fn log2_hypot(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + 0.5 * (1.0 + (2.0 * (low - high)).exp2()).log2()
}
