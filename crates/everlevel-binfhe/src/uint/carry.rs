//! The propagation of carries through the blocks of integers, after additions: block by block, in halves at once, or by
//! parallel prefix.
//!
//! Block `i` **generates** a carry where its sum is at least `M`, **propagates** one where it is `M − 1`, and its state
//! is 2, 1 or 0 (neither). A carry into a propagating block goes on, which is addition: of `k` states with weights
//! `2^0 … 2^(k−1)` and the carry that comes in, bit `i + 1` of the sum over the first `i + 1` is the carry out of block
//! `i`. So a group of `k` blocks with `2^(k+1) − 1` in the space needs one table for each carry, and the group itself
//! generates where its states' sum is above `2^k − 1` and propagates where it is equal: groups are blocks of the next
//! level.
//!
//! *Halves.* Where a round of two bootstraps takes less than two rounds, and blocks have products, the upper half of an
//! integer begins before the carry into it is known. Its state goes up instead: 0, 2 for a carry, and 1 where it is
//! that into the half. Of `x = 2·sum + state`, the sum with that carry is `⌈x/2⌉` and without it `⌊x/2⌋`, so that
//! tables of `x` give both digits, between which a product chooses in the end.
//!
//! *Two digits at once.* Where a space has room for two sums and a carry, `s + M·s'`, and the tables of an input share
//! a bootstrap, one look-up gives both digits and the carry out.

use super::Arithmetic;
use super::blocks::{Block, Blocks, Digits, Table};

