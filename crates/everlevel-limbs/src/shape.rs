//! Sizes of ciphertexts and keys.

use everlevel_ring::base2k::{Operands, Transform};
use everlevel_ring::{Footprint, LimbGadget, LimbRing};
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
