//! Operands and outcomes of divisions, which all of their algorithms share.

use super::array::{UintArray, Uints};

/// The outcomes of a division that are asked for; the others are not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) quotient: bool,
    pub(super) remainder: bool,
}

/// Quotients and remainders; those that were not asked for have no meaning.
pub(super) type Divided<B> = (Uints<B>, Uints<B>);

/// Operands of a division's steps, beside the dividend: see [`super::long_division`].
#[derive(Debug, Clone)]
pub(super) struct Steps<C> {
    /// The dividends, `a`, or `a − [b < 0]` of signed integers.
    pub(super) dividends: UintArray<C>,
    /// The divisors' digits that gates are made of: `|b| − [b < 0]`.
    pub(super) divisors: UintArray<C>,
    /// `2^i·|b|` modulo `2^width` for the bits `i` of a digit, with first digits of at most `M` for signed integers.
    pub(super) multiples: Vec<UintArray<C>>,
    /// The carries before the first step.
    pub(super) carries: Vec<C>,
    /// The quotients' digits of steps whose gates are known to be closed; none where they follow from the carries.
    pub(super) closed: Vec<C>,
    /// The numbers of gates and carries in the inputs of the tables.
    pub(super) weights: Weights,
    /// The signs of dividends, as halves, by which gates are turned; none where gates are those of unsigned integers.
    pub(super) turns: Vec<C>,
    /// The signs of encrypted divisors, none where no divisor is below zero.
    pub(super) negative: Halved<C>,
}

/// The numbers by which the inputs of a step's tables tell what is to be added. Numbers count modulo twice the number
/// of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    pub(super) carry: u64,
    pub(super) opening: u64,
    pub(super) closed: u64,
}

/// Conditions, each as a digit and as a half ([`super::table`]).
#[derive(Debug, Clone)]
pub(super) struct Halved<C> {
    pub(super) digits: Vec<C>,
    pub(super) halves: Vec<C>,
}

impl<C> Default for Halved<C> {
    fn default() -> Self {
        Self { digits: Vec::new(), halves: Vec::new() }
    }
}
