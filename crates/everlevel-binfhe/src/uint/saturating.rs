//! Sums, differences and products that end at the ends of the range: a state beside a result says which end it is
//! beyond, and a table for each digit puts the end's digit in its place.

use super::blocks::Table;
use super::keyed::KeyedBlocks;
use super::signed::{Sign, Signed};
use super::{Integers, UintArray};
use crate::{Ciphertext, Error};

/// The states of results: in the range, or beyond one of its ends.
pub(super) const WITHIN: u64 = 0;
pub(super) const ABOVE: u64 = 1;
pub(super) const BELOW: u64 = 2;

impl Integers<'_> {
    /// `a + b`, or the largest integer of the width where the sum is above.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn saturating_add(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let op = "saturating_add";
        let (sum, states) = self.add_blocks(op, a, b, Some(&self.carry_table()))?;
        self.clipped(op, &sum, &states, Sign::Unsigned)
    }

    /// `a − b`, or 0 where the difference is below.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn saturating_sub(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let (op, base) = ("saturating_sub", self.radix.base());
        let borrow = self.table(|x| if x < base { BELOW } else { WITHIN });
        let (difference, states) = self.sub_blocks(op, a, b, Some(&borrow))?;
        self.clipped(op, &difference, &states, Sign::Unsigned)
    }

    /// `a·b`, or the largest integer of the width where the product is above.
    ///
    /// # Errors
    /// As [`Integers::mul`].
    pub fn saturating_mul(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let op = "saturating_mul";
        let (product, overflow) = self.flagged_product(op, a, b)?;
        self.clipped(op, &product, &overflow.0, Sign::Unsigned)
    }

    /// Results, or the ends of the range that their states say they are beyond.
    fn clipped(&self, op: &'static str, a: &UintArray, states: &[Ciphertext], sign: Sign) -> Result<UintArray, Error> {
        let base = self.radix.base();
        let digit = |largest: u64| {
            self.table2(move |state, x| match state {
                WITHIN => x,
                ABOVE => largest,
                _ => base - 1 - largest,
            })
        };
        let tables = [digit(base - 1), digit(if sign == Sign::Signed { base / 2 - 1 } else { base - 1 })];
        let jobs = a.blocks.iter().enumerate().map(|(i, x)| {
            let is_last = (i + 1).is_multiple_of(a.per);
            Ok((self.pair(&states[i / a.per], x)?, &tables[usize::from(is_last)]))
        });
        Ok(a.with(self.look_up(op, &jobs.collect::<Result<Vec<_>, Error>>()?)?))
    }
}

impl Signed<'_, KeyedBlocks<'_>> {
    /// `a + b`, or the end of the range that the sum is beyond.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn saturating_add(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let op = "saturating_add";
        let (sum, states) = self.add_blocks(op, a, b, &self.states())?;
        self.0.clipped(op, &sum, &states, Sign::Signed)
    }

    /// `a − b`, or the end of the range that the difference is beyond.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn saturating_sub(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let op = "saturating_sub";
        let (difference, states) = self.sub_blocks(op, a, b, &self.states())?;
        self.0.clipped(op, &difference, &states, Sign::Signed)
    }

    /// `a·b`, or the end of the range that the product is beyond.
    ///
    /// # Errors
    /// As [`Integers::checked_mul`].
    pub fn saturating_mul(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        let op = "saturating_mul";
        let (product, states) = self.product(op, a, b, |state| state)?;
        self.0.clipped(op, &product, &states, Sign::Signed)
    }

    /// The states of sums by their last digits, signed and `M` more.
    fn states(&self) -> Table {
        let base = self.0.radix.base();
        self.0.table(|x| match x {
            x if x < base / 2 => BELOW,
            x if x >= base + base / 2 => ABOVE,
            _ => WITHIN,
        })
    }
}
