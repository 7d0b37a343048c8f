//! Parameter sets: literals, which are data, and parameters, which are checked.

use everlevel_limbs::{Error, Shape};
use everlevel_math::primes::is_prime;

use crate::noise::Noise;

/// The numbers of a parameter set, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamsLiteral {
    /// log2 of the degree, and of the number of slots.
    pub log_n: u32,
    /// The plaintext modulus `t`, a prime that is 1 modulo `2n`.
    pub plain_modulus: u64,
    /// Bits of a limb, `K`.
    pub log2_base: u32,
    /// Limbs of a ciphertext.
    pub limbs: usize,
    /// Limbs of a digit, `D`: keys have as many limbs more than ciphertexts, and are `D` times smaller.
    pub digit_limbs: usize,
}

/// Checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    literal: ParamsLiteral,
    set: Option<&'static str>,
    is_insecure: bool,
}

/// A named set.
pub type Named = everlevel_limbs::Named<ParamsLiteral>;

/// `3·2^18 + 1`, which is 1 modulo `2n` up to `n = 2^17`.
const PLAIN_MODULUS: u64 = 786_433;

const fn set(
    name: &'static str,
    (log_n, log2_base): (u32, u32),
    plain_modulus: u64,
    (limbs, digit_limbs): (usize, usize),
    depth: usize,
    key_nbytes: usize,
) -> Named {
    let literal = ParamsLiteral { log_n, plain_modulus, log2_base, limbs, digit_limbs };
    Named { name, literal, depth, key_bits: log2_base * (limbs + digit_limbs) as u32, key_nbytes }
}

/// The named sets: 128 bits of security for dense ternary secrets.
pub const SETS: &[Named] = &[
    set("n12", (12, 21), 65_537, (4, 1), 2, 1_966_096),
    set("n13", (13, 53), PLAIN_MODULUS, (3, 1), 4, 3_538_960),
    set("n14", (14, 61), PLAIN_MODULUS, (6, 1), 10, 24_772_624),
    set("n15", (15, 60), PLAIN_MODULUS, (12, 2), 19, 99_090_448),
    set("n16-depth-30", (16, 60), PLAIN_MODULUS, (19, 4), 30, 271_319_056),
    set("n16", (16, 60), PLAIN_MODULUS, (25, 4), 40, 478_937_104),
];

/// The set of a name.
///
/// # Errors
/// [`Error::UnknownSet`].
pub fn named(name: &str) -> Result<&'static Named, Error> {
    Named::of(SETS, name)
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        let params = Self::insecure(literal)?;
        params.shape().check_security()?;
        Ok(Self { is_insecure: false, ..params })
    }
}

impl Params {
    /// Parameters that no security is claimed of.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn insecure(literal: ParamsLiteral) -> Result<Self, Error> {
        let ParamsLiteral { log_n, plain_modulus, log2_base, .. } = literal;
        Shape::check_range("log_n", log_n, 5..=17)?;
        if plain_modulus >> 40 != 0 || plain_modulus % (2 << log_n) != 1 || !is_prime(plain_modulus) {
            let needed = format!("a prime below 2^40 that is 1 modulo {}: 786433 is one", 2u64 << log_n);
            return Err(Error::Parameter { what: "plain_modulus", found: plain_modulus.to_string(), needed });
        }
        Shape::check_range("log2_base", log2_base, 16..=62)?;
        let params = Self { literal, set: None, is_insecure: true };
        params.shape().check_limbs(1)?;
        Ok(params)
    }

    /// A named set, with another plaintext modulus where one is given; and at another degree, **without any security**,
    /// where one is given.
    ///
    /// # Errors
    /// [`Error::UnknownSet`], [`Error::Parameter`].
    pub fn of_set(name: &str, plain_modulus: Option<u64>, insecure_log_n: Option<u32>) -> Result<Self, Error> {
        let Named { name, literal, .. } = *named(name)?;
        let literal = ParamsLiteral { plain_modulus: plain_modulus.unwrap_or(literal.plain_modulus), ..literal };
        let params = match insecure_log_n {
            Some(log_n) => Self::insecure(ParamsLiteral { log_n, ..literal }),
            None => Self::try_from(literal),
        };
        Ok(Self { set: Some(name), ..params? })
    }

    /// The numbers.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// The named set that these parameters are of, or were made from.
    pub fn set(&self) -> Option<&'static str> {
        self.set
    }

    /// Whether no security is claimed.
    pub fn is_insecure(&self) -> bool {
        self.is_insecure
    }

    /// The degree, and the number of slots.
    pub fn n(&self) -> usize {
        1 << self.literal.log_n
    }

    /// The plaintext modulus.
    pub fn plain_modulus(&self) -> u64 {
        self.literal.plain_modulus
    }

    pub(crate) fn log2_base(&self) -> u32 {
        self.literal.log2_base
    }

    pub(crate) fn limbs(&self) -> usize {
        self.literal.limbs
    }

    /// Limbs above the point that a ciphertext has once it is multiplied by `t`.
    pub(crate) fn plain_limbs(&self) -> usize {
        let bits = u64::BITS - self.plain_modulus().leading_zeros();
        bits.div_ceil(self.log2_base()) as usize
    }

    /// The sizes of ciphertexts and keys.
    pub fn shape(&self) -> Shape {
        let ParamsLiteral { log_n, log2_base, limbs, digit_limbs, .. } = self.literal;
        Shape { log_n, log2_base, limbs, digit_limbs }
    }

    /// Products of ciphertexts one after another, each of two results of the last, before the budget is used up: the
    /// first of ciphertexts that a secret key encrypted.
    pub fn depth(&self) -> usize {
        self.depth_of(self.fresh_noise())
    }

    /// [`Params::depth`] of ciphertexts that a public key encrypted, which have more noise.
    pub fn public_depth(&self) -> usize {
        self.depth_of(self.public_noise())
    }

    fn depth_of(&self, mut noise: Noise) -> usize {
        (0..)
            .take_while(|_| {
                noise = self.product_noise(noise, noise);
                self.budget_bits(noise) > 0.0
            })
            .count()
    }
}
