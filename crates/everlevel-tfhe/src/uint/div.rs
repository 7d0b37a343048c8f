//! Division and remainder: what is asked for, and which divisors take which way.
//!
//! A divisor that is public is `2^s·o` with an odd `o`: the dividend is shifted, and divided by `o`. If `o` is small, what is left of the dividend's digits so far
//! is a message, and the next digit of quotient and remainder is a table or two of it, or of its sum with the dividend's next digit. Otherwise, and for encrypted
//! divisors, see `long_division`.

use std::collections::BTreeMap;

use super::long_division::{Asked, Divided};
use super::shift::Ends;
use super::table::Table;
use super::{BoolArray, Integers, UintArray};
use crate::{Ciphertext, Error};

/// What elements must share to be divided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// A public zero.
    Zero,
    /// By `2^shift·odd`, public.
    Small { shift: u32, odd: u64 },
    /// By a public divisor with so many blocks of zeros below others.
    Public { zeros: usize, len: usize },
    /// By an encrypted divisor.
    Encrypted,
}

impl Integers<'_> {
    /// `a/b` rounded down. Where an encrypted `b` is zero, which nobody sees, it is `2^width − 1`.
    ///
    /// # Errors
    /// [`Error::DivisionByZero`] for a public zero, [`Error::WidthMismatch`], [`Error::LengthMismatch`], [`Error::ForeignObject`],
    /// [`Error::NoiseExhausted`].
    pub fn div(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("div", a, b, Asked { quotient: true, remainder: false }, false)?.0)
    }

    /// `a` modulo `b`. Where an encrypted `b` is zero, which nobody sees, it is `a`.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn rem(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        Ok(self.divide("rem", a, b, Asked { quotient: false, remainder: true }, false)?.1)
    }

    /// [`Integers::div`] and [`Integers::rem`] at once, for little more than either.
    ///
    /// # Errors
    /// As [`Integers::div`].
    pub fn div_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, UintArray), Error> {
        self.divide("div_rem", a, b, Asked { quotient: true, remainder: true }, false)
    }

    /// [`Integers::div`], and where `b` is zero: a public zero is no error.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::LengthMismatch`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn checked_div(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_div";
        let (quotient, _) = self.divide(op, a, b, Asked { quotient: true, remainder: false }, true)?;
        Ok((quotient, self.are_zero(op, b)?))
    }

    /// [`Integers::rem`], and where `b` is zero: a public zero is no error.
    ///
    /// # Errors
    /// As [`Integers::checked_div`].
    pub fn checked_rem(&self, a: &UintArray, b: &UintArray) -> Result<(UintArray, BoolArray), Error> {
        let op = "checked_rem";
        let (_, remainder) = self.divide(op, a, b, Asked { quotient: false, remainder: true }, true)?;
        Ok((remainder, self.are_zero(op, b)?))
    }

    fn are_zero(&self, op: &'static str, x: &UintArray) -> Result<BoolArray, Error> {
        let blocks = self.settled(op, &x.blocks, 3)?;
        self.not_bools(&self.any(op, blocks.chunks(x.per).map(<[_]>::to_vec).collect())?)
    }

    /// Elements in groups that take one way.
    fn divide(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        asked: Asked,
        zeros: bool,
    ) -> Result<Divided, Error> {
        self.check_pair(op, a, b)?;
        let mut groups: BTreeMap<Way, Vec<usize>> = BTreeMap::new();
        for i in 0..b.len() {
            groups.entry(self.way(b.integer(i))).or_default().push(i);
        }
        if let Some(places) = groups.get(&Way::Zero).filter(|_| !zeros) {
            return Err(Error::DivisionByZero { op, index: places[0] });
        }
        let mut parts = Vec::new();
        for (way, places) in &groups {
            let whole = places.len() == b.len();
            let [a, b] = [a, b].map(|x| if whole { x.clone() } else { x.take(places) });
            parts.push(match *way {
                Way::Zero => (self.constants(a.width, &vec![a.width.max(); a.len()])?, a),
                Way::Small { shift, odd } => {
                    self.shifted(op, &a, shift, asked, |a| self.divide_small(op, a, odd, asked))?
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
        // Back to their places.
        let mut order: Vec<(usize, usize)> = groups.into_values().flatten().zip(0..).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
        let joined = |asked: bool, parts: &[UintArray]| match asked && !parts.is_empty() {
            true => Ok::<_, Error>(UintArray::join(&parts.iter().collect::<Vec<_>>())?.take(&order)),
            false => Ok(a.with(Vec::new())),
        };
        Ok((joined(asked.quotient, &quotients)?, joined(asked.remainder, &remainders)?))
    }

    fn way(&self, divisor: &[Ciphertext]) -> Way {
        let digits: Option<Vec<u64>> = divisor.iter().map(|block| self.public(block)).collect();
        let Some(digits) = digits else { return Way::Encrypted };
        let divisor = digits.iter().rev().fold(0, |value: u64, digit| value << self.radix.bits | digit);
        if divisor == 0 {
            return Way::Zero;
        }
        let shift = divisor.trailing_zeros();
        let odd = divisor >> shift;
        // What is left, and a digit, are a message together.
        if odd <= self.radix.max() + 2 - self.radix.base() {
            return Way::Small { shift, odd };
        }
        let zeros = (shift / self.radix.bits) as usize;
        let digits = &digits[zeros..];
        Way::Public { zeros, len: digits.iter().rposition(|&digit| digit > 0).unwrap_or(0) + 1 }
    }

    /// Division by `2^shift` times the divisor of another division.
    fn shifted(
        &self,
        op: &'static str,
        a: &UintArray,
        shift: u32,
        asked: Asked,
        division: impl Fn(&UintArray) -> Result<Divided, Error>,
    ) -> Result<Divided, Error> {
        if shift == 0 {
            return division(a);
        }
        let (quotient, rest) = division(&self.shift(op, a, -i64::from(shift), Ends::Open)?)?;
        if !asked.remainder {
            return Ok((quotient, rest));
        }
        let mut remainder = self.shift(op, &rest, i64::from(shift), Ends::Open)?;
        let (whole, bits) = ((shift / self.radix.bits) as usize, shift % self.radix.bits);
        let low = self.table(|x| x & ((1 << bits) - 1));
        let split = a.blocks.iter().skip(whole).step_by(a.per).cloned().collect();
        let split = if bits > 0 { self.map(op, split, &low)? } else { split };
        for (e, blocks) in remainder.blocks.chunks_mut(a.per).enumerate() {
            blocks[..whole].clone_from_slice(&a.integer(e)[..whole]);
            if bits > 0 {
                blocks[whole] = self.digit_sum(&[blocks[whole].clone(), split[e].clone()])?;
            }
        }
        Ok((quotient, remainder))
    }

    /// Division by an odd `d` of at most `2^p − M + 1`: what is left and a digit are a message together.
    fn divide_small(&self, op: &'static str, a: &UintArray, d: u64, asked: Asked) -> Result<Divided, Error> {
        let (base, len) = (self.radix.base(), a.len());
        let zeros = a.with(vec![self.plain(0); a.blocks.len()]);
        if d == 1 {
            return Ok((a.clone(), zeros));
        }
        let at = |place: usize| a.blocks.iter().skip(place).step_by(a.per);
        let (mut quotient, mut remainder) = (zeros.clone(), zeros);
        // A first digit below the divisor is what is left.
        let mut places = a.per;
        let mut rest = vec![self.plain(0); len];
        if base <= d {
            places -= 1;
            rest = at(places).cloned().collect();
        }
        let (parts, shifted_parts) = (self.quotient_and_rest(d, 1), self.quotient_and_rest(d, base));
        for place in (0..places).rev() {
            let asked = Asked { remainder: asked.remainder || place > 0, ..asked };
            let mut digits = Vec::new();
            if base * d <= self.radix.max() + 1 {
                let inputs = rest.iter().zip(at(place)).map(|(rest, x)| self.pair(rest, x));
                (digits, rest) = self.look_up_both(op, inputs.collect::<Result<_, _>>()?, &parts, asked)?;
            } else {
                let both = Asked { remainder: true, ..asked };
                let (of_rest, shifted) = self.look_up_both(op, rest, &shifted_parts, both)?;
                let inputs = shifted.iter().zip(at(place)).map(|(rest, x)| self.sum([rest, x]));
                let (of_sum, rest_of_sum) = self.look_up_both(op, inputs.collect::<Result<_, _>>()?, &parts, asked)?;
                rest = rest_of_sum;
                for (a, b) in of_rest.into_iter().zip(of_sum) {
                    digits.push(self.digit_sum(&[a, b])?);
                }
            }
            quotient.blocks.iter_mut().skip(place).step_by(a.per).zip(digits).for_each(|(out, digit)| *out = digit);
        }
        if asked.remainder && d <= base {
            remainder.blocks.iter_mut().step_by(a.per).zip(rest).for_each(|(out, rest)| *out = rest);
        } else if asked.remainder {
            let both = Asked { quotient: true, remainder: true };
            let (high, low) = self.look_up_both(op, rest, &self.quotient_and_rest(base, 1), both)?;
            for (out, (low, high)) in remainder.blocks.chunks_mut(a.per).zip(low.into_iter().zip(high)) {
                (out[0], out[1]) = (low, high);
            }
        }
        Ok((quotient, remainder))
    }

    /// The tables of `⌊factor·x/d⌋` and `factor·x mod d`.
    fn quotient_and_rest(&self, d: u64, factor: u64) -> [Table; 2] {
        let max = self.radix.max();
        [self.table(|x| (factor * x / d).min(max)), self.table(|x| factor * x % d)]
    }

    /// Of both tables those that are asked for.
    fn look_up_both(
        &self,
        op: &'static str,
        inputs: Vec<Ciphertext>,
        [quotient, rest]: &[Table; 2],
        asked: Asked,
    ) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), Error> {
        let tables = [asked.quotient.then_some(quotient), asked.remainder.then_some(rest)];
        let jobs: Vec<_> =
            inputs.iter().flat_map(|x| tables.into_iter().flatten().map(|table| (x.clone(), table))).collect();
        let mut found = self.look_up(op, &jobs)?.into_iter();
        let (mut quotients, mut rests) = (Vec::new(), Vec::new());
        for _ in &inputs {
            quotients.extend(asked.quotient.then(|| found.next()).flatten());
            rests.extend(asked.remainder.then(|| found.next()).flatten());
        }
        Ok((quotients, rests))
    }
}
