//! Operands and outcomes of divisions, which all of their algorithms share.

use super::UintArray;
use crate::Ciphertext;

/// The outcomes of a division that are asked for; the others are not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) quotient: bool,
    pub(super) remainder: bool,
}

/// Quotients and remainders; those that were not asked for have no meaning.
pub(super) type Divided = (UintArray, UintArray);

/// How the operands of a division are taken.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operands<'a> {
    /// Unsigned integers.
    Unsigned,
    /// Signed dividends, and public divisors above zero that have small factors.
    Signed,
    /// Unsigned integers whose quotients and remainders are those of signed ones with these signs.
    Flipped(&'a Signs),
}

/// Signs that tell a signed quotient and remainder from the unsigned ones of magnitudes: a truth value for each
/// element.
#[derive(Debug, Clone)]
pub(super) struct Signs {
    /// The signed divisors.
    pub(super) divisors: UintArray,
    /// `[t < 0]`.
    pub(super) dividend: Vec<Ciphertext>,
    /// `[b < 0]`.
    pub(super) divisor: Vec<Ciphertext>,
    /// `[t < 0] ⊕ [b < 0]`.
    pub(super) flip: Vec<Ciphertext>,
}

impl Signs {
    pub(super) fn take(&self, places: &[usize]) -> Self {
        let [dividend, divisor, flip] =
            [&self.dividend, &self.divisor, &self.flip].map(|all| places.iter().map(|&i| all[i].clone()).collect());
        Self { divisors: self.divisors.take(places), dividend, divisor, flip }
    }
}
