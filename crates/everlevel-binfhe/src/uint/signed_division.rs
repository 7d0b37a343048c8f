//! Division of signed integers, rounded down as in Python and NumPy: the remainder has the sign of the divisor.
//!
//! A positive public divisor of small factors takes what an unsigned division takes: the dividend's last digit, which
//! is below zero for negative ones, has tables of its own.
//!
//! Otherwise with `t = a` for positive divisors and `t = −a` for negative ones, `⌊a/b⌋ = ⌊t/|b|⌋`. For `t ≥ 0` that is
//! an unsigned quotient, and for `t < 0` it is `−q − 1` for the unsigned quotient `q` of `−t − 1`: to flip all bits is
//! `−x − 1`, and has no carries. So the unsigned dividend `u` is `a` with bits flipped where `a < 0`, and for negative
//! divisors one more (`a < 0`) or one less (`a > 0`).
//!
//! With the unsigned remainder `r` of `u`, the signed one is `r` or `|b| − 1 − r` (for `t < 0`) with the sign of `b`.
//! In two's complement that is `(r ⊕ f) + [t < 0]·b + [b < 0]`, where all bits are flipped if `f = [t < 0] ⊕ [b < 0]`
//! is 1. Non-restoring division ends with `r` or with `r − |b|`, which it would add `|b|` to: both additions are one of
//! `b` or of nothing.
//!
//! The least integer by −1 wraps to itself. By an encrypted zero the quotient is −1 for `a ≥ 0` and 0 for `a < 0`, and
//! the remainder is `a`.

use super::divided::{Asked, Divided, Operands, Signs};
use super::signed::Signed;
use super::{BoolArray, Integers, UintArray};
use crate::{Ciphertext, Error};

impl Signed<'_, '_> {
    /// `a/b` rounded down.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn div(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("div", a, b, Asked { quotient: true, remainder: false })?.0)
    }

    /// `a − b·⌊a/b⌋`.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn rem(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("rem", a, b, Asked { quotient: false, remainder: true })?.1)
    }

    /// [`Signed::div`] and [`Signed::rem`] at once, for little more than either.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn div_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, UintArray), Error> {
        self.divide("div_rem", a, b, Asked { quotient: true, remainder: true })
    }

    /// [`Signed::div`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn checked_div(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_div";
        let (quotient, _) = self.divide(op, a, b, Asked { quotient: true, remainder: false })?;
        Ok((quotient, self.0.are_zero(op, b)?))
    }

    /// [`Signed::rem`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn checked_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_rem";
        let (_, remainder) = self.divide(op, a, b, Asked { quotient: false, remainder: true })?;
        Ok((remainder, self.0.are_zero(op, b)?))
    }

    fn divide(&self, op: &'static str, a: &UintArray, b: &UintArray, asked: Asked) -> Result<Divided, Error> {
        let int = self.0;
        int.check_pair(op, a, b)?;
        let half = int.radix.base() / 2;
        // Whether a divisor is known to be at least zero, and has small factors.
        let kind = |i: usize| {
            let divisor = b.integer(i);
            let is_positive = int.public(&divisor[b.per - 1]).is_some_and(|last| last < half);
            (is_positive, is_positive && int.has_small_factors(divisor, asked))
        };
        int.in_groups(a, b, asked, kind, |&(is_positive, has_factors), a, b, _| {
            if has_factors {
                return int.divide(op, &a, &b, asked, Operands::Signed);
            }
            let (dividends, magnitudes, signs) = self.unsigned(op, &a, &b, is_positive)?;
            int.divide(op, &dividends, &magnitudes, asked, Operands::Flipped(&signs))
        })
    }

    /// The unsigned operands of a division, and what makes its outcomes signed ones.
    fn unsigned(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        is_positive: bool,
    ) -> Result<(UintArray, UintArray, Signs), Error> {
        let int = self.0;
        let negative = self.are_negative(op, a)?;
        let mut dividend = self.flipped(op, a, &negative)?;
        if is_positive {
            let divisor = vec![int.plain(0); a.len()];
            let signs = Signs { divisors: b.clone(), dividend: negative.clone(), divisor, flip: negative };
            return Ok((a.with(dividend), b.clone(), signs));
        }
        let (divisor, magnitudes) = self.magnitude(op, b)?;
        let are_zero = int.are_zero(op, a)?;
        // Of `4·[a < 0] + 2·[b < 0] + [a = 0]`.
        let below = |x: u64| x & 1 == 0 && (x >> 2 ^ x >> 1) & 1 == 1;
        let tables = [
            int.table(|x| u64::from(below(x))),
            int.table(|x| u64::from(below(x)) ^ (x >> 1 & 1)),
            int.table(|x| u64::from(x == 0b010)),
            int.table(|x| u64::from(x == 0b110)),
        ];
        let mut jobs = Vec::with_capacity(4 * a.len());
        for ((a, b), zero) in negative.iter().zip(&divisor).zip(are_zero.blocks()) {
            let input = int.linear(&[(4, a), (2, b), (1, zero)], 0)?;
            jobs.extend(tables.iter().map(|table| (input.clone(), table)));
        }
        let found = int.look_up(op, &jobs)?;
        let column = |place: usize| found.iter().skip(place).step_by(4).cloned().collect::<Vec<_>>();
        let (one_less, one_more) = (column(2), column(3));
        let top = int.radix.base() as i64 - 1;
        for (i, block) in dividend.iter_mut().enumerate() {
            let e = i / a.per;
            let mut terms = vec![(1, &*block), (top, &one_less[e])];
            if i.is_multiple_of(a.per) {
                terms.push((1, &one_more[e]));
            }
            *block = int.linear(&terms, 0)?;
        }
        let dividend = int.propagate(op, dividend, a.per, None)?.0;
        let signs = Signs { divisors: b.clone(), dividend: column(0), divisor, flip: column(1) };
        Ok((a.with(dividend), magnitudes, signs))
    }
}

