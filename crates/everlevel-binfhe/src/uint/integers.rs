//! Integers of 8 to 256 bits as digits of a message space: widths, the radix, and the arithmetic's handle.

use super::blocks::Blocks;
use super::keyed::KeyedBlocks;
use super::meter::{Cost, Meter};
use crate::ciphertext::wrong_space;
use crate::common::Space;
use crate::{Error, EvalKeys, Progress};

/// Number of bits of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Width {
    U8,
    U16,
    U32,
    U64,
    U128,
    U256,
}

impl Width {
    /// Every width.
    pub const ALL: [Self; 6] = [Self::U8, Self::U16, Self::U32, Self::U64, Self::U128, Self::U256];

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 => 8,
            Self::U16 => 16,
            Self::U32 => 32,
            Self::U64 => 64,
            Self::U128 => 128,
            Self::U256 => 256,
        }
    }

    /// Words of 64 bits that hold an integer in the clear, least significant first.
    pub const fn words(self) -> usize {
        self.bits().div_ceil(64) as usize
    }

    /// The largest word of an integer.
    pub const fn max(self) -> u64 {
        if self.bits() < 64 { u64::MAX >> (64 - self.bits()) } else { u64::MAX }
    }

    /// The width of a number of bits.
    ///
    /// # Errors
    /// [`Error::UnknownWidth`] unless it is 8, 16, 32, 64, 128 or 256.
    pub fn from_bits(bits: u32) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|width| width.bits() == bits).ok_or(Error::UnknownWidth { bits })
    }
}

/// The digits of integers in a message space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Radix {
    /// `p`: a message is below `2^p`.
    pub(super) space_bits: u32,
    /// `m`: bits of a digit.
    pub(super) bits: u32,
}

impl Radix {
    pub(crate) fn of(op: &'static str, space: Space) -> Result<Self, Error> {
        match space {
            Space::Integer { bits: space_bits @ 4.. } => Ok(Self { space_bits, bits: 1 << (space_bits / 2).ilog2() }),
            _ => Err(wrong_space(op, space, "integers of 4 bits or more")),
        }
    }

    /// `m`.
    pub(crate) fn digit_bits(self) -> u32 {
        self.bits
    }

    /// `M`.
    pub(crate) fn base(self) -> u64 {
        1 << self.bits
    }

    /// Number of messages.
    pub(super) fn size(self) -> usize {
        1 << self.space_bits
    }

    /// The largest message.
    pub(super) fn max(self) -> u64 {
        (1 << self.space_bits) - 1
    }

    pub(crate) fn blocks(self, width: Width) -> usize {
        (width.bits() / self.bits) as usize
    }

    /// Digits of a word of an integer in the clear.
    pub(super) fn digits_of_word(self, width: Width) -> usize {
        self.blocks(width) / width.words()
    }

    fn digits(self, width: Width, word: u64) -> impl Iterator<Item = u64> {
        (0..self.digits_of_word(width)).map(move |i| word >> (i as u32 * self.bits) & (self.base() - 1))
    }

    /// The words of integers whose digits these are: [`Width::words`] for each.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for digits that make no whole integers.
    pub(crate) fn words(self, op: &'static str, width: Width, digits: &[u64]) -> Result<Vec<u64>, Error> {
        crate::gates::same_length(op, digits.len(), digits.len().next_multiple_of(self.blocks(width)))?;
        let word = |digits: &[u64]| digits.iter().rev().fold(0, |word: u64, digit| (word << self.bits) | digit);
        Ok(digits.chunks_exact(self.digits_of_word(width)).map(word).collect())
    }

    /// The digits of all values, which the width must hold, from [`Width::words`] words each.
    pub(super) fn all_digits(self, op: &'static str, width: Width, values: &[u64]) -> Result<Vec<u64>, Error> {
        if let Some(&value) = values.iter().find(|&&value| value > width.max()) {
            return Err(Error::ValueTooLarge { op, value, bits: width.bits() });
        }
        crate::gates::same_length(op, values.len(), values.len().next_multiple_of(width.words()))?;
        Ok(values.iter().flat_map(|&word| self.digits(width, word)).collect())
    }
}

