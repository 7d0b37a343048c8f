//! Numbers of bits of integers: ones, and zeros at either end. Operations of [`Integers`].

use super::columns::{Columns, Place};
use super::{Integers, UintArray, Width};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// For each integer the number of its bits that are set, of 8 bits, or of 16 for integers of 256 bits.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn count_ones(&self, a: &UintArray) -> Result<UintArray, Error> {
        let op = "count_ones";
        self.check_all(op, "operand", &a.blocks)?;
        let counts =
            self.map(op, a.blocks.clone(), &self.table(|x| u64::from(x.count_ones()).min(self.radix.max())))?;
        self.total_count(op, a, counts)
    }

    /// For each integer the number of zeros above its first bit that is set, and its width if there is none. Widths of
    /// the results are those of [`Integers::count_ones`].
    ///
    /// # Errors
    /// As there.
    pub fn leading_zeros(&self, a: &UintArray) -> Result<UintArray, Error> {
        let bits = self.radix.bits;
        self.zeros("leading_zeros", a, |x| u64::from(bits - (u64::BITS - x.leading_zeros())))
    }

    /// For each integer the number of zeros below its last bit that is set, and its width if there is none. Widths of
    /// the results are those of [`Integers::count_ones`].
    ///
    /// # Errors
    /// As there.
    pub fn trailing_zeros(&self, a: &UintArray) -> Result<UintArray, Error> {
        let bits = self.radix.bits;
        let reversed = a.with(a.blocks.chunks(a.per).flat_map(|blocks| blocks.iter().rev().cloned()).collect());
        self.zeros("trailing_zeros", &reversed, |x| u64::from(x.trailing_zeros().min(bits)))
    }

    /// The sum of a digit's zeros over all digits above which no other is set, and the first one that is.
    fn zeros(&self, op: &'static str, a: &UintArray, of_digit: impl Fn(u64) -> u64) -> Result<UintArray, Error> {
        self.check_all(op, "operand", &a.blocks)?;
        let blocks = self.settled(op, &a.blocks, 3)?;
        let is_set = self.any_above(op, &blocks, a.per)?;
        let table = self.table2(|above, x| if above == 0 { of_digit(x) } else { 0 });
        let none = self.plain(0);
        let inputs = blocks.iter().enumerate().map(|(i, block)| {
            let is_last = (i + 1).is_multiple_of(a.per);
            self.pair(if is_last { &none } else { &is_set[i + 1] }, block)
        });
        let counts = self.map(op, inputs.collect::<Result<_, _>>()?, &table)?;
        self.total_count(op, a, counts)
    }

    /// The sums of each integer's counts, of which there is one for each block.
    fn total_count(&self, op: &'static str, a: &UintArray, counts: Vec<Ciphertext>) -> Result<UintArray, Error> {
        let width = if a.width > Width::U128 { Width::U16 } else { Width::U8 };
        let per = self.radix.blocks(width);
        let mut columns = Columns::new(a.len(), per, None);
        columns.put((0..counts.len()).map(|i| Place::Column(i / a.per * per)).collect(), counts);
        Ok(self.total(op, &UintArray { width, per, blocks: Vec::new() }, columns)?.0)
    }
}