impl Integers<'_> {
    /// Signed quotients and remainders from those of magnitudes.
    pub(super) fn signed_parts(
        &self,
        op: &'static str,
        (quotient, remainder): Divided,
        asked: Asked,
        signs: &Signs,
    ) -> Result<Divided, Error> {
        let quotient = if asked.quotient { self.signed_quotient(op, &quotient, signs)? } else { quotient };
        let remainder = match asked.remainder {
            true => self.signed_remainder(op, &remainder, &signs.dividend, signs)?,
            false => remainder,
        };
        Ok((quotient, remainder))
    }

    pub(super) fn signed_quotient(
        &self,
        op: &'static str,
        quotient: &UintArray,
        signs: &Signs,
    ) -> Result<UintArray, Error> {
        Ok(quotient.with(self.signed().flipped(op, quotient, &signs.dividend)?))
    }

    /// `(r ⊕ f) + control·b + [b < 0]`.
    fn signed_remainder(
        &self,
        op: &'static str,
        remainder: &UintArray,
        controls: &[Ciphertext],
        signs: &Signs,
    ) -> Result<UintArray, Error> {
        let per = remainder.per;
        let mut sums = self.signed().flipped(op, remainder, &signs.flip)?;
        let table = self.table2(|control, x| control.min(1) * x);
        let (mut jobs, mut addends) = (Vec::new(), Vec::new());
        for (i, digit) in signs.divisors.blocks.iter().enumerate() {
            let control = &controls[i / per];
            addends.push(match self.public(digit) {
                Some(digit) => Some(self.linear(&[(digit as i64, control)], 0)?),
                None => {
                    jobs.push((self.pair(control, digit)?, &table));
                    None
                }
            });
        }
        let mut found = self.look_up(op, &jobs)?.into_iter();
        for (i, (sum, addend)) in sums.iter_mut().zip(addends).enumerate() {
            let addend = addend.or_else(|| found.next()).unwrap_or_else(|| unreachable!("one for each"));
            let negative = i.is_multiple_of(per).then(|| &signs.divisor[i / per]);
            *sum = self.sum([&*sum, &addend].into_iter().chain(negative))?;
        }
        Ok(remainder.with(self.propagate(op, sums, per, None)?.0))
    }

    /// The signed remainder from the last partial remainder of a non-restoring division, which is one divisor too small
    /// where its carry is 0.
    pub(super) fn signed_rest(
        &self,
        op: &'static str,
        rest: &UintArray,
        carries: &[Ciphertext],
        signs: &Signs,
    ) -> Result<UintArray, Error> {
        let table = self.table(|x| u64::from(x >> 1 != x & 1 ^ 1));
        let inputs = signs.dividend.iter().zip(carries).map(|(sign, carry)| self.linear(&[(2, sign), (1, carry)], 0));
        let controls = self.map(op, inputs.collect::<Result<_, _>>()?, &table)?;
        self.signed_remainder(op, rest, &controls, signs)
    }
}
