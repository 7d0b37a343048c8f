//! Addition, subtraction and negation of arrays of integers, element by element: operations of [`Integers`].

use super::table::Table;
use super::{BoolArray, Integers, UintArray};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// `a + b` modulo `2^width`.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`Error::NoiseExhausted`].
    pub fn add(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let (sum, _) = self.add_blocks("add", a, b, None)?;
        Ok(sum)
    }

    /// `a + b` modulo `2^width`, and whether each sum is `2^width` or more.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_add(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let (sum, carry) = self.add_blocks("checked_add", a, b, Some(&self.carry_table()))?;
        Ok((sum, BoolArray(carry)))
    }

    /// `a − b` modulo `2^width`.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn sub(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let (difference, _) = self.sub_blocks("sub", a, b, None)?;
        Ok(difference)
    }

    /// `a − b` modulo `2^width`, and whether each `b` is larger than its `a`.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_sub(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let (difference, carry) = self.sub_blocks("checked_sub", a, b, Some(&self.carry_table()))?;
        Ok((difference, self.not_bools(&BoolArray(carry))?))
    }

    /// `−a` modulo `2^width`.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn neg(&self, a: &UintArray) -> Result<UintArray, Error> {
        self.check_all("neg", "operand", &a.blocks)?;
        let sums = self.complement(a, None)?;
        Ok(a.with(self.propagate("neg", sums, a.per, None)?.0))
    }

    /// Sums, and what a table gives of their last blocks' sums: [`Integers::propagate`].
    pub(super) fn add_blocks(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        last: Option<&Table>,
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
        self.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.sum([a, b])).collect::<Result<_, _>>()?;
        let (blocks, carry) = self.propagate(op, sums, a.per, last)?;
        Ok((a.with(blocks), carry))
    }

    /// Differences, and what a table gives of their last blocks: [`Integers::add_blocks`].
    pub(super) fn sub_blocks(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        last: Option<&Table>,
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
        self.check_pair(op, a, b)?;
        let (blocks, carry) = self.propagate(op, self.complement(b, Some(a))?, a.per, last)?;
        Ok((a.with(blocks), carry))
    }

    /// `plus + (2^width − 1 − a) + 1` block by block, before carries: a carry out says that `plus ≥ a`.
    pub(super) fn complement(&self, a: &UintArray, plus: Option<&UintArray>) -> Result<Vec<Ciphertext>, Error> {
        let top = self.radix.base() as i64 - 1;
        let block = |i: usize| {
            let constant = top + i64::from(i.is_multiple_of(a.per));
            match plus {
                Some(plus) => self.linear(&[(-1, &a.blocks[i]), (1, &plus.blocks[i])], constant),
                None => self.linear(&[(-1, &a.blocks[i])], constant),
            }
        };
        (0..a.blocks.len()).map(block).collect()
    }
}
