//! Signed integers, in two's complement over the blocks of unsigned ones: what differs from unsigned arithmetic.

use std::cmp::Ordering;

use super::reduce::Extreme;
use super::shift::{Ends, check_amount};
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
        self.0.order("lt", a, b, Sign::Signed, Ordering::is_lt)
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn le(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.0.order("le", a, b, Sign::Signed, Ordering::is_le)
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn gt(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.0.order("gt", a, b, Sign::Signed, Ordering::is_gt)
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ge(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.0.order("ge", a, b, Sign::Signed, Ordering::is_ge)
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
        let op = "checked_add";
        self.0.check_pair(op, a, b)?;
        let sums = a.blocks.iter().zip(&b.blocks).map(|(a, b)| self.0.sum([a, b])).collect::<Result<_, _>>()?;
        let half = self.0.radix.base() / 2;
        self.with_overflow(op, [a, b], sums, |a, b| (a ^ half) + (b ^ half))
    }

    /// [`Integers::sub`], and whether each difference is out of range.
    ///
    /// # Errors
    /// As [`Integers::add`].
    pub fn checked_sub(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_sub";
        self.0.check_pair(op, a, b)?;
        let (base, half) = (self.0.radix.base(), self.0.radix.base() / 2);
        let sums = self.0.complement(b, Some(a))?;
        self.with_overflow(op, [a, b], sums, |a, b| (a ^ half) + base - 1 - (b ^ half))
    }

    /// Sums modulo `2^width`, and whether each one is out of range, from sums of digits before carries.
    ///
    /// Of the last digits, `biased` is the sum of signed digits, plus `M`: congruent to the digits' own, so that it
    /// takes that one's place. With the carry into it, it says whether the sum is out of range, beside its digit, in
    /// one bootstrap.
    fn with_overflow(
        &self,
        op: &'static str,
        [a, b]: [&UintArray; 2],
        mut sums: Vec<Ciphertext>,
        biased: impl Fn(u64, u64) -> u64,
    ) -> Result<(UintArray, BoolArray), Error> {
        let (int, base) = (self.0, self.0.radix.base());
        let settled = int.settled(op, &a.last_blocks(), base)?;
        let pairs = settled.iter().zip(&b.last_blocks()).map(|(a, b)| int.pair(a, b)).collect::<Result<_, _>>()?;
        let last = int.map(op, pairs, &int.table2(biased))?;
        sums.iter_mut().skip(a.per - 1).step_by(a.per).zip(last).for_each(|(sum, last)| *sum = last);
        let is_out = int.table(|x| u64::from(!(base / 2..base + base / 2).contains(&x)));
        let (blocks, overflow) = int.propagate(op, sums, a.per, Some(&is_out))?;
        Ok((a.with(blocks), BoolArray(overflow.unwrap_or_else(|| unreachable!("asked for")))))
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

    /// For each integer 1 where it is below zero and 0 elsewhere.
    pub(super) fn are_negative(&self, op: &'static str, a: &UintArray) -> Result<Vec<Ciphertext>, Error> {
        let half = self.0.radix.base() / 2;
        self.0.map(op, a.last_blocks(), &self.0.table(|x| u64::from(x >= half)))
    }

    /// Signs, and magnitudes as unsigned integers.
    pub(super) fn magnitude(&self, op: &'static str, a: &UintArray) -> Result<(Vec<Ciphertext>, UintArray), Error> {
        let signs = self.are_negative(op, a)?;
        let mut sums = self.flipped(op, a, &signs)?;
        for (i, sign) in signs.iter().enumerate() {
            sums[i * a.per] = self.0.sum([&sums[i * a.per], sign])?;
        }
        let magnitude = self.0.propagate(op, sums, a.per, None)?.0;
        Ok((signs, a.with(magnitude)))
    }

    /// The blocks of `a` for controls of 0, and of `−a − 1` for controls of 1, of which each integer has one.
    pub(super) fn flipped(
        &self,
        op: &'static str,
        a: &UintArray,
        controls: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, Error> {
        let int = self.0;
        let base = int.radix.base();
        let table = int.table2(|control, x| if control == 0 { x } else { base - 1 - x });
        // A block that is a sum may be too noisy beside a control.
        let room = (base * base) as f64 * int.keys.params().noise().bootstrapped;
        let fits = |x: &Ciphertext| int.keys.check_noise(op, x.variance_torus() + room, 0).is_ok();
        let identity = int.table(|x| x);
        let noisy: Vec<_> = a.blocks.iter().filter(|x| !fits(x)).map(|x| (x.clone(), &identity)).collect();
        let mut fresh = int.look_up(op, &noisy)?.into_iter();
        let mut jobs = Vec::with_capacity(a.blocks.len());
        for (i, block) in a.blocks.iter().enumerate() {
            let fresh = if fits(block) { None } else { fresh.next() };
            jobs.push((int.pair(&controls[i / a.per], fresh.as_ref().unwrap_or(block))?, &table));
        }
        int.look_up(op, &jobs)
    }
}
