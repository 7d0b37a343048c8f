//! Addition, subtraction and negation of arrays of integers, element by element: operations of [`Arithmetic`].

use super::array::{Bools, Uints};
use super::blocks::{Blocks, Digits, Table};
use super::{Arithmetic, BoolArray};

impl<B: Blocks> Arithmetic<B> {
    /// `a + b` modulo `2^width`.
    ///
    /// # Errors
    /// [`crate::Error::WidthMismatch`], [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    pub fn add(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        let (sum, _) = self.add_blocks("add", a, b, None)?;
        Ok(sum)
    }

    /// `a + b` modulo `2^width`, and whether each sum is `2^width` or more.
    ///
    /// # Errors
    /// As [`Arithmetic::add`].
    pub fn checked_add(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let (sum, carry) = self.add_blocks("checked_add", a, b, Some(&self.carry_table()))?;
        Ok((sum, BoolArray(carry)))
    }

    /// `a − b` modulo `2^width`.
    ///
    /// # Errors
    /// As [`Arithmetic::add`].
    pub fn sub(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        let (difference, _) = self.sub_blocks("sub", a, b, None)?;
        Ok(difference)
    }

    /// `a − b` modulo `2^width`, and whether each `b` is larger than its `a`.
    ///
    /// # Errors
    /// As [`Arithmetic::add`].
    pub fn checked_sub(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let (difference, carry) = self.sub_blocks("checked_sub", a, b, Some(&self.carry_table()))?;
        Ok((difference, self.not_bools(&BoolArray(carry))?))
    }

    /// `−a` modulo `2^width`.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`crate::Error::NoiseExhausted`].
    pub fn neg(&self, a: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.check_all("neg", "operand", &a.blocks)?;
        let sums = self.complement(a, None)?;
        Ok(a.with(self.propagate("neg", sums, a.per, None)?.0))
    }

    /// Sums, and what a table gives of their last blocks' sums: [`Arithmetic::propagate`].
    pub(super) fn add_blocks(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        last: Option<&Table>,
    ) -> Result<(Uints<B>, Digits<B>), B::Error> {
        self.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.sum([a, b])).collect::<Result<_, _>>()?;
        let (blocks, carry) = self.propagate(op, sums, a.per, last)?;
        Ok((a.with(blocks), carry))
    }

    /// Differences, and what a table gives of their last blocks: [`Arithmetic::add_blocks`].
    pub(super) fn sub_blocks(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        last: Option<&Table>,
    ) -> Result<(Uints<B>, Digits<B>), B::Error> {
        self.check_pair(op, a, b)?;
        let (blocks, carry) = self.propagate(op, self.complement(b, Some(a))?, a.per, last)?;
        Ok((a.with(blocks), carry))
    }

    /// `plus + (2^width − 1 − a) + 1` block by block, before carries: a carry out says that `plus ≥ a`.
    pub(super) fn complement(&self, a: &Uints<B>, plus: Option<&Uints<B>>) -> Result<Vec<B::Block>, B::Error> {
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
