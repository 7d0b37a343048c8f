//! Comparisons, minimum and maximum.

use std::cmp::Ordering;

use super::{EncryptedBool, EncryptedUint, Integers};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// Whether `a = b`.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn eq(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.not_flag(&self.differ("eq", a, b)?)
    }

    /// Whether `a ≠ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ne(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.differ("ne", a, b)
    }

    /// Whether `a < b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn lt(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.order("lt", a, b, Ordering::is_lt)
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn le(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.order("le", a, b, Ordering::is_le)
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn gt(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.order("gt", a, b, Ordering::is_gt)
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ge(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.order("ge", a, b, Ordering::is_ge)
    }

    /// The smaller one.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn min(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.select_blocks("min", &self.order("min", a, b, Ordering::is_lt)?, a, b)
    }

    /// The larger one.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn max(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.select_blocks("max", &self.order("max", a, b, Ordering::is_gt)?, a, b)
    }

    fn differ(&self, op: &'static str, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedBool, Error> {
        self.check_pair(op, a, b)?;
        let pairs = self.pairs(op, a, b)?;
        let bits = self.map(op, pairs, &self.table2(|a, b| u64::from(a != b))?)?;
        self.any(op, bits)
    }

    /// Whether the order of `a` and `b` is as asked.
    ///
    /// A block compares as 0, 1 or 2 for less, equal, greater. With weights `2^place`, the sum of a group is below, at or above `2^k − 1` as its most significant
    /// block that is not equal says: groups are blocks of the next level, as with carries.
    fn order(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<EncryptedBool, Error> {
        self.check_pair(op, a, b)?;
        let k = self.group();
        let tables = (0..k).map(|place| self.table2(|a, b| ((a.cmp(&b) as i8 + 1) as u64) << place));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let jobs: Vec<_> = self.pairs(op, a, b)?.into_iter().enumerate().map(|(i, x)| (x, &tables[i % k])).collect();
        let mut states = self.look_up(op, &jobs)?;
        loop {
            // A last group of fewer is filled up with equal ones.
            let group = |group: &[Ciphertext]| {
                let missing: u64 = (group.len()..k).map(|place| 1 << place).sum();
                self.sum(group.iter().chain([&self.plain(missing)]))
            };
            let sums = states.chunks(k).map(group).collect::<Result<Vec<_>, _>>()?;
            let threshold = (1 << k) - 1;
            if sums.len() == 1 {
                let table = self.table(|x| u64::from(asked(x.cmp(&threshold))))?;
                return Ok(EncryptedBool(self.map(op, sums, &table)?.remove(0)));
            }
            states = self.states(op, sums, threshold)?;
        }
    }

    /// Whether any of these bits is set.
    pub(super) fn any(&self, op: &'static str, mut bits: Vec<Ciphertext>) -> Result<EncryptedBool, Error> {
        let table = self.table(|count| u64::from(count > 0))?;
        while bits.len() > 1 {
            let sums = bits.chunks(self.fan_in()).map(|bits| self.sum(bits)).collect::<Result<_, _>>()?;
            bits = self.map(op, sums, &table)?;
        }
        Ok(EncryptedBool(bits.pop().unwrap_or_else(|| self.plain(0))))
    }

    /// `M·a + b` of all blocks.
    pub(super) fn pairs(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.settled(op, a)?.iter().zip(&b.blocks).map(|(a, b)| self.pair(a, b)).collect()
    }
}
