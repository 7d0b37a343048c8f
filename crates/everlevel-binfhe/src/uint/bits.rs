//! Bitwise operations on integers, selection by a condition, and gates of truth values: operations of [`Arithmetic`].

use super::array::{Bools, Uints};
use super::blocks::Blocks;
use super::{Arithmetic, BoolArray};
use crate::gates::same_length;

impl<B: Blocks> Arithmetic<B> {
    /// `a AND b`, bit by bit.
    ///
    /// # Errors
    /// [`crate::Error::WidthMismatch`], [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    pub fn bitand(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.bitwise("bitand", a, b, |a, b| a & b)
    }

    /// `a OR b`, bit by bit.
    ///
    /// # Errors
    /// As [`Arithmetic::bitand`].
    pub fn bitor(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.bitwise("bitor", a, b, |a, b| a | b)
    }

    /// `a XOR b`, bit by bit.
    ///
    /// # Errors
    /// As [`Arithmetic::bitand`].
    pub fn bitxor(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.bitwise("bitxor", a, b, |a, b| a ^ b)
    }

    /// `NOT a`, bit by bit, without a bootstrap.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`].
    pub fn not(&self, a: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.check_all("not", "operand", &a.blocks)?;
        let top = self.radix.base() as i64 - 1;
        let blocks = a.blocks.iter().map(|x| self.linear(&[(-1, x)], top)).collect::<Result<_, _>>()?;
        Ok(a.with(blocks))
    }

    /// `a` where the condition holds, `b` where it doesn't.
    ///
    /// # Errors
    /// As [`Arithmetic::bitand`].
    pub fn select(&self, condition: &Bools<B>, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.select_blocks("select", condition, a, b)
    }

    /// [`Arithmetic::select`] of truth values, by a bootstrap for each.
    ///
    /// # Errors
    /// [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`], [`crate::Error::NoiseExhausted`].
    pub fn select_bools(&self, condition: &Bools<B>, a: &Bools<B>, b: &Bools<B>) -> Result<Bools<B>, B::Error> {
        let op = "select_bools";
        [condition, a, b].into_iter().try_for_each(|values| self.check_all(op, "operand", &values.0))?;
        same_length(op, condition.len(), a.len())?;
        same_length(op, a.len(), b.len())?;
        let mut condition = self.settled(op, &condition.0, 5)?;
        let table = self.table(|x| x >> (if x >> 2 & 1 == 1 { 1 } else { 0 }) & 1);
        let inputs = |condition: &[B::Block]| -> Result<Vec<B::Block>, B::Error> {
            let operands = condition.iter().zip(&a.0).zip(&b.0);
            operands.map(|((c, a), b)| self.linear(&[(4, c), (2, a), (1, b)], 0)).collect()
        };
        // A condition that shares its noise with an operand is made anew.
        let found = inputs(&condition)?;
        let shared: Vec<usize> = (0..found.len()).filter(|&i| !self.blocks.takes(&[&found[i]], 1)).collect();
        if shared.is_empty() {
            return Ok(BoolArray(self.map(op, found, &table)?));
        }
        let fresh = self.map(op, shared.iter().map(|&i| condition[i].clone()).collect(), &self.table(|x| x))?;
        shared.into_iter().zip(fresh).for_each(|(i, block)| condition[i] = block);
        Ok(BoolArray(self.map(op, inputs(&condition)?, &table)?))
    }

    /// `NOT a` of truth values, without a bootstrap.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`].
    pub fn not_bools(&self, a: &Bools<B>) -> Result<Bools<B>, B::Error> {
        self.check_all("not_bools", "operand", &a.0)?;
        Ok(BoolArray(a.0.iter().map(|x| self.linear(&[(-1, x)], 1)).collect::<Result<_, _>>()?))
    }

    /// `f(a, b)` of truth values, any gate.
    ///
    /// # Errors
    /// [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`], [`crate::Error::NoiseExhausted`].
    pub fn combine_bools(
        &self,
        a: &Bools<B>,
        b: &Bools<B>,
        f: impl Fn(bool, bool) -> bool,
    ) -> Result<Bools<B>, B::Error> {
        let op = "combine_bools";
        [a, b].into_iter().try_for_each(|values| self.check_all(op, "operand", &values.0))?;
        same_length(op, a.len(), b.len())?;
        let table = self.table2(|a, b| u64::from(f(a != 0, b != 0)));
        let pairs = a.0.iter().zip(&b.0).map(|(a, b)| self.pair(a, b)).collect::<Result<_, _>>()?;
        Ok(BoolArray(self.map(op, pairs, &table)?))
    }

    fn bitwise(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<Uints<B>, B::Error> {
        self.check_pair(op, a, b)?;
        let blocks = self.map(op, self.pairs(op, a, b)?, &self.table2(f))?;
        Ok(a.with(blocks))
    }

    /// A product for each block, where blocks have such. Elsewhere two tables for each block, of which one gives 0, and
    /// the sum of both, whose noise is that of two bootstraps.
    /// Where a block is in the clear, one table of the condition and the other block; where both are, tables of the
    /// condition, which share a bootstrap.
    pub(super) fn select_blocks(
        &self,
        op: &'static str,
        condition: &Bools<B>,
        a: &Uints<B>,
        b: &Uints<B>,
    ) -> Result<Uints<B>, B::Error> {
        self.check_all(op, "condition", &condition.0)?;
        self.check_pair(op, a, b)?;
        same_length(op, condition.len(), a.len())?;
        if B::HAS_PRODUCTS {
            let options = a.blocks.iter().zip(&b.blocks).enumerate();
            let chosen = options.map(|(i, (x, y))| self.blocks.choose(op, &condition.0[i / a.per], [x, y]));
            return Ok(a.with(chosen.collect::<Result<_, _>>()?));
        }
        let halves = [self.table2(|c, x| c * x), self.table2(|c, x| (1 - c.min(1)) * x)];
        let digits = 0..self.radix.base();
        let with_a = digits.clone().map(|known| self.table2(|c, x| if c == 0 { x } else { known }));
        let with_b = digits.clone().map(|known| self.table2(|c, x| if c == 0 { known } else { x }));
        let [with_a, with_b]: [Vec<_>; 2] = [with_a.collect(), with_b.collect()];
        let both = digits.clone().flat_map(|x| digits.clone().map(move |y| (x, y)));
        let both: Vec<_> = both.map(|(x, y)| self.table(|c| if c == 0 { y } else { x })).collect();
        let (mut jobs, mut counts) = (Vec::with_capacity(2 * a.blocks.len()), Vec::with_capacity(a.blocks.len()));
        for (i, (a_block, b_block)) in a.blocks.iter().zip(&b.blocks).enumerate() {
            let (c, before) = (&condition.0[i / a.per], jobs.len());
            match (self.public(a_block), self.public(b_block)) {
                (Some(x), Some(y)) => jobs.push((c.clone(), &both[(x * self.radix.base() + y) as usize])),
                (Some(x), None) => jobs.push((self.pair(c, b_block)?, &with_a[x as usize])),
                (None, Some(y)) => jobs.push((self.pair(c, a_block)?, &with_b[y as usize])),
                (None, None) => {
                    jobs.push((self.pair(c, a_block)?, &halves[0]));
                    jobs.push((self.pair(c, b_block)?, &halves[1]));
                }
            }
            counts.push(jobs.len() - before);
        }
        let mut found = &self.look_up(op, &jobs)?[..];
        let mut blocks = Vec::with_capacity(counts.len());
        for count in counts {
            let parts;
            (parts, found) = found.split_at(count);
            blocks.push(if let [part] = parts { part.clone() } else { self.digit_sum(parts)? });
        }
        Ok(a.with(blocks))
    }
}