/// Arithmetic on arrays of encrypted integers, element by element, over what a scheme can do with blocks.
#[derive(Debug)]
pub struct Arithmetic<B> {
    pub(super) blocks: B,
    pub(super) radix: Radix,
}

/// Arithmetic on arrays of encrypted integers with the keys of one secret, element by element.
///
/// Each operation goes over the key once for each of its rounds, and not once for each element: the bootstraps of all
/// elements that don't wait for each other are done together. An operation holds a round's bootstraps in memory, which
/// is much for long arrays: cut these into slices of [`Integers::slice_len`] elements, and into shorter ones for
/// products. Reductions cut their arrays themselves.
pub type Integers<'k> = Arithmetic<KeyedBlocks<'k>>;

impl<B: Blocks> Arithmetic<B> {
    /// Arithmetic on integers of a scheme's blocks.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for blocks below 4 bits.
    pub fn new(blocks: B) -> Result<Self, Error> {
        let radix = Radix::of("integers", Space::Integer { bits: blocks.space_bits() })?;
        Ok(Self { blocks, radix })
    }

    /// Bits of a digit.
    pub fn block_bits(&self) -> u32 {
        self.radix.bits
    }
}

impl EvalKeys {
    /// Arithmetic on integers of 8 to 256 bits.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits or of integers below 4 bits, [`Error::Parameter`] where their
    /// `squared_norm` is too small for `M·a + b`.
    pub fn integers(&self) -> Result<Integers<'_>, Error> {
        let radix = Radix::of("integers", self.params().space)?;
        let (found, needed) = (self.params().squared_norm, ((radix.base() + 1) as f64).powi(2));
        if found < needed {
            let needed = format!("{needed} or more, for tables of two digits of {} bits", radix.bits);
            return Err(Error::Parameter { what: "squared_norm", found: found.to_string(), needed });
        }
        Ok(Integers::over(self, radix, Meter::default()))
    }
}

impl<'k> Integers<'k> {
    fn over(keys: &'k EvalKeys, radix: Radix, meter: Meter<'k>) -> Self {
        Self { blocks: KeyedBlocks { keys, space_bits: radix.space_bits, meter }, radix }
    }
}

impl Integers<'_> {
    /// The number of elements whose bootstraps of one round give every thread of the current pool a whole pass over the
    /// key.
    pub fn slice_len(&self) -> usize {
        self.blocks.slice_len()
    }
}

impl Integers<'_> {
    /// The cost of an operation on the current number of threads. None of its bootstraps is done, so that its result
    /// has no meaning; but whatever the operation would refuse is refused.
    ///
    /// # Errors
    /// The operation's.
    pub fn cost<R>(&self, operation: impl FnOnce(&Integers<'_>) -> Result<R, Error>) -> Result<Cost, Error> {
        self.count(None, operation)
    }

    fn count<R>(
        &self,
        progress: Option<(Progress<'_>, usize)>,
        operation: impl FnOnce(&Integers<'_>) -> Result<R, Error>,
    ) -> Result<Cost, Error> {
        let meter = Meter { dry: true, progress, ..Meter::default() };
        let counting = Integers::over(self.blocks.keys, self.radix, meter);
        operation(&counting)?;
        let Meter { bootstraps, rounds, .. } = counting.blocks.meter;
        Ok(Cost { bootstraps: bootstraps.into_inner(), rounds: rounds.into_inner() })
    }

    /// Runs an operation, and reports its progress after each pass over the key, with a step for each bootstrap.
    /// Bootstraps are counted first: meanwhile none is done, and the number of steps in all grows.
    ///
    /// # Errors
    /// The operation's, all before the first bootstrap, and [`Error::Cancelled`].
    pub fn reporting<R>(
        &self,
        progress: Progress<'_>,
        operation: impl Fn(&Integers<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let total = self.count(Some((progress, 0)), &operation)?.bootstraps;
        let meter = Meter { progress: Some((progress, total)), ..Meter::default() };
        operation(&Integers::over(self.blocks.keys, self.radix, meter))
    }
}
