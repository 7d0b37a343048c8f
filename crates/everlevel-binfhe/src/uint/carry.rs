//! The propagation of carries through the blocks of integers, after additions: block by block, or by parallel prefix.
//!
//! Block `i` **generates** a carry where its sum is at least `M`, **propagates** one where it is `M − 1`, and its state
//! is 2, 1 or 0 (neither). A carry into a propagating block goes on, which is addition: of `k` states with weights
//! `2^0 … 2^(k−1)` and the carry that comes in, bit `i + 1` of the sum over the first `i + 1` is the carry out of block
//! `i`. So a group of `k` blocks with `2^(k+1) − 1` in the space needs one table for each carry, and the group itself
//! generates where its states' sum is above `2^k − 1` and propagates where it is equal: groups are blocks of the next
//! level.

use super::Integers;
use super::table::Table;
use crate::{Ciphertext, Error};

/// The time that the first bootstrap of a pass over the key takes longer than each later one, as a part of the later
/// one's.
const FIRST_OF_A_PASS: f64 = 0.4;

impl Integers<'_> {
    /// For integers of `per` blocks: digits below `M` from sums of at most `2M − 2` (each integer's first sum:
    /// `2M − 1`), and outcomes of a table of each last sum with the carry into it, none if there is no such table: that
    /// of [`Integers::carry_table`] gives the carries out of the last blocks.
    pub(super) fn propagate(
        &self,
        op: &'static str,
        mut sums: Vec<Ciphertext>,
        per: usize,
        last: Option<&Table>,
    ) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let base = self.radix.base();
        let (len, count) = (sums.len() / per, per - 1);
        let (digit, carry) = (self.table(|sum| sum % base), self.carry_table());
        if self.by_prefix(len, per, count) {
            let inputs = sums.chunks(per).flat_map(|sums| &sums[..count]).cloned().collect();
            let carries = self.carries(op, inputs, count, base - 1)?;
            for place in 0..count {
                self.carry_into(&mut sums, per, place + 1, carries.iter().skip(place).step_by(count))?;
            }
            // Digits of all blocks are one round.
            return self.two_tables(op, &sums, &digit, |i| last.filter(|_| (i + 1).is_multiple_of(per)));
        }
        let mut out = Vec::new();
        for place in 0..per {
            let table = if place < count { Some(&carry) } else { last };
            let inputs: Vec<_> = sums.iter().skip(place).step_by(per).cloned().collect();
            let (digits, found) = self.two_tables(op, &inputs, &digit, |_| table)?;
            sums.iter_mut().skip(place).step_by(per).zip(digits).for_each(|(sum, digit)| *sum = digit);
            if place < count {
                self.carry_into(&mut sums, per, place + 1, found.iter())?;
            } else {
                out = found;
            }
        }
        Ok((sums, out))
    }

    /// 1 for a sum of `M` or more.
    pub(super) fn carry_table(&self) -> Table {
        self.table(|sum| u64::from(sum >= self.radix.base()))
    }

    /// The digit of every input, and an outcome of a second table of those inputs that have one: both share a
    /// bootstrap.
    fn two_tables<'t>(
        &self,
        op: &'static str,
        inputs: &[Ciphertext],
        digit: &'t Table,
        second: impl Fn(usize) -> Option<&'t Table>,
    ) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let tables = |i: usize| [second(i), Some(digit)].into_iter().flatten();
        let jobs: Vec<_> = inputs.iter().enumerate().flat_map(|(i, x)| tables(i).map(|t| (x.clone(), t))).collect();
        let mut values = self.look_up(op, &jobs)?.into_iter();
        let (mut digits, mut found) = (Vec::with_capacity(inputs.len()), Vec::new());
        for i in 0..inputs.len() {
            found.extend(second(i).and_then(|_| values.next()));
            digits.extend(values.next());
        }
        Ok((digits, found))
    }

    /// Adds carries to the blocks at a place.
    fn carry_into<'a>(
        &self,
        sums: &mut [Ciphertext],
        per: usize,
        place: usize,
        carries: impl Iterator<Item = &'a Ciphertext>,
    ) -> Result<(), Error> {
        for (sum, carry) in sums.iter_mut().skip(place).step_by(per).zip(carries) {
            *sum = self.sum([&*sum, carry])?;
        }
        Ok(())
    }

    /// Whether prefix takes less time than block by block for `count` carries and `per` digits of each of `len`
    /// integers: prefix has fewer rounds, and more bootstraps in all, which is no loss where a round would leave
    /// threads idle.
    fn by_prefix(&self, len: usize, per: usize, count: usize) -> bool {
        self.prefix_time(len, count) + self.round_time(len * per) < per as f64 * self.round_time(len)
    }

    fn prefix_time(&self, len: usize, count: usize) -> f64 {
        if count <= 1 {
            return self.round_time(len * count);
        }
        let groups = (count - 1) / self.group();
        self.round_time(len * count) + self.prefix_time(len, groups) + self.round_time(len * (count - groups))
    }

    /// Time of a round of so many bootstraps on the current threads.
    fn round_time(&self, jobs: usize) -> f64 {
        let each = jobs.div_ceil(rayon::current_num_threads());
        each as f64 + FIRST_OF_A_PASS * each.div_ceil(self.keys.bootstrap_key().batch_len()) as f64
    }

    /// The carry out of each input, 0 or 1, by prefix: an input propagates at `threshold` and generates above it. Each
    /// integer has `per` inputs.
    fn carries(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        per: usize,
        threshold: u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        if per <= 1 {
            return self.map(op, inputs, &self.table(|x| u64::from(x > threshold)));
        }
        let k = self.group();
        // For each input the weighted states of its group up to itself.
        let mut prefixes = self.states(op, inputs, per, threshold)?;
        for i in (0..prefixes.len()).filter(|i| !(i % per).is_multiple_of(k)) {
            prefixes[i] = self.sum([&prefixes[i - 1], &prefixes[i]])?;
        }
        // The carries out of all groups but the last are carries into the next ones.
        let last = (per - 1) / k;
        let known = |i: usize| i % per % k == k - 1 && i % per / k < last;
        let whole = (0..prefixes.len()).filter(|&i| known(i)).map(|i| prefixes[i].clone()).collect();
        let groups = self.carries(op, whole, last, (1 << k) - 1)?;
        let tables = (0..k).map(|place| self.table(|x| x >> (place + 1) & 1)).collect::<Vec<Table>>();
        let jobs = (0..prefixes.len()).filter(|&i| !known(i)).map(|i| {
            let input = match i % per / k {
                0 => prefixes[i].clone(),
                group => self.sum([&prefixes[i], &groups[i / per * last + group - 1]])?,
            };
            Ok((input, &tables[i % per % k]))
        });
        let mut rest = self.look_up(op, &jobs.collect::<Result<Vec<_>, Error>>()?)?.into_iter();
        let mut groups = groups.into_iter();
        Ok((0..prefixes.len()).filter_map(|i| if known(i) { groups.next() } else { rest.next() }).collect())
    }

    /// `k`: states of so many inputs and a carry fit the space together.
    pub(super) fn group(&self) -> usize {
        self.radix.space_bits as usize - 1
    }

    /// 0, 1 or 2 where an input is below, at or above the threshold, times `2^place` in its group. Each integer has
    /// `per` inputs.
    pub(super) fn states(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        per: usize,
        threshold: u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let state = |x: u64| x.cmp(&threshold) as i8 + 1;
        let tables = (0..self.group()).map(|place| self.table(|x| (state(x) as u64) << place));
        let tables = tables.collect::<Vec<Table>>();
        let jobs: Vec<_> = inputs.into_iter().enumerate().map(|(i, x)| (x, &tables[i % per % tables.len()])).collect();
        self.look_up(op, &jobs)
    }
}
