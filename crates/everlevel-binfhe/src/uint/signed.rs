//! Signed integers, in two's complement over the blocks of unsigned ones: what differs from unsigned arithmetic.

use std::cmp::Ordering;

use super::divided::Halved;
use super::reduce::Extreme;
use super::shift::{Ends, check_amount};
use super::table::Table;
use super::{BoolArray, Integers, UintArray, Width};
use crate::{Ciphertext, Error};

/// Whether the last bit of an integer is its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Unsigned,
    Signed,
}

/// Arithmetic on arrays whose elements are signed integers, in two's complement. Sums, differences, products, negation,
/// bits, moves to the left, equality and selections are those of [`Integers`].
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a, 'k>(pub(super) &'a Integers<'k>);

impl<'k> Integers<'k> {
    /// The operations that take the same arrays as signed integers.
    pub fn signed(&self) -> Signed<'_, 'k> {
        Signed(self)
    }
}

impl Signed<'_, '_> {
    /// Whether `a < b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn lt(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        match self.sign_beside_zero("lt", a, b, true)? {
            Some(found) => Ok(found),
            None => self.0.order("lt", a, b, Sign::Signed, Ordering::is_lt),
        }
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn le(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        match self.sign_beside_zero("le", b, a, false)? {
            Some(found) => Ok(found),
            None => self.0.order("le", a, b, Sign::Signed, Ordering::is_le),
        }
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn gt(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        match self.sign_beside_zero("gt", b, a, true)? {
            Some(found) => Ok(found),
            None => self.0.order("gt", a, b, Sign::Signed, Ordering::is_gt),
        }
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ge(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        match self.sign_beside_zero("ge", a, b, false)? {
            Some(found) => Ok(found),
            None => self.0.order("ge", a, b, Sign::Signed, Ordering::is_ge),
        }
    }

    /// Whether each `a` is below zero, or isn't, where `b` is a zero in the clear; `None` where it isn't one.
    fn sign_beside_zero(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        is_below: bool,
    ) -> Result<Option<BoolArray>, Error> {
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
    /// As [`Integers::eq`].
    pub fn min(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        self.0.chosen("min", a, b, Sign::Signed, Ordering::is_lt)
    }

    /// The larger one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn max(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        self.0.chosen("max", a, b, Sign::Signed, Ordering::is_gt)
    }

    /// [`Integers::add`], and whether each sum is out of range.
    ///
    /// # Errors
    /// As there.
    pub fn checked_add(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let (sum, overflow) = self.add_blocks("checked_add", a, b, &self.overflow())?;
        Ok((sum, BoolArray(overflow)))
    }

    /// [`Integers::sub`], and whether each difference is out of range.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_sub(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
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
        a: &UintArray,
        b: &UintArray,
        last: &Table,
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
        self.0.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.0.sum([a, b])).collect::<Result<_, _>>()?;
        let half = self.0.radix.base() / 2;
        self.with_last(op, [a, b], sums, (|a, b| (a ^ half) + (b ^ half), last))
    }

    /// Differences, and what a table gives of the last digits of each, signed and `M` more.
    pub(super) fn sub_blocks(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        last: &Table,
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
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
        [a, b]: [&UintArray; 2],
        mut sums: Vec<Ciphertext>,
        (biased, table): (impl Fn(u64, u64) -> u64, &Table),
    ) -> Result<(UintArray, Vec<Ciphertext>), Error> {
        let (int, base) = (self.0, self.0.radix.base());
        let settled = int.settled(op, &a.last_blocks(), base)?;
        let pairs = settled.iter().zip(&b.last_blocks()).map(|(a, b)| int.pair(a, b)).collect::<Result<_, _>>()?;
        let last = int.map(op, pairs, &int.table2(biased))?;
        sums.iter_mut().skip(a.per - 1).step_by(a.per).zip(last).for_each(|(sum, last)| *sum = last);
        let (blocks, found) = int.propagate(op, sums, a.per, Some(table))?;
        Ok((a.with(blocks), found.unwrap_or_else(|| unreachable!("asked for"))))
    }

    /// `|a|`, which is `a` where it is the least integer.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn abs(&self, a: &UintArray) -> Result<UintArray, Error> {
        let op = "abs";
        self.0.check_all(op, "operand", &a.blocks)?;
        Ok(self.magnitude(op, a)?.1)
    }

    /// Signs, and magnitudes as unsigned integers.
    fn magnitude(&self, op: &'static str, a: &UintArray) -> Result<(Halved, UintArray), Error> {
        let (signs, mut sums) = self.complement_of_negatives(op, a)?;
        for (i, sign) in signs.digits.iter().enumerate() {
            sums[i * a.per] = self.0.sum([&sums[i * a.per], sign])?;
        }
        Ok((signs, a.with(self.0.propagate(op, sums, a.per, None)?.0)))
    }

    /// `a·b` modulo `2^width`, and whether each product is out of range.
    ///
    /// # Errors
    /// As [`Integers::checked_mul`].
    pub fn checked_mul(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let (product, overflow, _) = self.product("checked_mul", a, b)?;
        Ok((product, overflow))
    }

    /// `a·b` modulo `2^width`, whether each product is out of range, and whether signs differ: the product of
    /// magnitudes, complemented and one more if they do. Its last digit with the carry into it is `M/2` or more then,
    /// and less otherwise, unless it is out of range.
    pub(super) fn product(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
    ) -> Result<(UintArray, BoolArray, Vec<Ciphertext>), Error> {
        let (int, per) = (self.0, a.per);
        int.check_pair(op, a, b)?;
        let base = int.radix.base();
        let ((sign_a, x), (sign_b, y)) = (self.magnitude(op, a)?, self.magnitude(op, b)?);
        let (product, overflow) = int.product(op, &x, &y, Some(int.high_products(op, &x, &y)?))?;
        let mut overflow = overflow.unwrap_or_else(|| unreachable!("asked for"));
        let halves = |e: usize| [&sign_a.halves[e], &sign_b.halves[e]];
        let inputs = product.blocks.iter().enumerate().map(|(i, x)| int.mirrored(x, halves(i / per)));
        let digit = int.mirrored_table(base - 1, |x| x.min(base - 1));
        let mut sums = int.map(op, inputs.collect::<Result<_, _>>()?, &digit)?;
        let signs = sign_a.digits.iter().zip(&sign_b.digits).map(|(a, b)| int.sum([a, b]));
        let signs = int.map(op, signs.collect::<Result<_, _>>()?, &int.table(|count| u64::from(count == 1)))?;
        for (e, sign) in signs.iter().enumerate() {
            sums[e * per] = int.sum([&sums[e * per], sign])?;
        }
        let lower = sums.chunks(per).flat_map(|sums| sums[..per - 1].to_vec()).collect();
        let (digits, carries) = int.propagate(op, lower, per - 1, Some(&int.carry_table()))?;
        let (last, is_out) = (int.table(|x| x % base), int.mirrored_table(1, |x| u64::from(x >= base / 2)));
        let mut jobs = Vec::with_capacity(2 * a.len());
        for (e, carry) in carries.iter().flatten().enumerate() {
            let sum = int.sum([&sums[(e + 1) * per - 1], carry])?;
            let with_sign = int.mirrored(&sum, halves(e))?;
            jobs.extend([(sum, &last), (with_sign, &is_out)]);
        }
        let found = int.look_up(op, &jobs)?;
        let mut blocks = Vec::with_capacity(sums.len());
        for (e, digits) in digits.chunks(per - 1).enumerate() {
            blocks.extend(digits.iter().chain([&found[2 * e]]).cloned());
            overflow[e].push(found[2 * e + 1].clone());
        }
        Ok((a.with(blocks), int.any(op, overflow)?, signs))
    }

    /// `a >> amount`, rounded down: copies of the sign come in.
    ///
    /// # Errors
    /// As [`Integers::shl`].
    pub fn shr(&self, a: &UintArray, amount: u32) -> Result<UintArray, Error> {
        check_amount("shr", a, amount)?;
        self.0.shift("shr", a, -i64::from(amount), Ends::Signed)
    }

    /// `a >> amount` for an encrypted amount, whose bits count as an unsigned integer's: 0 or −1 for amounts of the
    /// width or more.
    ///
    /// # Errors
    /// As [`Integers::shl_by`].
    pub fn shr_by(&self, a: &UintArray, amount: &UintArray) -> Result<UintArray, Error> {
        self.0.shift_by("shr_by", a, amount, -1, Ends::Signed)
    }

    /// The integers at another width: copies of the sign are put above, by a bootstrap for each, or the digits above
    /// the width cut off.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn with_width(&self, a: &UintArray, width: Width) -> Result<UintArray, Error> {
        let op = "with_width";
        if width <= a.width {
            return self.0.with_width(a, width);
        }
        self.0.check_all(op, "operand", &a.blocks)?;
        Ok(self.0.resized(a, width, &self.0.sign_blocks(op, a)?))
    }

    /// For each column its smallest or largest integer: [`Integers::extreme_row`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there are no rows.
    pub fn extreme_row(&self, a: &UintArray, rows: usize, extreme: Extreme) -> Result<UintArray, Error> {
        self.0.extreme_row_of(a, rows, (extreme, Sign::Signed))
    }

    /// For each column the number of the first row that holds its smallest or largest integer, unsigned:
    /// [`Integers::place_of_extreme`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there are no rows.
    pub fn place_of_extreme(&self, a: &UintArray, rows: usize, extreme: Extreme) -> Result<UintArray, Error> {
        self.0.place_of_extreme_of(a, rows, (extreme, Sign::Signed))
    }

    /// Whether each integer is below zero, and the digits of `a`, or of `−a − 1` where it is: a last digit and its sign
    /// are tables of one input.
    pub(super) fn complement_of_negatives(
        &self,
        op: &'static str,
        a: &UintArray,
    ) -> Result<(Halved, Vec<Ciphertext>), Error> {
        let (int, top, half) = (self.0, self.0.radix.base() - 1, self.0.radix.base() / 2);
        let digit = int.table(|x| if x >= half { top - x.min(top) } else { x });
        let (signs, last) = self.signs_and(op, a.last_blocks(), |x| x >= half, &digit)?;
        let blocks = self.complement_where(op, a, &a.blocks, &signs, last)?;
        Ok((signs, blocks))
    }

    /// A condition of each input, and an outcome of a table.
    pub(super) fn signs_and(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        condition: impl Fn(u64) -> bool,
        table: &Table,
    ) -> Result<(Halved, Vec<Ciphertext>), Error> {
        let tables = [&self.0.table(|x| u64::from(condition(x))), &self.0.half_table(&condition), table];
        let jobs: Vec<_> = inputs.iter().flat_map(|x| tables.map(|table| (x.clone(), table))).collect();
        let found = self.0.look_up(op, &jobs)?;
        let [digits, halves, found] = [0, 1, 2].map(|place| found.iter().skip(place).step_by(3).cloned().collect());
        Ok((Halved { digits, halves }, found))
    }

    /// The digits `x`, or `M − 1 − x` for conditions of 1, of integers like `a`, whose last digits are given.
    pub(super) fn complement_where(
        &self,
        op: &'static str,
        a: &UintArray,
        blocks: &[Ciphertext],
        conditions: &Halved,
        last: Vec<Ciphertext>,
    ) -> Result<Vec<Ciphertext>, Error> {
        let int = self.0;
        let (per, table) = (a.per, int.mirrored_table(int.radix.base() - 1, |x| x.min(int.radix.base() - 1)));
        let lower = (0..blocks.len()).filter(|i| !(i + 1).is_multiple_of(per));
        let inputs = lower.map(|i| int.mirrored(&blocks[i], [&conditions.halves[i / per]]));
        let mut lower = int.map(op, inputs.collect::<Result<_, _>>()?, &table)?.into_iter();
        let mut out = Vec::with_capacity(blocks.len());
        for last in last {
            out.extend(lower.by_ref().take(per - 1));
            out.push(last);
        }
        Ok(out)
    }
}