impl<B: Blocks> Arithmetic<B> {
    /// For integers of `per` blocks: digits below `M` from sums of at most `2M − 2` (each integer's first sum:
    /// `2M − 1`), and outcomes of a table of each last sum with the carry into it, none if there is no such table: that
    /// of [`Arithmetic::carry_table`] gives the carries out of the last blocks.
    pub(super) fn propagate(
        &self,
        op: &'static str,
        mut sums: Vec<B::Block>,
        per: usize,
        last: Option<&Table>,
    ) -> Result<(Digits<B>, Digits<B>), B::Error> {
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
        if let Some(joined) = self.joined(&sums, per)? {
            return self.propagate_joined(op, joined, per, last);
        }
        if self.by_halves(len, per) {
            return self.propagate_halves(op, sums, per, last);
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

    /// Sums of two digits each, `s + M·s'`, where the space and the errors have room for these and a carry, and all
    /// tables of an input are one bootstrap.
    fn joined(&self, sums: &[B::Block], per: usize) -> Result<Option<Vec<B::Block>>, B::Error> {
        let max = |pair: &[B::Block]| pair[0].max_value() + self.radix.base() * pair[1].max_value();
        let has_room = |(i, pair): (usize, &[B::Block])| {
            // The first sum has no carry from below.
            max(pair) + u64::from(!(2 * i).is_multiple_of(per)) <= self.radix.max()
        };
        if !B::HAS_PRODUCTS || !per.is_multiple_of(2) || !sums.chunks(2).enumerate().all(has_room) {
            return Ok(None);
        }
        let joined = sums.chunks(2).map(|pair| self.pair(&pair[1], &pair[0])).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(joined).filter(|joined| joined.iter().all(|x| self.blocks.takes(&[x], 1))))
    }

    /// As [`Arithmetic::propagate`], two digits at once.
    fn propagate_joined(
        &self,
        op: &'static str,
        mut sums: Vec<B::Block>,
        per: usize,
        last: Option<&Table>,
    ) -> Result<(Digits<B>, Digits<B>), B::Error> {
        let (base, pairs) = (self.radix.base(), per / 2);
        let digits = [self.table(|x| x % base), self.table(|x| x / base % base)];
        let carry = self.table(|x| u64::from(x >= base * base));
        let end = last.map(|table| self.table(|x| table.entries[(x / base) as usize]));
        let mut blocks = vec![self.plain(0); 2 * sums.len()];
        let mut out = Vec::new();
        for step in 0..pairs {
            let third = if step + 1 < pairs { Some(&carry) } else { end.as_ref() };
            let tables = || digits.iter().chain(third);
            let inputs = sums.iter().skip(step).step_by(pairs);
            let jobs: Vec<_> = inputs.flat_map(|x| tables().map(|table| (x.clone(), table))).collect();
            let mut found = self.look_up(op, &jobs)?.into_iter();
            let mut carries = Vec::new();
            for blocks in blocks.chunks_mut(per) {
                (blocks[2 * step], blocks[2 * step + 1]) = (next(&mut found), next(&mut found));
                carries.extend(third.map(|_| next(&mut found)));
            }
            if step + 1 < pairs {
                self.carry_into(&mut sums, pairs, step + 1, carries.iter())?;
            } else {
                out = carries;
            }
        }
        Ok((blocks, out))
    }

    /// As [`Arithmetic::propagate`], in halves at once.
    fn propagate_halves(
        &self,
        op: &'static str,
        mut sums: Vec<B::Block>,
        per: usize,
        last: Option<&Table>,
    ) -> Result<(Digits<B>, Digits<B>), B::Error> {
        let (base, half) = (self.radix.base(), per.div_ceil(2));
        let (digit, carry) = (self.table(|sum| sum % base), self.carry_table());
        // Of a table of sums, those of `x` with the carry into the half and without it.
        let both = |table: &Table| [1, 0].map(|carry| self.table(|x| table.entries[(x as usize + carry) / 2]));
        let (digits, ends) = (both(&digit), last.map(both));
        let state = self.table(|x| u64::from(x / 2 >= base) + u64::from(x.div_ceil(2) >= base));
        let mut carries: Vec<B::Block> = Vec::new();
        let mut states: Vec<B::Block> = vec![self.blocks.plain(1); sums.len() / per];
        // For each upper digit of an integer, and what is asked of its last sum: with the carry, and without it.
        let mut options: Vec<Vec<[B::Block; 2]>> = vec![Vec::new(); states.len()];
        for step in 0..half {
            let (has_upper, is_end) = (half + step < per, half + step + 1 == per);
            let mut jobs = Vec::new();
            for (sums, known) in sums.chunks(per).zip(&states) {
                jobs.extend([&digit, &carry].map(|table| (sums[step].clone(), table)));
                if has_upper {
                    let x = self.linear(&[(2, &sums[half + step]), (1, known)], 0)?;
                    jobs.extend(digits.iter().map(|table| (x.clone(), table)));
                    jobs.extend(ends.iter().flatten().filter(|_| is_end).map(|table| (x.clone(), table)));
                    jobs.extend((!is_end).then_some((x, &state)));
                }
            }
            let mut found = self.look_up(op, &jobs)?.into_iter();
            carries.clear();
            for (i, sums) in sums.chunks_mut(per).enumerate() {
                sums[step] = next(&mut found);
                carries.push(next(&mut found));
                if has_upper {
                    options[i].push([next(&mut found), next(&mut found)]);
                    if is_end && last.is_some() {
                        options[i].push([next(&mut found), next(&mut found)]);
                    }
                    if !is_end {
                        states[i] = next(&mut found);
                    }
                }
            }
            if step + 1 < half {
                self.carry_into(&mut sums, per, step + 1, carries.iter())?;
            }
        }
        let mut out = Vec::new();
        for ((sums, options), carry) in sums.chunks_mut(per).zip(&options).zip(&carries) {
            let chosen = options.iter().map(|[with, without]| self.blocks.choose(op, carry, [with, without]));
            let mut chosen = chosen.collect::<Result<Vec<_>, _>>()?.into_iter();
            sums[half..].iter_mut().zip(chosen.by_ref()).for_each(|(sum, digit)| *sum = digit);
            out.extend(chosen);
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
        inputs: &[B::Block],
        digit: &'t Table,
        second: impl Fn(usize) -> Option<&'t Table>,
    ) -> Result<(Digits<B>, Digits<B>), B::Error> {
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
        sums: &mut [B::Block],
        per: usize,
        place: usize,
        carries: impl Iterator<Item = &'a B::Block>,
    ) -> Result<(), B::Error>
    where
        B::Block: 'a,
    {
        for (sum, carry) in sums.iter_mut().skip(place).step_by(per).zip(carries) {
            *sum = self.sum([&*sum, carry])?;
        }
        Ok(())
    }

    /// Whether prefix takes less time than block by block for `count` carries and `per` digits of each of `len`
    /// integers: prefix has fewer rounds, and more bootstraps in all, which is no loss where a round would leave
    /// threads idle.
    fn by_prefix(&self, len: usize, per: usize, count: usize) -> bool {
        self.prefix_time(len, count) + self.blocks.round_time(len * per) < per as f64 * self.blocks.round_time(len)
    }

    /// Whether halves at once take less time than one block after the other.
    fn by_halves(&self, len: usize, per: usize) -> bool {
        let time = |rounds: usize, jobs| rounds as f64 * self.blocks.round_time(jobs);
        B::HAS_PRODUCTS && time(per.div_ceil(2), 2 * len) < time(per, len)
    }

    fn prefix_time(&self, len: usize, count: usize) -> f64 {
        if count <= 1 {
            return self.blocks.round_time(len * count);
        }
        let groups = (count - 1) / self.group();
        self.blocks.round_time(len * count)
            + self.prefix_time(len, groups)
            + self.blocks.round_time(len * (count - groups))
    }

    /// The carry out of each input, 0 or 1, by prefix: an input propagates at `threshold` and generates above it. Each
    /// integer has `per` inputs.
    fn carries(
        &self,
        op: &'static str,
        inputs: Vec<B::Block>,
        per: usize,
        threshold: u64,
    ) -> Result<Vec<B::Block>, B::Error> {
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
        let mut rest = self.look_up(op, &jobs.collect::<Result<Vec<_>, B::Error>>()?)?.into_iter();
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
        inputs: Vec<B::Block>,
        per: usize,
        threshold: u64,
    ) -> Result<Vec<B::Block>, B::Error> {
        let state = |x: u64| x.cmp(&threshold) as i8 + 1;
        let tables = (0..self.group()).map(|place| self.table(|x| (state(x) as u64) << place));
        let tables = tables.collect::<Vec<Table>>();
        let jobs: Vec<_> = inputs.into_iter().enumerate().map(|(i, x)| (x, &tables[i % per % tables.len()])).collect();
        self.look_up(op, &jobs)
    }
}

/// The outcome of the next job: a look-up has one for each.
fn next<C>(found: &mut impl Iterator<Item = C>) -> C {
    found.next().unwrap_or_else(|| unreachable!("an outcome for each job"))
}
