//! Arrays of encrypted integers ([`UintArray`]) and of encrypted truth values ([`BoolArray`]): the operands and the
//! results of [`Arithmetic`].

use std::ops::Range;

use everlevel_objects::require_secret;
use everlevel_rlwe::SecretId;

use super::blocks::{Block, Blocks};
use super::{Arithmetic, Radix, Width};
use crate::{Ciphertext, Error};

/// An array of encrypted unsigned integers of one width: for each integer its blocks in radix `M`, least significant
/// first. A single integer is an array of one.
#[derive(Debug, Clone, PartialEq)]
pub struct UintArray<C = Ciphertext> {
    pub(super) width: Width,
    /// Blocks of an integer.
    pub(super) per: usize,
    pub(super) blocks: Vec<C>,
}

impl<C: Clone> UintArray<C> {
    /// The number of bits of each integer.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The number of integers.
    pub fn len(&self) -> usize {
        self.blocks.len() / self.per
    }

    /// Whether there are no integers.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks of all integers, one after another, least significant first.
    pub fn blocks(&self) -> &[C] {
        &self.blocks
    }

    /// The integers at these places, in this order.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn take(&self, places: &[usize]) -> Self {
        let blocks = places.iter().flat_map(|&i| self.integer(i).iter().cloned()).collect();
        self.with(blocks)
    }

    /// The integers at neighbouring places.
    ///
    /// # Panics
    /// If there are no such places.
    pub fn slice(&self, places: Range<usize>) -> Self {
        self.with(self.blocks[places.start * self.per..places.end * self.per].to_vec())
    }

    /// The blocks of one integer.
    pub(super) fn integer(&self, i: usize) -> &[C] {
        &self.blocks[i * self.per..(i + 1) * self.per]
    }

    /// The last block of each integer, which holds the sign of a signed one.
    pub(super) fn last_blocks(&self) -> Vec<C> {
        self.blocks.iter().skip(self.per - 1).step_by(self.per).cloned().collect()
    }

    /// One array of all these arrays' integers, which are of one width and secret, in order.
    pub(super) fn concatenated(parts: &[&Self]) -> Self {
        parts[0].with(parts.iter().flat_map(|part| part.blocks.iter().cloned()).collect())
    }

    /// An array of the same width with other blocks.
    pub(super) fn with(&self, blocks: Vec<C>) -> Self {
        Self { blocks, ..*self }
    }
}

impl UintArray {
    /// The key that the blocks belong to, or `None` for an empty array.
    pub fn key(&self) -> Option<SecretId> {
        self.blocks.first().map(Ciphertext::key)
    }

    /// One array of all these arrays' integers, in order.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`crate::ObjectError::OtherSecret`] for arrays of different secrets.
    ///
    /// # Panics
    /// If there are no arrays.
    pub fn join(parts: &[&Self]) -> Result<Self, Error> {
        let op = "join";
        for part in parts {
            if part.width != parts[0].width {
                return Err(Error::WidthMismatch { op, left: parts[0].width.bits(), right: part.width.bits() });
            }
        }
        let joined = Self::concatenated(parts);
        one_key(op, &joined.blocks)?;
        Ok(joined)
    }
}

impl<C: Block> UintArray<C> {
    /// An array from its parts, for files.
    ///
    /// # Errors
    /// [`Error::ValueOutOfSpace`] for a block that may hold more than a digit.
    pub(crate) fn from_blocks(op: &'static str, radix: Radix, width: Width, blocks: Vec<C>) -> Result<Self, Error> {
        check_values(op, &blocks, radix.base() - 1)?;
        let per = radix.blocks(width);
        // Half an integer is refused as too short a row.
        crate::gates::same_length(op, blocks.len(), blocks.len().next_multiple_of(per))?;
        Ok(Self { width, per, blocks })
    }
}

/// An array of encrypted truth values: 0 or 1 in a block each.
#[derive(Debug, Clone, PartialEq)]
pub struct BoolArray<C = Ciphertext>(pub(super) Vec<C>);

impl<C: Clone> BoolArray<C> {
    /// The number of truth values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no truth values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The blocks.
    pub fn blocks(&self) -> &[C] {
        &self.0
    }

    /// The truth values at these places, in this order.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn take(&self, places: &[usize]) -> Self {
        Self(places.iter().map(|&i| self.0[i].clone()).collect())
    }

    /// The truth values at neighbouring places.
    ///
    /// # Panics
    /// If there are no such places.
    pub fn slice(&self, places: Range<usize>) -> Self {
        Self(self.0[places].to_vec())
    }
}

impl BoolArray {
    /// The key that the blocks belong to, or `None` for an empty array.
    pub fn key(&self) -> Option<SecretId> {
        self.0.first().map(Ciphertext::key)
    }

    /// One array of all these arrays' truth values, in order.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`] for arrays of different secrets.
    pub fn join(parts: &[&Self]) -> Result<Self, Error> {
        let blocks: Vec<_> = parts.iter().flat_map(|part| part.0.iter().cloned()).collect();
        one_key("join", &blocks)?;
        Ok(Self(blocks))
    }
}

impl<C: Block> BoolArray<C> {
    /// An array from its blocks, for files.
    ///
    /// # Errors
    /// [`Error::ValueOutOfSpace`] for a block that may hold more than 1.
    pub(crate) fn from_blocks(op: &'static str, blocks: Vec<C>) -> Result<Self, Error> {
        check_values(op, &blocks, 1)?;
        Ok(Self(blocks))
    }
}

/// An array of a scheme's integers.
pub(super) type Uints<B> = UintArray<<B as Blocks>::Block>;

/// An array of a scheme's truth values.
pub(super) type Bools<B> = BoolArray<<B as Blocks>::Block>;

