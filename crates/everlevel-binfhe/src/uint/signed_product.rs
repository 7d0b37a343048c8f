//! Products of signed integers that tell when they are out of range.
//!
//! A product modulo `2^w`, of `w` bits, has the digits that it has of unsigned integers. Whether it is out of range is
//! found from lengths. Let `A` and `B` be the digits of `a` and `b`, complemented for those below zero, so that `|a|`
//! is `A` or `A + 1`; and `l` the sum of the lengths of `A` and `B` in bits, where it isn't 0 because either is zero.
//!
//! * `l ≥ w + 1`: `|ab| ≥ AB ≥ 2^(w − 1)`, and more if the signs differ: out of range.
//! * `l = w`: `2^(w − 2) ≤ |ab| ≤ 2^w`, with equality at either end only where the signs agree. In the range, and only
//!   there, the product's two upper bits modulo `2^w` are 01 if the signs agree and 10 if they differ.
//! * `l ≤ w − 1`: `|ab| ≤ 2^(w − 1)`, so that only `2^(w − 1)` itself is out of range, whose two upper bits are 10
//!   where the signs agree.
//!
//! So with an **excess** of 0, 1 or 2 for `l ≤ w − 1`, `l = w` or more, a product is out of range if its excess is at
//! least a **limit**, which follows from the signs and the two upper bits.
//!
//! The digits of `2A` and of `B` tell of `l`: a digit `i` of `2A` of length `x` and a digit `j` of `B` of length `y`,
//! both the first that aren't zero, have `l = m(i + j) − 1 + x + y` with digits of `m` bits. With `n` digits, `w = mn`:
//! it is above `w` for `i + j ≥ n`, and below `w` for `i + j ≤ n − 2`; for `i + j = n − 1` it is `w − (m + 1) + x + y`.
//! So each digit `i` is looked up beside digit `n − 1 − i` of `B`, whose length counts as `m + 1` where `B` has another
//! digit further up. The pair of the first digit of `2A` that isn't zero has the product's excess, and where that is
//! below 2, all pairs further down have 0.

use std::cmp::Ordering;

use super::blocks::Table;
use super::keyed::KeyedBlocks;
use super::saturating::{ABOVE, BELOW, WITHIN};
use super::signed::Signed;
use super::{BoolArray, UintArray};
use crate::{Ciphertext, Error};

/// The largest excess.
const MOST: u64 = 2;

impl Signed<'_, KeyedBlocks<'_>> {
    /// `a·b` modulo `2^width`, and whether each product is out of range.
    ///
    /// # Errors
    /// As [`super::Integers::checked_mul`].
    pub fn checked_mul(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let (product, overflow) = self.product("checked_mul", a, b, |state| u64::from(state != WITHIN))?;
        Ok((product, BoolArray(overflow)))
    }

    /// `a·b` modulo `2^width`, and an outcome of each product's state.
    pub(super) fn product(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        outcome: impl Fn(u64) -> u64,
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
        let (int, base, bits) = (self.0, self.0.radix.base(), self.0.radix.bits);
        int.check_pair(op, a, b)?;
        let (signs_a, doubled) = self.doubled(op, a)?;
        let (signs_b, lengths) = self.lengths(op, b)?;
        let excesses = self.excesses(op, a.per, &doubled, &lengths)?;
        let sums = int.column_sums(op, &mut int.digit_products(op, a, b, None)?)?;
        let (blocks, tops) = int.propagate(op, sums, a.per, Some(&int.table(|x| (x % base) >> (bits - 2))))?;
        // Limits where signs agree, and 2 more where they differ.
        let limit = int.table(|x| match (x / base == 1, x % base) {
            (false, top) => [1, 2, 0, 0][top.min(3) as usize],
            (true, top) => MOST + if top < 2 { 1 } else { 2 },
        });
        let inputs = (0..a.len()).map(|e| int.sum([&tops[e], &signs_a[e], &signs_b[e]]));
        let limits = int.map(op, inputs.collect::<Result<_, _>>()?, &limit)?;
        let state = int.table(|x| {
            let (limit, excess) = (x / (MOST + 1), x % (MOST + 1));
            let (limit, beyond) = if limit > MOST { (limit - MOST, BELOW) } else { (limit, ABOVE) };
            outcome(if excess >= limit { beyond } else { WITHIN })
        });
        let inputs = limits.iter().zip(&excesses);
        let inputs = inputs.map(|(limit, excess)| int.linear(&[(MOST as i64 + 1, limit), (1, excess)], 0));
        let states = int.map(op, inputs.collect::<Result<_, _>>()?, &state)?;
        Ok((a.with(blocks), states))
    }

