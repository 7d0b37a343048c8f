//! Signed integers, in two's complement over the blocks of unsigned ones: what differs from unsigned arithmetic.

use std::cmp::Ordering;

use super::array::{Bools, Uints};
use super::blocks::{Blocks, Digits, Table};
use super::reduce::Extreme;
use super::shift::{Ends, check_amount};
use super::{Arithmetic, BoolArray, Width};

/// Whether the last bit of an integer is its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Unsigned,
    Signed,
}

/// Arithmetic on arrays whose elements are signed integers, in two's complement. Sums, differences, products, negation,
/// bits, moves to the left, equality and selections are those of [`Arithmetic`].
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a, B>(pub(super) &'a Arithmetic<B>);

impl<B: Blocks> Arithmetic<B> {
    /// The operations that take the same arrays as signed integers.
    pub fn signed(&self) -> Signed<'_, B> {
        Signed(self)
    }
}

impl<B: Blocks> Signed<'_, B> {
    /// Whether `a < b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn lt(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        match self.sign_beside_zero("lt", a, b, true)? {
            Some(found) => Ok(found),
            None => self.0.order("lt", a, b, Sign::Signed, Ordering::is_lt),
        }
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn le(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        match self.sign_beside_zero("le", b, a, false)? {
            Some(found) => Ok(found),
            None => self.0.order("le", a, b, Sign::Signed, Ordering::is_le),
        }
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn gt(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        match self.sign_beside_zero("gt", b, a, true)? {
            Some(found) => Ok(found),
            None => self.0.order("gt", a, b, Sign::Signed, Ordering::is_gt),
        }
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn ge(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        match self.sign_beside_zero("ge", a, b, false)? {
            Some(found) => Ok(found),
            None => self.0.order("ge", a, b, Sign::Signed, Ordering::is_ge),
        }
    }

    /// Whether each `a` is below zero, or isn't, where `b` is a zero in the clear; `None` where it isn't one.
    fn sign_beside_zero(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        is_below: bool,
    ) -> Result<Option<Bools<B>>, B::Error> {
        let int = self.0;
        let fits = (a.width, a.len()) == (b.width, b.len());
        if !fits || b.blocks.iter().any(|block| int.public(block) != Some(0)) {
            return Ok(None);
        }
        int.check_pair(op, a, b)?;
        let half = int.radix.base() / 2;
        let table = int.table(|x| u64::from((x >= half) == is_below));
        Ok(Some(BoolArray(int.map(op, a.last_blocks(), &table)?)))
    }

    /// The smaller one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn min(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.0.chosen("min", a, b, Sign::Signed, Ordering::is_lt)
    }

    /// The larger one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn max(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.0.chosen("max", a, b, Sign::Signed, Ordering::is_gt)
    }

    /// [`Arithmetic::add`], and whether each sum is out of range.
    ///
    /// # Errors
    /// As there.
    pub fn checked_add(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let (sum, overflow) = self.add_blocks("checked_add", a, b, &self.overflow())?;
        Ok((sum, BoolArray(overflow)))
    }

    /// [`Arithmetic::sub`], and whether each difference is out of range.
    ///
    /// # Errors
    /// As [`Arithmetic::add`].
    pub fn checked_sub(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let (difference, overflow) = self.sub_blocks("checked_sub", a, b, &self.overflow())?;
        Ok((difference, BoolArray(overflow)))
    }

    /// Whether sums are out of range, by their last digits, signed and `M` more.
    fn overflow(&self) -> Table {
        let base = self.0.radix.base();
        self.0.table(|x| u64::from(!(base / 2..base + base / 2).contains(&x)))
    }

    /// Sums modulo `2^width`, and what a table gives of the last digits of each, signed and `M` more.
    pub(super) fn add_blocks(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        last: &Table,
    ) -> Result<(Uints<B>, Digits<B>), B::Error> {
        self.0.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.0.sum([a, b])).collect::<Result<_, _>>()?;
        let half = self.0.radix.base() / 2;
        self.with_last(op, [a, b], sums, (|a, b| (a ^ half) + (b ^ half), last))
    }

    /// Differences, and what a table gives of the last digits of each, signed and `M` more.
    pub(super) fn sub_blocks(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        last: &Table,
    ) -> Result<(Uints<B>, Digits<B>), B::Error> {
        self.0.check_pair(op, a, b)?;
        let (base, half) = (self.0.radix.base(), self.0.radix.base() / 2);
        let sums = self.0.complement(b, Some(a))?;
        self.with_last(op, [a, b], sums, (|a, b| (a ^ half) + base - 1 - (b ^ half), last))
    }

    /// Sums modulo `2^width`, and what a table gives of the last ones, from sums of digits before carries.
    ///
    /// The last digits' `biased` is the sum of signed digits, plus `M`: congruent to the digits' own, so that it
    /// takes that one's place. With the carry into it, it says whether the sum is out of range, beside its digit, in
    /// one bootstrap.
    fn with_last(
        &self,
        op: &'static str,
        [a, b]: [&Uints<B>; 2],
        mut sums: Vec<B::Block>,
        (biased, table): (impl Fn(u64, u64) -> u64, &Table),
    ) -> Result<(Uints<B>, Digits<B>), B::Error> {
        let (int, base) = (self.0, self.0.radix.base());
        let settled = int.settled(op, &a.last_blocks(), base)?;
        let pairs = settled.iter().zip(&b.last_blocks()).map(|(a, b)| int.pair(a, b)).collect::<Result<_, _>>()?;
        let last = int.map(op, pairs, &int.table2(biased))?;
        sums.iter_mut().skip(a.per - 1).step_by(a.per).zip(last).for_each(|(sum, last)| *sum = last);
        let (blocks, found) = int.propagate(op, sums, a.per, Some(table))?;
        Ok((a.with(blocks), found))
    }

    /// `|a|`, which is `a` where it is the least integer.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`crate::Error::NoiseExhausted`].
    pub fn abs(&self, a: &Uints<B>) -> Result<Uints<B>, B::Error> {
        let (op, int, per) = ("abs", self.0, a.per);
        int.check_all(op, "operand", &a.blocks)?;
        let (top, half) = (int.radix.base() - 1, int.radix.base() / 2);
        if B::HAS_PRODUCTS {
            return self.absolute(op, a, &self.are_below_zero(op, a)?);
        }
        let (sign, half_turn) = (int.table(|x| u64::from(x >= half)), int.half_table(|x| x >= half));
        let digit = int.table(|x| if x >= half { top - x.min(top) } else { x });
        let [signs, halves, last] = int.map_all(op, &a.last_blocks(), [&sign, &half_turn, &digit])?;
        // The digits of `−a − 1` where `a` is below zero, and 1 more.
        let lower = (0..a.blocks.len()).filter(|i| !(i + 1).is_multiple_of(per));
        let inputs = lower.map(|i| int.blocks.mirrored(&a.blocks[i], &[&halves[i / per]])).collect::<Result<_, _>>()?;
        let mut lower = int.map(op, inputs, &int.mirrored_table(top, |x| x.min(top)))?.into_iter();
        let mut sums = Vec::with_capacity(a.blocks.len());
        for (last, sign) in last.into_iter().zip(&signs) {
            let first = sums.len();
            sums.extend(lower.by_ref().take(per - 1).chain([last]));
            sums[first] = int.sum([&sums[first], sign])?;
        }
        Ok(a.with(int.propagate(op, sums, per, None)?.0))
    }

    /// Whether each `a` is below zero.
    pub(super) fn are_below_zero(&self, op: &'static str, a: &Uints<B>) -> Result<Bools<B>, B::Error> {
        let half = self.0.radix.base() / 2;
        Ok(BoolArray(self.0.map(op, a.last_blocks(), &self.0.table(|x| u64::from(x >= half)))?))
    }

    /// `|a|`, given whether each `a` is below zero.
    pub(super) fn absolute(&self, op: &'static str, a: &Uints<B>, sign: &Bools<B>) -> Result<Uints<B>, B::Error> {
        self.0.select_blocks(op, sign, &self.0.neg(a)?, a)
    }

    /// `a >> amount`, rounded down: copies of the sign come in.
    ///
    /// # Errors
    /// As [`Arithmetic::shl`].
    pub fn shr(&self, a: &Uints<B>, amount: u32) -> Result<Uints<B>, B::Error> {
        check_amount("shr", a, amount)?;
        self.0.shift("shr", a, -i64::from(amount), Ends::Signed)
    }

    /// `a >> amount` for an encrypted amount, whose bits count as an unsigned integer's: 0 or −1 for amounts of the
    /// width or more.
    ///
    /// # Errors
    /// As [`Arithmetic::shl_by`].
    pub fn shr_by(&self, a: &Uints<B>, amount: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.0.shift_by("shr_by", a, amount, -1, Ends::Signed)
    }

    /// The integers at another width: copies of the sign are put above, by a bootstrap for each, or the digits above
    /// the width cut off.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`crate::Error::NoiseExhausted`].
    pub fn with_width(&self, a: &Uints<B>, width: Width) -> Result<Uints<B>, B::Error> {
        let op = "with_width";
        if width <= a.width {
            return self.0.with_width(a, width);
        }
        self.0.check_all(op, "operand", &a.blocks)?;
        Ok(self.0.resized(a, width, &self.0.sign_blocks(op, a)?))
    }

    /// For each column its smallest or largest integer: [`Arithmetic::extreme_row`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there are no rows.
    pub fn extreme_row(&self, a: &Uints<B>, rows: usize, extreme: Extreme) -> Result<Uints<B>, B::Error> {
        self.0.extreme_row_of(a, rows, (extreme, Sign::Signed))
    }

    /// For each column the number of the first row that holds its smallest or largest integer, unsigned:
    /// [`Arithmetic::place_of_extreme`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there are no rows.
    pub fn place_of_extreme(&self, a: &Uints<B>, rows: usize, extreme: Extreme) -> Result<Uints<B>, B::Error> {
        self.0.place_of_extreme_of(a, rows, (extreme, Sign::Signed))
    }
}
