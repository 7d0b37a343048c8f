//! Tables of blocks: many inputs, each with its own table, in one pass over the key.

use super::{Integers, UintArray};
use crate::{Ciphertext, Error, Lut, Lwe, NoiseSum};

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

    /// Looks each input up in its table. Outputs know the largest value that their input can give. What is public, or the same for every value
    /// that the input may have, takes no bootstrap.
    pub(super) fn look_up(&self, op: &'static str, jobs: &[(Ciphertext, &Table)]) -> Result<Vec<Ciphertext>, Error> {
        for (x, table) in jobs {
            self.keys.check_noise(op, x.variance_torus(), table.lut.log2_stride())?;
        }
        let mut out: Vec<Option<Ciphertext>> = jobs.iter().map(|job| Some(self.plain(self.known(job)?))).collect();
        let open: Vec<usize> = (0..jobs.len()).filter(|&i| out[i].is_none()).collect();
        if !open.is_empty() {
            self.meter.start_round();
        }
        // Equal steps of whole passes over the key on every thread.
        let pass = self.keys.bootstrap_key().batch_len() * rayon::current_num_threads();
        let step = open.len().div_ceil(open.len().div_ceil(pass).max(1)).max(1);
        for places in open.chunks(step) {
            let results = self.bootstrap(&places.iter().map(|&i| &jobs[i]).collect::<Vec<_>>());
            places.iter().zip(results).for_each(|(&i, result)| out[i] = Some(result));
            self.meter.add(op, places.len())?;
        }
        Ok(out.into_iter().flatten().collect())
    }

    /// What the table gives, if that can be told.
    fn known(&self, (x, table): &(Ciphertext, &Table)) -> Option<u64> {
        let reachable = &table.entries[..=x.max_value as usize];
        let constant = reachable.iter().all(|entry| *entry == reachable[0]).then_some(reachable[0]);
        constant.or_else(|| self.public(x).map(|value| table.entries[value as usize]))
    }

    fn bootstrap(&self, jobs: &[&(Ciphertext, &Table)]) -> Vec<Ciphertext> {
        let rotated = if self.meter.dry {
            jobs.iter().map(|_| self.unknown()).collect()
        } else {
            let inputs: Vec<_> = jobs.iter().map(|(x, _)| x.lwe.clone()).collect();
            let luts: Vec<&Lut> = jobs.iter().map(|(_, table)| &table.lut).collect();
            self.keys.bootstrap(&inputs, &luts).into_iter().flatten().collect::<Vec<_>>()
        };
        let wrap = |((lwe, noise), (x, table)): (_, &&(Ciphertext, &Table))| {
            let max_value = table.entries.iter().take(x.max_value as usize + 1).copied().max().unwrap_or(0);
            Ciphertext { lwe, key: self.keys.id(), noise, max_value }
        };
        rotated.into_iter().zip(jobs).map(wrap).collect()
    }

    /// What stands for the output of a bootstrap that is not done: a mask like no other's, and as much noise.
    fn unknown(&self) -> (Lwe, NoiseSum) {
        let params = self.keys.params();
        let lwe = Lwe::from_words([vec![self.meter.name(); params.ciphertext_dim()], vec![0]].concat());
        let noise = NoiseSum::of(&lwe, params.noise().bootstrapped);
        (lwe, noise)
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

    /// `M·a + b` of all blocks.
    pub(super) fn pairs(&self, op: &'static str, a: &UintArray, b: &UintArray) -> Result<Vec<Ciphertext>, Error> {
        self.settled(op, &a.blocks)?.iter().zip(&b.blocks).map(|(a, b)| self.pair(a, b)).collect()
    }

    /// `Σ x`.
    pub(super) fn sum<'a>(&self, terms: impl IntoIterator<Item = &'a Ciphertext>) -> Result<Ciphertext, Error> {
        self.keys.linear(&terms.into_iter().map(|x| (1, x)).collect::<Vec<_>>(), 0)
    }

    /// A sum that is known to be a digit.
    pub(super) fn digit_sum(&self, terms: &[Ciphertext]) -> Result<Ciphertext, Error> {
        Ok(Ciphertext { max_value: self.radix.base() - 1, ..self.sum(terms)? })
    }

    /// Largest number of bootstrapped bits that one table takes as their sum.
    pub(super) fn fan_in(&self) -> usize {
        (self.radix.max() as usize).min(self.keys.params().norm2 as usize).max(2)
    }

    /// The blocks, those bootstrapped whose noise would be too much beside another's when multiplied by `M`.
    pub(super) fn settled(&self, op: &'static str, blocks: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let (square, one) = ((self.radix.base() as f64).powi(2), self.keys.params().noise().bootstrapped);
        let noisy = |x: &Ciphertext| {
            let variance = x.variance_torus();
            variance > one && self.keys.check_noise(op, square * variance + 2.0 * one, 0).is_err()
        };
        let which: Vec<usize> = (0..blocks.len()).filter(|&i| noisy(&blocks[i])).collect();
        let mut blocks = blocks.to_vec();
        let fresh = self.map(op, which.iter().map(|&i| blocks[i].clone()).collect(), &self.table(|x| x)?)?;
        which.into_iter().zip(fresh).for_each(|(i, block)| blocks[i] = block);
        Ok(blocks)
    }
}