    /// Signs, `M` for those below zero; and the digits of `2A`.
    fn doubled(&self, op: &'static str, a: &UintArray) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let (int, half, per) = (self.0, self.0.radix.base() / 2, a.per);
        let low = int.table(|x| self.last_magnitude(x) % half * 2);
        let [signs, last] = int.map_all(op, &a.last_blocks(), [&self.sign_digit(), &low])?;
        let low = int.table(|x| self.magnitude(x) % half * 2);
        let top = int.table(|x| self.magnitude(x) / half);
        let lower = (0..a.blocks.len()).filter(|i| !(i + 1).is_multiple_of(per));
        let inputs = lower.map(|i| int.sum([&a.blocks[i], &signs[i / per]])).collect::<Result<Vec<_>, _>>()?;
        let [low, top] = int.map_all(op, &inputs, [&low, &top])?;
        let mut digits = Vec::with_capacity(a.blocks.len());
        for ((last, low), top) in last.iter().zip(low.chunks(per - 1)).zip(top.chunks(per - 1)) {
            digits.push(low[0].clone());
            for (low, top) in low[1..].iter().chain([last]).zip(top) {
                digits.push(int.digit_sum(&[low.clone(), top.clone()])?);
            }
        }
        Ok((signs, digits))
    }

    /// Signs, `M` for those below zero; and the length in bits of each digit of `B`, `m + 1` where a digit further up
    /// isn't zero, and 0 for zeros with no such digit.
    fn lengths(&self, op: &'static str, b: &UintArray) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let (int, base, per) = (self.0, self.0.radix.base(), b.per);
        let most = u64::from(int.radix.bits) + 1;
        let length = |x: u64| u64::from(u64::BITS - x.leading_zeros());
        // That a digit isn't zero counts as `2M` in the inputs of the next one.
        let of_last = int.table(|x| length(self.last_magnitude(x)));
        let last_is_set = int.table(|x| if self.last_magnitude(x) > 0 { 2 * base } else { 0 });
        let of_digit = int.table(|x| if x >= 2 * base { most } else { length(self.magnitude(x)) });
        let is_set = int.table(|x| if x >= 2 * base || self.magnitude(x) > 0 { 2 * base } else { 0 });
        let tables = [&self.sign_digit(), &last_is_set, &of_last];
        let [signs, mut above, last] = int.map_all(op, &b.last_blocks(), tables)?;
        let mut lengths = vec![int.plain(0); b.blocks.len()];
        lengths.iter_mut().skip(per - 1).step_by(per).zip(last).for_each(|(length, last)| *length = last);
        for place in (0..per - 1).rev() {
            let digits = b.blocks.iter().skip(place).step_by(per);
            let inputs = digits.zip(&signs).zip(&above).map(|((x, sign), above)| int.sum([x, sign, above]));
            let inputs: Vec<Ciphertext> = inputs.collect::<Result<_, _>>()?;
            let found = match place {
                0 => int.map(op, inputs, &of_digit)?,
                _ => {
                    let found;
                    [found, above] = int.map_all(op, &inputs, [&of_digit, &is_set])?;
                    found
                }
            };
            lengths.iter_mut().skip(place).step_by(per).zip(found).for_each(|(length, found)| *length = found);
        }
        Ok((signs, lengths))
    }

    /// The excess of each product.
    fn excesses(
        &self,
        op: &'static str,
        per: usize,
        doubled: &[Ciphertext],
        lengths: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, Error> {
        let (int, bits) = (self.0, u64::from(self.0.radix.bits));
        let excess = int.table2(|length, digit| {
            if length == 0 || digit == 0 {
                return 0;
            }
            match (u64::from(u64::BITS - digit.leading_zeros()) + length).cmp(&(bits + 1)) {
                Ordering::Less => 0,
                Ordering::Equal => 1,
                Ordering::Greater => MOST,
            }
        });
        let pairs = doubled.chunks(per).zip(lengths.chunks(per)).flat_map(|(a, b)| a.iter().zip(b.iter().rev()));
        let inputs = pairs.map(|(digit, length)| int.pair(length, digit)).collect::<Result<_, _>>()?;
        let found = int.map(op, inputs, &excess)?;
        int.folded(op, found.chunks(per).map(<[_]>::to_vec).collect(), &int.table(|sum| sum.min(MOST)))
    }

    /// The table of a last digit's sign, as `M`.
    fn sign_digit(&self) -> Table {
        let base = self.0.radix.base();
        self.0.table(|x| if x >= base / 2 { base } else { 0 })
    }

    /// A digit, complemented for a sign of `M` beside it.
    fn magnitude(&self, x: u64) -> u64 {
        let base = self.0.radix.base();
        if (x / base).is_multiple_of(2) { x % base } else { base - 1 - x % base }
    }

    /// A last digit, complemented if its sign says so.
    fn last_magnitude(&self, x: u64) -> u64 {
        let base = self.0.radix.base();
        self.magnitude(x % base + if x % base >= base / 2 { base } else { 0 })
    }
}
