//! Addition, subtraction, negation.

use super::{EncryptedBool, EncryptedUint, Integers};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// `a + b` modulo `2^width`.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn add(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        let (sum, _) = self.add_blocks("add", a, b, false)?;
        Ok(sum)
    }

    /// `a + b` modulo `2^width`, and whether the sum is `2^width` or more.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_add(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<(EncryptedUint, EncryptedBool), Error> {
        let (sum, carry) = self.add_blocks("checked_add", a, b, true)?;
        Ok((sum, EncryptedBool(carry.unwrap_or_else(|| unreachable!("asked for")))))
    }

    /// `a − b` modulo `2^width`.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn sub(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        let (difference, _) = self.sub_blocks("sub", a, b, false)?;
        Ok(difference)
    }

    /// `a − b` modulo `2^width`, and whether `b` is larger.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_sub(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<(EncryptedUint, EncryptedBool), Error> {
        let (difference, carry) = self.sub_blocks("checked_sub", a, b, true)?;
        let carry = carry.unwrap_or_else(|| unreachable!("asked for"));
        Ok((difference, self.not_flag(&EncryptedBool(carry))?))
    }

    /// `−a` modulo `2^width`.
    ///
    /// # Errors
    /// [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn neg(&self, a: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.check("neg", a)?;
        let sums = self.complement(a, None)?;
        Ok(EncryptedUint { width: a.width, blocks: self.propagate("neg", sums, false)?.0 })
    }

    fn add_blocks(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
        carry_out: bool,
    ) -> Result<(EncryptedUint, Option<Ciphertext>), Error> {
        self.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.sum([a, b])).collect::<Result<_, _>>()?;
        let (blocks, carry) = self.propagate(op, sums, carry_out)?;
        Ok((EncryptedUint { width: a.width, blocks }, carry))
    }

    fn sub_blocks(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
        carry_out: bool,
    ) -> Result<(EncryptedUint, Option<Ciphertext>), Error> {
        self.check_pair(op, a, b)?;
        let (blocks, carry) = self.propagate(op, self.complement(b, Some(a))?, carry_out)?;
        Ok((EncryptedUint { width: a.width, blocks }, carry))
    }

    /// `plus + (2^width − 1 − a) + 1` block by block, before carries: a carry out says that `plus ≥ a`.
    fn complement(&self, a: &EncryptedUint, plus: Option<&EncryptedUint>) -> Result<Vec<Ciphertext>, Error> {
        let top = self.radix.base() as i64 - 1;
        let block = |i: usize| {
            let constant = top + i64::from(i == 0);
            match plus {
                Some(plus) => self.keys.linear(&[(-1, &a.blocks[i]), (1, &plus.blocks[i])], constant),
                None => self.keys.linear(&[(-1, &a.blocks[i])], constant),
            }
        };
        (0..a.blocks.len()).map(block).collect()
    }
}
