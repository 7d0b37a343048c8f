//! Division and remainder of arrays of integers: operations of [`Arithmetic`], and the choice of an algorithm for each
//! divisor.
//!
//! A divisor that is public is `2^s·o` with an odd `o`: the dividend is shifted, and divided by `o`. If `o` is small,
//! the partial remainder is a message, and the quotient's next digit and the next partial remainder are a table each of
//! this message, or of its sum with the dividend's next digit. If `o` is a product of small factors, the dividend is
//! divided by one factor after another, where that costs less. Other public divisors, and all encrypted ones, are those
//! of `long_division`.

use std::collections::BTreeMap;

use super::Arithmetic;
use super::array::{Bools, UintArray, Uints};
use super::blocks::Blocks;
use super::divided::{Asked, Divided};
use super::shift::Ends;
use super::signed::Sign;

/// The way in which an element is divided, which its divisor decides. Elements of the same way are divided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// No division: the divisor is a public zero.
    Zero,
    /// Division by `2^shift·odd`, public, where `odd` is a product of small factors.
    Factors { shift: u32, odd: u64 },
    /// Division by a public divisor with so many blocks of zeros below others.
    Public { zeros: usize, len: usize },
    /// Division by an encrypted divisor.
    Encrypted,
}

impl<B: Blocks> Arithmetic<B> {
    /// `a/b` rounded down. Where `b` is zero the quotient is `2^width − 1`, whether anybody can see the zero or not.
    ///
    /// # Errors
    /// [`crate::Error::WidthMismatch`], [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    pub fn div(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        Ok(self.divide("div", a, b, Asked { quotient: true, remainder: false }, Sign::Unsigned)?.0)
    }

    /// `a` modulo `b`. Where `b` is zero the remainder is `a`.
    ///
    /// # Errors
    /// As [`Arithmetic::div`].
    pub fn rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        Ok(self.divide("rem", a, b, Asked { quotient: false, remainder: true }, Sign::Unsigned)?.1)
    }

    /// [`Arithmetic::div`] and [`Arithmetic::rem`] at once, for little more than either.
    ///
    /// # Errors
    /// As [`Arithmetic::div`].
    pub fn div_rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Uints<B>), B::Error> {
        self.divide("div_rem", a, b, Asked { quotient: true, remainder: true }, Sign::Unsigned)
    }

    /// [`Arithmetic::div`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Arithmetic::div`].
    pub fn checked_div(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let op = "checked_div";
        let (quotient, _) = self.divide(op, a, b, Asked { quotient: true, remainder: false }, Sign::Unsigned)?;
        Ok((quotient, self.are_zero(op, b)?))
    }

    /// [`Arithmetic::rem`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Arithmetic::div`].
    pub fn checked_rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let op = "checked_rem";
        let (_, remainder) = self.divide(op, a, b, Asked { quotient: false, remainder: true }, Sign::Unsigned)?;
        Ok((remainder, self.are_zero(op, b)?))
    }

    pub(super) fn are_zero(&self, op: &'static str, x: &Uints<B>) -> Result<Bools<B>, B::Error> {
        let blocks = self.settled(op, &x.blocks, 3)?;
        self.not_bools(&self.any(op, blocks.chunks(x.per).map(<[_]>::to_vec).collect())?)
    }

    /// Divides the elements in groups, each of which takes one way. Divisors in the clear are unsigned.
    pub(super) fn divide(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        asked: Asked,
        sign: Sign,
    ) -> Result<Divided<B>, B::Error> {
        self.check_pair(op, a, b)?;
        let ends = if sign == Sign::Signed { Ends::Signed } else { Ends::Open };
        self.in_groups(
            a,
            b,
            asked,
            |i| self.way(b.integer(i), asked),
            |&way, a, b| match way {
                Way::Zero => Ok((self.quotients_by_zero(op, &a, sign)?, a)),
                Way::Factors { shift, odd } => {
                    let factors = self.small_factors(odd).unwrap_or_default();
                    let bound = f64::from(a.width.bits() - 1 - shift).exp2();
                    let bound = if sign == Sign::Signed { Some(bound) } else { None };
                    // Of digits that move as they are, the one with the sign is found by the bound.
                    let ends = if shift % self.radix.bits == 0 && odd > 1 { Ends::Open } else { ends };
                    let division = |a: &Uints<B>| self.divide_by_factors(op, a, &factors, asked, bound);
                    self.shifted(op, &a, (shift, ends), asked, division)
                }
                Way::Public { zeros, .. } => {
                    let shift = zeros as u32 * self.radix.bits;
                    let odd = self.shift(op, &b, -i64::from(shift), Ends::Open)?;
                    let division = |a: &Uints<B>| self.long_division(op, (a, zeros), &odd, asked, sign);
                    self.shifted(op, &a, (shift, Ends::Open), asked, division)
                }
                Way::Encrypted => self.long_division(op, (&a, 0), &b, asked, sign),
            },
        )
    }

    /// All ones, or zeros of signed dividends below zero.
    fn quotients_by_zero(&self, op: &'static str, a: &Uints<B>, sign: Sign) -> Result<Uints<B>, B::Error> {
        if sign == Sign::Unsigned {
            return self.constants(a.width, &vec![a.width.max(); a.len() * a.width.words()]);
        }
        let (base, half) = (self.radix.base(), self.radix.base() / 2);
        let digits = self.map(op, a.last_blocks(), &self.table(|x| if x < half { base - 1 } else { 0 }))?;
        Ok(a.with(digits.into_iter().flat_map(|digit| vec![digit; a.per]).collect()))
    }

    /// Divides the elements in groups of one key, given a division of the elements at some places, and puts their
    /// quotients and remainders in order again.
    pub(super) fn in_groups<K: Ord>(
        &self,
        a: &Uints<B>,
        b: &Uints<B>,
        asked: Asked,
        key: impl Fn(usize) -> K,
        division: impl Fn(&K, Uints<B>, Uints<B>) -> Result<Divided<B>, B::Error>,
    ) -> Result<Divided<B>, B::Error> {
        let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for i in 0..b.len() {
            groups.entry(key(i)).or_default().push(i);
        }
        let mut parts = Vec::new();
        for (key, places) in &groups {
            let whole = places.len() == b.len();
            let [a, b] = [a, b].map(|x| if whole { x.clone() } else { x.take(places) });
            parts.push(division(key, a, b)?);
        }
        let (quotients, remainders): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        if let [_] = &quotients[..] {
            return Ok((quotients[0].clone(), remainders[0].clone()));
        }
        let mut order: Vec<(usize, usize)> = groups.into_values().flatten().zip(0..).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
        let joined = |asked: bool, parts: &[Uints<B>]| match asked && !parts.is_empty() {
            true => UintArray::concatenated(&parts.iter().collect::<Vec<_>>()).take(&order),
            false => a.with(Vec::new()),
        };
        Ok((joined(asked.quotient, &quotients), joined(asked.remainder, &remainders)))
    }

    fn way(&self, divisor: &[B::Block], asked: Asked) -> Way {
        let digits: Option<Vec<u64>> = divisor.iter().map(|block| self.public(block)).collect();
        let Some(digits) = digits else { return Way::Encrypted };
        let Some(zeros) = digits.iter().position(|&digit| digit > 0) else { return Way::Zero };
        let digits = &digits[zeros..];
        let len = digits.iter().rposition(|&digit| digit > 0).unwrap_or(0) + 1;
        if len as u32 * self.radix.bits > u64::BITS {
            return Way::Public { zeros, len };
        }
        let value = digits[..len].iter().rev().fold(0, |value: u64, digit| value << self.radix.bits | digit);
        let odd = value >> value.trailing_zeros();
        let shift = zeros as u32 * self.radix.bits + value.trailing_zeros();
        // A bit of the quotient takes a bootstrap for each block of the partial remainder, which has one block more
        // than the divisor; that the dividend's last digits move away isn't known to it.
        let by_bits = (divisor.len() - len + 1) * (len + 1) * self.radix.bits as usize;
        match self.small_factors(odd) {
            Some(factors) if self.bootstraps_by(&factors, digits.len(), asked) <= by_bits => {
                Way::Factors { shift, odd }
            }
            _ => Way::Public { zeros, len },
        }
    }
}
