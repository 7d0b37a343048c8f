//! Parameters of CKKS over limbs.

use everlevel_ring::LimbGadget;
use everlevel_security::{SecretDistribution, caps};

use super::Error;

/// The numbers of a parameter set, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamsLiteral {
    /// log2 of the degree; there are half as many slots.
    pub log_n: u32,
    /// Bits of a limb, `K`.
    pub log2_base: u32,
    /// Limbs of a fresh ciphertext.
    pub limbs: usize,
    /// Limbs of a digit, `D`: keys have as many limbs more than ciphertexts, and are `D` times smaller.
    pub digit_limbs: usize,
    /// Bits of values below the point that are kept, `Δ`.
    pub precision_bits: u32,
}

/// Checked parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    literal: ParamsLiteral,
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        let params = Self::insecure(literal)?;
        let key_bits = f64::from(literal.log2_base) * (literal.limbs + literal.digit_limbs) as f64;
        caps::check(literal.log_n, SecretDistribution::Ternary, key_bits)?;
        Ok(params)
    }
}

impl Params {
    /// Bits below those of [`ParamsLiteral::precision_bits`] that a ciphertext has at least: the rounding of a tensor
    /// product's three parts has a deviation of 14 bits at `n = 2^16`, and that of a phase, which can't be less, of 6.
    pub(super) const GUARD_BITS: u32 = 16;

    /// Parameters that no security is claimed of.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn insecure(literal: ParamsLiteral) -> Result<Self, Error> {
        let ParamsLiteral { log_n, log2_base, limbs, digit_limbs, precision_bits } = literal;
        let refused = |what, found: String, needed: &'static str| Err(Error::Parameter { what, found, needed });
        if !(3..=17).contains(&log_n) {
            return refused("log_n", log_n.to_string(), "3 to 17");
        }
        if !(30..=62).contains(&log2_base) {
            return refused("log2_base", log2_base.to_string(), "30 to 62");
        }
        if !(10..=50).contains(&precision_bits) {
            return refused("precision_bits", precision_bits.to_string(), "10 to 50, what doubles hold");
        }
        let least = (precision_bits + Self::GUARD_BITS).div_ceil(log2_base) as usize + 1;
        if !(least..=64).contains(&limbs) || !(1..=limbs).contains(&digit_limbs) {
            let found = format!("{limbs} limbs, digits of {digit_limbs}");
            return refused(
                "limbs",
                found,
                "more than those of the precision, up to 64, and digits of at most as many",
            );
        }
        Ok(Self { literal })
    }

    /// The numbers.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.literal.log_n
    }

    /// Slots.
    pub fn slots(&self) -> usize {
        self.n() / 2
    }

    /// The budget of a fresh ciphertext.
    pub fn max_budget_bits(&self) -> u32 {
        let ParamsLiteral { log2_base, limbs, precision_bits, .. } = self.literal;
        log2_base * limbs as u32 - precision_bits - Self::GUARD_BITS
    }

    /// Limbs that a ciphertext of a budget needs.
    pub(super) fn limbs_of(&self, budget_bits: u32) -> usize {
        (budget_bits + self.literal.precision_bits + Self::GUARD_BITS).div_ceil(self.literal.log2_base) as usize
    }

    pub(super) fn gadget(&self) -> LimbGadget {
        LimbGadget::new(self.literal.limbs, self.literal.digit_limbs)
    }
}