impl<B: Blocks> Arithmetic<B> {
    /// Public integers as operands, of [`Width::words`] words each: no noise, no mask, anybody can read them. Tables of
    /// public blocks are looked up without a bootstrap.
    ///
    /// # Errors
    /// [`Error::ValueTooLarge`], [`Error::LengthMismatch`] for words that make no whole integers.
    pub fn constants(&self, width: Width, values: &[u64]) -> Result<Uints<B>, B::Error> {
        let digits = self.radix.all_digits("constants", width, values)?;
        // Copies share their words.
        let plain: Vec<B::Block> = (0..self.radix.base()).map(|digit| self.plain(digit)).collect();
        let blocks = digits.into_iter().map(|digit| plain[digit as usize].clone()).collect();
        Ok(UintArray { width, per: self.radix.blocks(width), blocks })
    }

    /// A public integer below `2^64` as an operand beside each of `len` integers.
    pub(super) fn repeated(&self, width: Width, value: u64, len: usize) -> Result<Uints<B>, B::Error> {
        let mut words = vec![0; len * width.words()];
        words.iter_mut().step_by(width.words()).for_each(|word| *word = value);
        self.constants(width, &words)
    }

    /// Public truth values as operands.
    pub fn constant_bools(&self, values: &[bool]) -> Bools<B> {
        let plain = [0, 1].map(|value| self.plain(value));
        BoolArray(values.iter().map(|&value| plain[usize::from(value)].clone()).collect())
    }

    /// Integers from their blocks, least significant first: for blocks that tables gave.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for blocks that make no whole integers, [`crate::ObjectError::OtherSecret`], and
    /// [`Error::ValueOutOfSpace`] for a block that may hold more than a digit.
    pub fn uints_from_blocks(&self, width: Width, blocks: Vec<B::Block>) -> Result<Uints<B>, B::Error> {
        let op = "uints_from_blocks";
        blocks.iter().try_for_each(|block| self.blocks.check(op, "block", block))?;
        Ok(UintArray::from_blocks(op, self.radix, width, blocks)?)
    }

    /// Truth values from their blocks.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::ValueOutOfSpace`] for a block that may hold more than 1.
    pub fn bools_from_blocks(&self, blocks: Vec<B::Block>) -> Result<Bools<B>, B::Error> {
        let op = "bools_from_blocks";
        blocks.iter().try_for_each(|block| self.blocks.check(op, "block", block))?;
        Ok(BoolArray::from_blocks(op, blocks)?)
    }

    /// 0 or 1 for each truth value, without a bootstrap.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`].
    pub fn uints_from_bools(&self, width: Width, values: &Bools<B>) -> Result<Uints<B>, B::Error> {
        self.check_all("uints_from_bools", "operand", &values.0)?;
        let (per, zero) = (self.radix.blocks(width), self.plain(0));
        let integer = |block: &B::Block| {
            let mut blocks = vec![zero.clone(); per];
            blocks[0] = block.clone();
            blocks
        };
        Ok(UintArray { width, per, blocks: values.0.iter().flat_map(integer).collect() })
    }

    /// The integers at another width, without a bootstrap: zeros are put above, or the digits above the width cut off.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`].
    pub fn with_width(&self, a: &Uints<B>, width: Width) -> Result<Uints<B>, B::Error> {
        self.check_all("with_width", "operand", &a.blocks)?;
        Ok(self.resized(a, width, &vec![self.plain(0); a.len()]))
    }

    /// The integers at another width, with copies of a block above each one.
    pub(super) fn resized(&self, a: &Uints<B>, width: Width, above: &[B::Block]) -> Uints<B> {
        let per = self.radix.blocks(width);
        let resized = |i: usize| {
            let blocks = a.integer(i).iter().take(per);
            blocks.chain((a.per..per).map(move |_| &above[i])).cloned().collect::<Vec<_>>()
        };
        UintArray { width, per, blocks: (0..a.len()).flat_map(resized).collect() }
    }

    /// [`Blocks::plain`].
    pub(super) fn plain(&self, digit: u64) -> B::Block {
        self.blocks.plain(digit)
    }

    /// [`Blocks::public`].
    pub(super) fn public(&self, block: &B::Block) -> Option<u64> {
        self.blocks.public(block)
    }

    pub(super) fn check_all(&self, op: &'static str, what: &'static str, blocks: &[B::Block]) -> Result<(), B::Error> {
        blocks.iter().try_for_each(|block| self.blocks.check(op, what, block))
    }

    /// Refuses operands of other keys, different widths and different lengths.
    pub(super) fn check_pair(&self, op: &'static str, a: &Uints<B>, b: &Uints<B>) -> Result<(), B::Error> {
        self.check_all(op, "operand", &a.blocks)?;
        self.check_all(op, "operand", &b.blocks)?;
        if a.width != b.width {
            return Err(Error::WidthMismatch { op, left: a.width.bits(), right: b.width.bits() }.into());
        }
        Ok(crate::gates::same_length(op, a.len(), b.len())?)
    }
}

fn check_values<C: Block>(op: &'static str, blocks: &[C], max: u64) -> Result<(), Error> {
    match blocks.iter().enumerate().find(|(_, block)| block.max_value() > max) {
        Some((index, block)) => Err(Error::ValueOutOfSpace { op, index, value: block.max_value(), max }),
        None => Ok(()),
    }
}

fn one_key(op: &'static str, blocks: &[Ciphertext]) -> Result<(), Error> {
    let Some(first) = blocks.first() else { return Ok(()) };
    Ok(blocks.iter().try_for_each(|block| require_secret(op, "array", block.key(), first.key()))?)
}
