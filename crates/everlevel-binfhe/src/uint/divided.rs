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
/// element, as a digit and as a half.
#[derive(Debug, Clone)]
pub(super) struct Signs {
    /// `[a − [b < 0] < 0]`.
    pub(super) dividend: Halved,
    /// `[b < 0]`.
    pub(super) divisor: Halved,
    /// `|b| − [b < 0]`.
    pub(super) divisors: UintArray,
    /// `2^i·|b|` modulo `2^width` for the bits `i` of a digit, with first digits of at most `M`, for encrypted
    /// divisors.
    pub(super) multiples: Option<Vec<UintArray>>,
}

/// Conditions, each as a digit and as a half ([`super::table`]).
#[derive(Debug, Clone, Default)]
pub(super) struct Halved {
    pub(super) digits: Vec<Ciphertext>,
    pub(super) halves: Vec<Ciphertext>,
}

impl Signs {
    pub(super) fn take(&self, places: &[usize]) -> Self {
        let taken = |all: &Vec<Ciphertext>| places.iter().map(|&i| all[i].clone()).collect();
        let halved = |all: &Halved| Halved { digits: taken(&all.digits), halves: taken(&all.halves) };
        Self {
            dividend: halved(&self.dividend),
            divisor: halved(&self.divisor),
            divisors: self.divisors.take(places),
            multiples: self.multiples.as_ref().map(|all| all.iter().map(|x| x.take(places)).collect()),
        }
    }
}
