//! Carries: block by block, or by parallel prefix.
//!
//! Block `i` **generates** a carry where its sum is at least `M`, **propagates** one where it is `M − 1`, and its state is 2, 1 or 0 (neither). A carry into a
//! propagating block goes on, which is addition: of `k` states with weights `2^0 … 2^(k−1)` and the carry that comes in, bit `i + 1` of the sum over the
//! first `i + 1` is the carry out of block `i`. So a group of `k` blocks with `2^(k+1) − 1` in the space needs one table for each carry, and the group itself
//! generates where its states' sum is above `2^k − 1` and propagates where it is equal: groups are blocks of the next level.

use super::Integers;
use super::table::Table;
use crate::{Ciphertext, Error};

/// From this number of threads on, prefix takes less time than block by block, by the number of bootstraps one after another: for `n` blocks
/// `n − 1 + n/threads` block by block, about `3·n/threads` by prefix.
const PREFIX_THREADS: usize = 3;

impl Integers<'_> {
    /// Blocks below `M` from sums of at most `2M − 2`, the first of at most `2M − 1`; and the carry out of the last, where it is asked for.
    pub(super) fn propagate(
        &self,
        op: &'static str,
        mut sums: Vec<Ciphertext>,
        carry_out: bool,
    ) -> Result<(Vec<Ciphertext>, Option<Ciphertext>), Error> {
        let base = self.radix.base();
        let count = sums.len() - usize::from(!carry_out);
        let mut out = None;
        if rayon::current_num_threads() < PREFIX_THREADS {
            let table = self.table(|sum| u64::from(sum >= base))?;
            for i in 0..count {
                let carry = self.map(op, vec![sums[i].clone()], &table)?.remove(0);
                match sums.get_mut(i + 1) {
                    Some(next) => *next = self.sum([&*next, &carry])?,
                    None => out = Some(carry),
                }
            }
        } else {
            for (i, carry) in self.carries(op, &sums[..count], base - 1)?.into_iter().enumerate() {
                match sums.get_mut(i + 1) {
                    Some(next) => *next = self.sum([&*next, &carry])?,
                    None => out = Some(carry),
                }
            }
        }
        Ok((self.map(op, sums, &self.table(|sum| sum % base)?)?, out))
    }

    /// The carry out of each input, 0 or 1, by prefix: an input propagates at `threshold` and generates above it.
    fn carries(&self, op: &'static str, inputs: &[Ciphertext], threshold: u64) -> Result<Vec<Ciphertext>, Error> {
        if inputs.len() <= 1 {
            return self.map(op, inputs.to_vec(), &self.table(|x| u64::from(x > threshold))?);
        }
        let k = self.group();
        // For each input the weighted states of its group up to itself.
        let mut prefixes = self.states(op, inputs.to_vec(), threshold)?;
        for i in (0..prefixes.len()).filter(|i| i % k > 0) {
            prefixes[i] = self.sum([&prefixes[i - 1], &prefixes[i]])?;
        }
        // The carries out of all groups but the last are carries into the next ones.
        let last = (inputs.len() - 1) / k;
        let whole: Vec<Ciphertext> = (0..last).map(|group| prefixes[group * k + k - 1].clone()).collect();
        let groups = self.carries(op, &whole, (1 << k) - 1)?;
        let tables = (0..k).map(|place| self.table(|x| x >> (place + 1) & 1)).collect::<Result<Vec<Table>, _>>()?;
        let known = |i: usize| i % k == k - 1 && i / k < last;
        let jobs = (0..inputs.len()).filter(|&i| !known(i)).map(|i| {
            let input = match i / k {
                0 => prefixes[i].clone(),
                group => self.sum([&prefixes[i], &groups[group - 1]])?,
            };
            Ok((input, &tables[i % k]))
        });
        let mut rest = self.look_up(op, &jobs.collect::<Result<Vec<_>, Error>>()?)?.into_iter();
        let mut groups = groups.into_iter();
        Ok((0..inputs.len()).filter_map(|i| if known(i) { groups.next() } else { rest.next() }).collect())
    }

    /// `k`: states of so many inputs and a carry fit the space together.
    pub(super) fn group(&self) -> usize {
        self.radix.space_bits as usize - 1
    }

    /// 0, 1 or 2 where an input is below, at or above the threshold, times `2^place` in its group.
    pub(super) fn states(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        threshold: u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let state = |x: u64| x.cmp(&threshold) as i8 + 1;
        let tables = (0..self.group()).map(|place| self.table(|x| (state(x) as u64) << place));
        let tables = tables.collect::<Result<Vec<Table>, _>>()?;
        let jobs: Vec<_> = inputs.into_iter().enumerate().map(|(i, x)| (x, &tables[i % tables.len()])).collect();
        self.look_up(op, &jobs)
    }
}
