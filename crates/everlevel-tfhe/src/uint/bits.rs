//! Bitwise operations, selection, and truth values.

use super::{EncryptedBool, EncryptedUint, Integers};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// `a AND b`, bit by bit.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn bitand(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.bitwise("bitand", a, b, |a, b| a & b)
    }

    /// `a OR b`, bit by bit.
    ///
    /// # Errors
    /// As [`Integers::bitand`].
    pub fn bitor(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.bitwise("bitor", a, b, |a, b| a | b)
    }

    /// `a XOR b`, bit by bit.
    ///
    /// # Errors
    /// As [`Integers::bitand`].
    pub fn bitxor(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.bitwise("bitxor", a, b, |a, b| a ^ b)
    }

    /// `NOT a`, bit by bit, without a bootstrap.
    ///
    /// # Errors
    /// [`Error::ForeignObject`].
    pub fn not(&self, a: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.check("not", a)?;
        let top = self.radix.base() as i64 - 1;
        let blocks = a.blocks.iter().map(|x| self.keys.linear(&[(-1, x)], top)).collect::<Result<_, _>>()?;
        Ok(EncryptedUint { width: a.width, blocks })
    }

    /// `a` where the condition holds, `b` where it doesn't.
    ///
    /// # Errors
    /// As [`Integers::bitand`].
    pub fn select(
        &self,
        condition: &EncryptedBool,
        a: &EncryptedUint,
        b: &EncryptedUint,
    ) -> Result<EncryptedUint, Error> {
        self.select_blocks("select", condition, a, b)
    }

    /// `NOT a` of a truth value, without a bootstrap.
    ///
    /// # Errors
    /// [`Error::ForeignObject`].
    pub fn not_flag(&self, a: &EncryptedBool) -> Result<EncryptedBool, Error> {
        self.keys.check("not_flag", "operand", &a.0)?;
        Ok(EncryptedBool(self.keys.linear(&[(-1, &a.0)], 1)?))
    }

    /// `f(a, b)` of truth values, any gate.
    ///
    /// # Errors
    /// [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn combine_flags(
        &self,
        a: &EncryptedBool,
        b: &EncryptedBool,
        f: impl Fn(bool, bool) -> bool,
    ) -> Result<EncryptedBool, Error> {
        [a, b].into_iter().try_for_each(|flag| self.keys.check("combine_flags", "operand", &flag.0))?;
        let table = self.table2(|a, b| u64::from(f(a != 0, b != 0)))?;
        let out = self.map("combine_flags", vec![self.pair(&a.0, &b.0)?], &table)?;
        Ok(EncryptedBool(out.into_iter().next().unwrap_or_else(|| unreachable!("one input, one output"))))
    }

    fn bitwise(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<EncryptedUint, Error> {
        self.check_pair(op, a, b)?;
        let blocks = self.map(op, self.pairs(op, a, b)?, &self.table2(f)?)?;
        Ok(EncryptedUint { width: a.width, blocks })
    }

    /// Two tables for each block, of which one gives 0, and their sum: its noise is two bootstraps'.
    pub(super) fn select_blocks(
        &self,
        op: &'static str,
        condition: &EncryptedBool,
        a: &EncryptedUint,
        b: &EncryptedUint,
    ) -> Result<EncryptedUint, Error> {
        self.keys.check(op, "condition", &condition.0)?;
        self.check_pair(op, a, b)?;
        let tables = [self.table2(|c, x| c * x)?, self.table2(|c, x| (1 - c.min(1)) * x)?];
        let blocks = a.blocks.iter().zip(&b.blocks).flat_map(|(a, b)| [(a, &tables[0]), (b, &tables[1])]);
        let jobs = blocks.map(|(x, table)| Ok((self.pair(&condition.0, x)?, table)));
        let halves = self.look_up(op, &jobs.collect::<Result<Vec<_>, Error>>()?)?;
        let blocks = halves.chunks_exact(2).map(|pair| self.digit_sum(pair)).collect::<Result<_, _>>()?;
        Ok(EncryptedUint { width: a.width, blocks })
    }

    /// A sum that is known to be a digit.
    pub(super) fn digit_sum(&self, terms: &[Ciphertext]) -> Result<Ciphertext, Error> {
        Ok(Ciphertext { max_value: self.radix.base() - 1, ..self.sum(terms)? })
    }
}
