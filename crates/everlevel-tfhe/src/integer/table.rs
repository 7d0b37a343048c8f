//! Tables of blocks: many inputs, each with its own table, in one pass over the key.

use super::{EncryptedUint, Integers};
use crate::{Ciphertext, Error, Lut};

/// A function of a message.
#[derive(Debug)]
pub(super) struct Table {
    lut: Lut,
    entries: Vec<u64>,
}

impl Integers<'_> {
    /// The table of `f`, whose values must be messages for every message, reachable or not.
    pub(super) fn table(&self, f: impl Fn(u64) -> u64) -> Result<Table, Error> {
        let entries: Vec<u64> = (0..=self.radix.max()).map(f).collect();
        Ok(Table { lut: Lut::from_messages(self.keys.params(), std::slice::from_ref(&entries))?, entries })
    }

    /// The table of `f(a, b)` on what [`Integers::pair`] makes.
    pub(super) fn table2(&self, f: impl Fn(u64, u64) -> u64) -> Result<Table, Error> {
        let base = self.radix.base();
        self.table(|x| if x < base * base { f(x / base, x % base) } else { 0 })
    }

    /// Looks each input up in its table. Outputs know the largest value that their input can give.
    pub(super) fn look_up(&self, op: &'static str, jobs: &[(Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        for (x, table) in jobs {
            self.keys.check_noise(op, x.variance_torus(), table.lut.log2_stride())?;
        }
        let inputs: Vec<_> = jobs.iter().map(|(x, _)| x.lwe.clone()).collect();
        let luts: Vec<&Lut> = jobs.iter().map(|(_, table)| &table.lut).collect();
        let out = self.keys.bootstrap(&inputs, &luts);
        let wrap = |((lwe, noise), (x, table)): (_, &(Ciphertext, &Table))| {
            let max_value = table.entries.iter().take(x.max_value as usize + 1).copied().max().unwrap_or(0);
            Ciphertext { lwe, key: self.keys.id(), noise, max_value }
        };
        Ok(out.into_iter().flatten().zip(jobs).map(wrap).collect())
    }

    /// One table of every input.
    pub(super) fn map(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        table: &Table,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.look_up(op, &inputs.into_iter().map(|x| (x, table)).collect::<Vec<_>>())
    }

    /// `M·a + b`.
    pub(super) fn pair(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.keys.linear(&[(self.radix.base() as i64, a), (1, b)], 0)
    }

    /// `Σ x`.
    pub(super) fn sum<'a>(&self, terms: impl IntoIterator<Item = &'a Ciphertext>) -> Result<Ciphertext, Error> {
        self.keys.linear(&terms.into_iter().map(|x| (1, x)).collect::<Vec<_>>(), 0)
    }

    /// Largest number of bootstrapped bits that one table takes as their sum.
    pub(super) fn fan_in(&self) -> usize {
        (self.radix.max() as usize).min(self.keys.params().norm2 as usize).max(2)
    }

    /// The blocks, those bootstrapped whose noise would be too much beside another's when multiplied by `M`.
    pub(super) fn settled(&self, op: &'static str, a: &EncryptedUint) -> Result<Vec<Ciphertext>, Error> {
        let (square, one) = ((self.radix.base() as f64).powi(2), self.keys.params().noise().bootstrapped);
        let noisy = |x: &Ciphertext| {
            let variance = x.variance_torus();
            variance > one && self.keys.check_noise(op, square * variance + 2.0 * one, 0).is_err()
        };
        let which: Vec<usize> = (0..a.blocks.len()).filter(|&i| noisy(&a.blocks[i])).collect();
        let mut blocks = a.blocks.clone();
        if !which.is_empty() {
            let fresh = self.map(op, which.iter().map(|&i| blocks[i].clone()).collect(), &self.table(|x| x)?)?;
            which.into_iter().zip(fresh).for_each(|(i, block)| blocks[i] = block);
        }
        Ok(blocks)
    }
}
