//! Division and remainder of arrays of integers: operations of [`Integers`], and the choice of an algorithm for each
//! divisor.
//!
//! A divisor that is public is `2^s·o` with an odd `o`: the dividend is shifted, and divided by `o`. If `o` is small,
//! the partial remainder is a message, and the quotient's next digit and the next partial remainder are a table each of
//! this message, or of its sum with the dividend's next digit. If `o` is a product of small factors, the dividend is
//! divided by one factor after another, where that costs less. Other public divisors, and all encrypted ones, are those
//! of `long_division`.

use std::collections::BTreeMap;

use super::long_division::{Asked, Divided};
use super::shift::Ends;
use super::{BoolArray, Integers, UintArray};
use crate::{Ciphertext, Error};

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

impl Integers<'_> {
    /// `a/b` rounded down. Where `b` is zero the quotient is `2^width − 1`, whether anybody can see the zero or not.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`Error::NoiseExhausted`].
    pub fn div(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("div", a, b, Asked { quotient: true, remainder: false })?.0)
    }

    /// `a` modulo `b`. Where `b` is zero the remainder is `a`.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn rem(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("rem", a, b, Asked { quotient: false, remainder: true })?.1)
    }

    /// [`Integers::div`] and [`Integers::rem`] at once, for little more than either.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn div_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, UintArray), Error> {
        self.divide("div_rem", a, b, Asked { quotient: true, remainder: true })
    }

    /// [`Integers::div`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn checked_div(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_div";
        let (quotient, _) = self.divide(op, a, b, Asked { quotient: true, remainder: false })?;
        Ok((quotient, self.are_zero(op, b)?))
    }

    /// [`Integers::rem`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn checked_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_rem";
        let (_, remainder) = self.divide(op, a, b, Asked { quotient: false, remainder: true })?;
        Ok((remainder, self.are_zero(op, b)?))
    }

    fn are_zero(&self, op: &'static str, x: &UintArray) -> Result<BoolArray, Error> {
        let blocks = self.settled(op, &x.blocks, 3)?;
        self.not_bools(&self.any(op, blocks.chunks(x.per).map(<[_]>::to_vec).collect())?)
    }

    /// Divides the elements in groups, each of which takes one way.
    fn divide(&self, op: &'static str, a: &UintArray, b: &UintArray, asked: Asked) -> Result<Divided, Error> {
        self.check_pair(op, a, b)?;
        let mut groups: BTreeMap<Way, Vec<usize>> = BTreeMap::new();
        for i in 0..b.len() {
            groups.entry(self.way(b.integer(i), asked)).or_default().push(i);
        }
        let mut parts = Vec::new();
        for (way, places) in &groups {
            let whole = places.len() == b.len();
            let [a, b] = [a, b].map(|x| if whole { x.clone() } else { x.take(places) });
            parts.push(match *way {
                Way::Zero => (self.constants(a.width, &vec![a.width.max(); a.len()])?, a),
                Way::Factors { shift, odd } => {
                    let factors = self.small_factors(odd).unwrap_or_default();
                    self.shifted(op, &a, shift, asked, |a| self.divide_by_factors(op, a, &factors, asked))?
                }
                Way::Public { zeros, .. } => {
                    let shift = zeros as u32 * self.radix.bits;
                    let odd = self.shift(op, &b, -i64::from(shift), Ends::Open)?;
                    self.shifted(op, &a, shift, asked, |a| self.long_division(op, a, &odd, asked))?
                }
                Way::Encrypted => self.long_division(op, &a, &b, asked)?,
            });
        }
        let (quotients, remainders): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        if let [_] = &quotients[..] {
            return Ok((quotients[0].clone(), remainders[0].clone()));
        }
        // The groups' elements go back to their places.
        let mut order: Vec<(usize, usize)> = groups.into_values().flatten().zip(0..).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
        let joined = |asked: bool, parts: &[UintArray]| match asked && !parts.is_empty() {
            true => Ok::<_, Error>(UintArray::join(&parts.iter().collect::<Vec<_>>())?.take(&order)),
            false => Ok(a.with(Vec::new())),
        };
        Ok((joined(asked.quotient, &quotients)?, joined(asked.remainder, &remainders)?))
    }

    fn way(&self, divisor: &[Ciphertext], asked: Asked) -> Way {
        let digits: Option<Vec<u64>> = divisor.iter().map(|block| self.public(block)).collect();
        let Some(digits) = digits else { return Way::Encrypted };
        let divisor = digits.iter().rev().fold(0, |value: u64, digit| value << self.radix.bits | digit);
        if divisor == 0 {
            return Way::Zero;
        }
        let shift = divisor.trailing_zeros();
        let odd = divisor >> shift;
        let zeros = (shift / self.radix.bits) as usize;
        let digits = &digits[zeros..];
        let len = digits.iter().rposition(|&digit| digit > 0).unwrap_or(0) + 1;
        // A bit of the quotient takes a bootstrap for each block of the partial remainder, which has one block more
        // than the divisor.
        let by_bits = (digits.len() - len + 1) * (len + 1) * self.radix.bits as usize;
        match self.small_factors(odd) {
            Some(factors) if self.bootstraps_by(&factors, digits.len(), asked) <= by_bits => {
                Way::Factors { shift, odd }
            }
            _ => Way::Public { zeros, len },
        }
    }
}
