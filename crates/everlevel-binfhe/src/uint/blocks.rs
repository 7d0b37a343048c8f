//! Blocks, the parts of integers that circuits compute with, and the operations of a scheme on them.

use std::fmt::Debug;

use crate::Error;

/// An encrypted digit of an integer, a truth value, or a sum of such; or one in the clear.
pub trait Block: Clone {
    /// The largest value that the block may hold, as far as is known without the key.
    fn max_value(&self) -> u64;

    /// This block, which is known to hold no more than that.
    #[must_use]
    fn at_most(self, max_value: u64) -> Self;
}

/// Operations of a scheme on blocks. Circuits know nothing else of the scheme, so that every scheme has all circuits.
///
/// A block may stand for one digit, or for those of many integers at once.
pub trait Blocks: Debug {
    /// The blocks.
    type Block: Block;
    /// The scheme's errors, those of circuits among them.
    type Error: From<Error>;

    /// Whether blocks are multiplied without a bootstrap: [`Blocks::choose`]. Where they aren't, inputs of mirrored
    /// tables have conditions: [`Blocks::mirrored`].
    const HAS_PRODUCTS: bool;

    /// Bits of a message: blocks hold less than 2 to the power of these.
    fn space_bits(&self) -> u32;

    /// Refuses a block of another secret.
    ///
    /// # Errors
    /// The scheme's.
    fn check(&self, op: &'static str, what: &'static str, block: &Self::Block) -> Result<(), Self::Error>;

    /// A block in the clear, which anybody can read.
    fn plain(&self, value: u64) -> Self::Block;

    /// The value of a block in the clear; `None` for an encrypted one, and where one block's values differ.
    fn public(&self, block: &Self::Block) -> Option<u64>;

    /// `constant + Σ factor·x`, without a bootstrap.
    ///
    /// # Errors
    /// The scheme's, for sums that may be no messages.
    fn linear(&self, terms: &[(i64, &Self::Block)], constant: i64) -> Result<Self::Block, Self::Error>;

    /// As [`Blocks::linear`], of what may be below zero: an input of a table of signed inputs. All that it can be is to
    /// be at most [`Blocks::max_signed`] in size, by what the caller knows of the terms.
    ///
    /// # Errors
    /// The scheme's.
    fn signed_sum(&self, terms: &[(i64, &Self::Block)], constant: i64) -> Result<Self::Block, Self::Error>;

    /// The largest size of a signed input.
    fn max_signed(&self) -> u64;

    /// Looks each input up in its table. Outputs know the largest value that their input can give. A job takes no
    /// bootstrap if its input is public, or if its table gives the same for every value that the input may have.
    /// Neighbouring jobs of the same input may share a bootstrap.
    ///
    /// # Errors
    /// The scheme's, for inputs with too much noise.
    fn look_up(&self, op: &'static str, jobs: &[(Self::Block, &Table)]) -> Result<Vec<Self::Block>, Self::Error>;

    /// Whether a table takes the sum of some blocks, and of as many fresh ones besides.
    fn takes(&self, terms: &[&Self::Block], fresh: u32) -> bool;

    /// Whether a table takes a block times a factor, and a block of another bootstrap besides.
    fn is_settled(&self, block: &Self::Block, factor: u64) -> bool;

    /// `a` where a bit is set and `b` elsewhere, by a product.
    ///
    /// # Errors
    /// The scheme's.
    fn choose(
        &self,
        op: &'static str,
        bit: &Self::Block,
        options: [&Self::Block; 2],
    ) -> Result<Self::Block, Self::Error>;

    /// The input of a mirrored table: a block and conditions, which tables gave as halves.
    ///
    /// # Errors
    /// The scheme's.
    fn mirrored(&self, x: &Self::Block, halves: &[&Self::Block]) -> Result<Self::Block, Self::Error>;

    /// The number of integers whose bootstraps are one round of a reduction, whose memory grows with it.
    fn slice_len(&self) -> usize;

    /// The time of a round of so many bootstraps, in any unit.
    fn round_time(&self, jobs: usize) -> f64;

    /// The number of an integer's digits, out of so many, that are compared one after the other.
    fn chain_len(&self, per: usize) -> usize;
}

/// Blocks of a scheme.
pub(super) type Digits<B> = Vec<<B as Blocks>::Block>;

/// A function of a message, as the list of its values.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Table {
    pub(super) entries: Vec<u64>,
    pub(super) form: Form,
}

/// The form of a table's outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Messages.
    Plain,
    /// Half a turn of the torus for 1.
    Half,
    /// Messages `f(x)`, or this sum less `f(x)`.
    Mirrored { sum: u64 },
    /// Messages `f(x)`, and their negatives for inputs below zero.
    Odd,
}

impl Table {
    /// The outcome for an input, which may be below zero where the table is one of signed inputs, and for the input
    /// that many messages further on otherwise.
    pub fn outcome(&self, x: i64) -> i64 {
        let entry = self.entries[x.rem_euclid(self.entries.len() as i64) as usize] as i64;
        match self.form {
            Form::Mirrored { sum } if x < 0 => sum as i64 - entry,
            Form::Odd if x < 0 => -entry,
            _ => entry,
        }
    }
}
