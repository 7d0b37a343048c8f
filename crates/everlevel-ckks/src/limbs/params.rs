//! Parameter sets: literals, which are data, and parameters, which are checked.

use everlevel_limbs::{Error, Shape};

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
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    literal: ParamsLiteral,
    set: Option<&'static str>,
    is_insecure: bool,
}

/// A named set.
pub type Named = everlevel_limbs::Named<ParamsLiteral>;

const fn set(
    name: &'static str,
    (log_n, log2_base, precision_bits): (u32, u32, u32),
    (limbs, digit_limbs): (usize, usize),
    depth: usize,
    key_nbytes: usize,
) -> Named {
    let literal = ParamsLiteral { log_n, log2_base, limbs, digit_limbs, precision_bits };
    Named { name, literal, depth, key_bits: log2_base * (limbs + digit_limbs) as u32, key_nbytes }
}

/// The named sets: 128 bits of security for dense ternary secrets.
pub const SETS: &[Named] = &[
    set("n13", (13, 35, 30), (5, 1), 4, 5_898_256),
    set("n14", (14, 61, 40), (6, 1), 7, 24_772_624),
    set("n15", (15, 62, 40), (12, 2), 17, 99_090_448),
    set("n16", (16, 60, 40), (25, 4), 36, 478_937_104),
];

/// The set of a name.
///
/// # Errors
/// [`Error::UnknownSet`].
pub fn named(name: &str) -> Result<&'static Named, Error> {
    Named::of(SETS, name)
}

/// Bits that values are below their budget, at least: a sign, and a bit that noise may take.
const ROOM_BITS: u32 = 2;

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
        let ParamsLiteral { log_n, log2_base, precision_bits, .. } = literal;
        Shape::check_range("log_n", log_n, 5..=16)?;
        Shape::check_range("log2_base", log2_base, 24..=62)?;
        Shape::check_range("precision_bits", precision_bits, 10..=50)?;
        let params = Self { literal, set: None, is_insecure: true };
        let least = precision_bits + params.guard_bits() + 2 * ROOM_BITS;
        params.shape().check_limbs(least.div_ceil(log2_base) as usize)?;
        Ok(params)
    }

    /// A named set, with another precision where one is given; and at another degree, **without any security**, where
    /// one is given.
    ///
    /// # Errors
    /// [`Error::UnknownSet`], [`Error::Parameter`].
    pub fn of_set(name: &str, precision_bits: Option<u32>, insecure_log_n: Option<u32>) -> Result<Self, Error> {
        let Named { name, literal, .. } = *named(name)?;
        let literal = ParamsLiteral { precision_bits: precision_bits.unwrap_or(literal.precision_bits), ..literal };
        let params = match insecure_log_n {
            Some(log_n) => Self::insecure(ParamsLiteral { log_n, ..literal }),
            None => Self::try_from(literal),
        };
        Ok(Self { set: Some(name), ..params? })
    }

    /// The parameters of what is on the way of a bootstrap: other limbs, and a precision that no set has.
    pub(super) fn on_the_way(&self, (limbs, digit_limbs): (usize, usize), precision_bits: u32) -> Self {
        Self { literal: ParamsLiteral { limbs, digit_limbs, precision_bits, ..self.literal }, ..self.clone() }
    }

    /// The numbers.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// The named set that these are of, or that others were made from.
    pub fn set(&self) -> Option<&'static str> {
        self.set
    }

    /// Whether no security is claimed.
    pub fn is_insecure(&self) -> bool {
        self.is_insecure
    }

    /// The sizes of ciphertexts and keys.
    pub fn shape(&self) -> Shape {
        let ParamsLiteral { log_n, log2_base, limbs, digit_limbs, .. } = self.literal;
        Shape { log_n, log2_base, limbs, digit_limbs }
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.literal.log_n
    }

    /// Slots.
    pub fn slots(&self) -> usize {
        self.n() / 2
    }

    /// Bits of values below the point that are kept, `Δ`.
    pub fn precision_bits(&self) -> u32 {
        self.literal.precision_bits
    }

    /// Bits below those of the precision that a ciphertext has at least. The rounding of a tensor product's three parts
    /// has a deviation of `log_n − 1.9` bits, and that of a phase, which can't be less, of `log_n/2 − 2.1`: with so
    /// many more, the former is the smaller.
    pub(super) fn guard_bits(&self) -> u32 {
        self.literal.log_n / 2 + 2
    }

    /// The budget of a fresh ciphertext.
    pub fn max_budget_bits(&self) -> u32 {
        self.shape().bits() - self.precision_bits() - self.guard_bits()
    }

    /// Limbs that a ciphertext of a budget needs.
    pub(super) fn limbs_of(&self, budget_bits: u32) -> usize {
        (budget_bits + self.precision_bits() + self.guard_bits()).div_ceil(self.literal.log2_base) as usize
    }

    /// The budget that values of a bound need.
    pub(super) fn needed_bits(bound: f64) -> u32 {
        (bound.log2().ceil().max(0.0) as u32).saturating_add(ROOM_BITS)
    }

    /// Products of ciphertexts one after another, of values up to 1, before the budget is used up.
    pub fn depth(&self) -> usize {
        ((self.max_budget_bits() - ROOM_BITS) / self.precision_bits()) as usize
    }
}
