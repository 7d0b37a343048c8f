//! Division of signed integers, rounded down as in Python and NumPy: the remainder has the sign of the divisor.
//!
//! A positive public divisor of small factors takes what an unsigned division takes: the dividend's last digit, which
//! is below zero for negative ones, has tables of its own.
//!
//! Otherwise let `a' = a − [b < 0]`, `s = [a' < 0]`, and `u` the digits of `a'`, all of them complemented if `s = 1`,
//! which makes `−a' − 1`. With the unsigned quotient `q` and remainder `r` of `u` by `|b|`, `⌊a'/|b|⌋` is `q` or
//! `−q − 1` (complemented if `s = 1`); and `⌊a/b⌋` is that for `b > 0`, and for `b < 0` its complement again:
//! `−⌈a/|b|⌉ = −⌊(a − 1)/|b|⌋ − 1`. So the quotient's digits are complemented if `s ⊕ [b < 0] = 1`.
//!
//! The dividend takes no carry if the divisor isn't negative. Otherwise `−[b < 0]` is `M − 1` for each digit; the last
//! digit, with its sign, is that of the signed last digit less `[b < 0]` with the carry into it.
//!
//! The divisor `|b|` is `d + [b < 0]` for the digits `d` of `b`, complemented if `b < 0`. Its sum isn't propagated: a
//! first digit of up to `M` is taken ([`super::long_division`]).
//!
//! The remainder is `r` for `b > 0` and `s = 0`, `|b| − 1 − r` for `s = 1`, and for `b < 0` both, `r + 1 − |b|` and
//! `−r`: complemented if `s = 1`, it is `r + Y` for `Y = 0`, `−d`, `−d` and `−1`. Non-restoring division ends with
//! `ρ = r` or with `ρ = r − |b|`, which `|b|` is to be added to: with `Y` together one addition of `d`, `−d`, or of
//! `0`, `1` or `−1`.
//!
//! The least integer by −1 wraps to itself. By an encrypted zero the quotient is −1 for `a ≥ 0` and 0 for `a < 0`, and
//! the remainder is `a`.

use super::divided::{Asked, Divided, Halved, Operands, Signs};
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
        // Divisors that are known to be at least zero, and have small factors; and divisors that are known.
        let kind = |i: usize| {
            let divisor = b.integer(i);
            let is_positive = int.public(&divisor[b.per - 1]).is_some_and(|last| last < half);
            let is_public = divisor.iter().all(|block| int.public(block).is_some());
            (is_positive, is_positive && int.has_small_factors(divisor, asked), is_public)
        };
        int.in_groups(a, b, asked, kind, |&(is_positive, has_factors, is_public), a, b, _| {
            if has_factors {
                return int.divide(op, &a, &b, asked, Operands::Signed);
            }
            let known =
                |value| Halved { digits: vec![int.plain(value); a.len()], halves: vec![int.half(value); a.len()] };
            if is_positive {
                let (dividend, blocks) = self.complement_of_negatives(op, &a)?;
                let signs = Signs { dividend, divisor: known(0), divisors: b.clone(), multiples: None };
                return int.divide(op, &a.with(blocks), &b, asked, Operands::Flipped(&signs));
            }
            let (divisor, divisors, multiples) = match is_public {
                true => (known(1), int.not(&b)?, None),
                false => {
                    let (divisor, divisors, multiples) = self.multiples(op, &b)?;
                    (divisor, divisors, Some(multiples))
                }
            };
            let (dividend, blocks) = self.dividends(op, &a, &divisor.digits)?;
            let magnitudes = if is_public { int.neg(&b)? } else { divisors.clone() };
            let signs = Signs { dividend, divisor, divisors, multiples };
            int.divide(op, &a.with(blocks), &magnitudes, asked, Operands::Flipped(&signs))
        })
    }

    /// `s` and `u` of dividends, for the divisors' signs.
    fn dividends(
        &self,
        op: &'static str,
        a: &UintArray,
        divisors: &[Ciphertext],
    ) -> Result<(Halved, Vec<Ciphertext>), Error> {
        let (int, lower, base) = (self.0, a.per - 1, self.0.radix.base());
        let half = base / 2;
        let mut sums = Vec::with_capacity(lower * a.len());
        for (e, sign) in divisors.iter().enumerate() {
            let less = |x: &Ciphertext| int.linear(&[(1, x), (base as i64 - 1, sign)], 0);
            sums.extend(a.integer(e)[..lower].iter().map(less).collect::<Result<Vec<_>, _>>()?);
        }
        let (digits, carries) = int.propagate(op, sums, lower, Some(&int.carry_table()))?;
        // The signed last digit less the divisor's sign, plus `half + 1`.
        let biased = int.table2(|sign, x| (x ^ half) + 1 - sign.min(1));
        let last = divisors.iter().zip(a.last_blocks()).map(|(sign, x)| int.pair(sign, &x));
        let last = int.map(op, last.collect::<Result<_, _>>()?, &biased)?;
        let carried = last.iter().zip(carries.iter().flatten());
        let carried = carried.map(|(x, carry)| Ok(Ciphertext { max_value: base, ..int.sum([x, carry])? }));
        let digit = int.table(|x| if x <= half { half - x } else { (x - half - 1).min(half) });
        let (signs, last) = self.signs_and(op, carried.collect::<Result<_, Error>>()?, |x| x <= half, &digit)?;
        // The last digits are taken from `last`.
        let blocks: Vec<_> = digits
            .chunks(lower)
            .zip(&last)
            .flat_map(|(digits, last)| [digits, std::slice::from_ref(last)].concat())
            .collect();
        let blocks = self.complement_where(op, a, &blocks, &signs, last)?;
        Ok((signs, blocks))
    }

    /// Signs of divisors, their digits `d`, and the multiples of their magnitudes by powers of two. All tables of a
    /// digit share its bootstrap.
    fn multiples(&self, op: &'static str, b: &UintArray) -> Result<(Halved, UintArray, Vec<UintArray>), Error> {
        let (int, bits, base, per) = (self.0, self.0.radix.bits as usize, self.0.radix.base(), b.per);
        let half = base / 2;
        let magnitude = |x: u64| if x >= half { base - 1 - x.min(base - 1) } else { x };
        let mut tables = vec![int.table(|x| u64::from(x >= half)), int.half_table(|x| x >= half)];
        tables.extend((0..bits).map(|shift| int.table(|x| (magnitude(x) << shift) % base)));
        let jobs: Vec<_> = b.last_blocks().iter().flat_map(|x| tables.iter().map(|t| (x.clone(), t))).collect();
        let found = int.look_up(op, &jobs)?;
        let column = |place: usize| found.iter().skip(place).step_by(bits + 2).cloned().collect::<Vec<_>>();
        let signs = Halved { digits: column(0), halves: column(1) };

        // Of a digit: itself; its part that stays in its place, for each shift; its part that moves to the next one.
        let digit = int.mirrored_table(base - 1, |x| x.min(base - 1));
        let stays = |is_first: bool| {
            let sum = |shift: usize| if is_first { base } else { base - (1 << shift) };
            (0..bits).map(|shift| int.mirrored_table(sum(shift), |x| (x << shift) % base)).collect::<Vec<_>>()
        };
        let [first, others] = [true, false].map(stays);
        let moves = |shift: usize| int.mirrored_table((1 << shift) - 1, |x| (x % base) >> (bits - shift));
        let moves = (1..bits).map(moves).collect::<Vec<_>>();
        let mut jobs = Vec::new();
        for (i, block) in b.blocks.iter().enumerate().filter(|(i, _)| !(i + 1).is_multiple_of(per)) {
            let input = int.mirrored(block, [&signs.halves[i / per]])?;
            let stays = if i.is_multiple_of(per) { &first } else { &others };
            jobs.extend([&digit].into_iter().chain(stays).chain(&moves).map(|table| (input.clone(), table)));
        }
        let lower = int.look_up(op, &jobs)?;
        // The first multiple of digits that aren't the first is the digit itself.
        let each = 2 * bits;
        let of = |e: usize, j: usize| &lower[(e * (per - 1) + j) * each..][..each];
        let mut divisors = Vec::with_capacity(b.blocks.len());
        let mut multiples = vec![Vec::with_capacity(b.blocks.len()); bits];
        for e in 0..b.len() {
            let last = &found[e * (bits + 2) + 2..][..bits];
            divisors.extend((0..per - 1).map(|j| of(e, j)[0].clone()).chain([last[0].clone()]));
            for (shift, multiple) in multiples.iter_mut().enumerate() {
                for j in 0..per {
                    let stays = if j == per - 1 { &last[shift] } else { &of(e, j)[1 + shift] };
                    let moved = (j > 0 && shift > 0).then(|| &of(e, j - 1)[bits + shift]);
                    multiple.push(int.sum([stays].into_iter().chain(moved))?);
                }
            }
        }
        Ok((signs, b.with(divisors), multiples.into_iter().map(|blocks| b.with(blocks)).collect()))
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
            true => self.signed_remainder(op, &remainder, None, signs)?,
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
        let top = self.radix.base() - 1;
        let halves = |i: usize| [&signs.dividend.halves[i / quotient.per], &signs.divisor.halves[i / quotient.per]];
        let inputs = quotient.blocks.iter().enumerate().map(|(i, x)| self.mirrored(x, halves(i)));
        let table = self.mirrored_table(top, |x| x.min(top));
        Ok(quotient.with(self.map(op, inputs.collect::<Result<_, _>>()?, &table)?))
    }

    /// The signed remainder from the unsigned one; or, with carries, from the last partial remainder of a
    /// non-restoring division, which is one divisor too small where its carry is 0.
    pub(super) fn signed_remainder(
        &self,
        op: &'static str,
        rest: &UintArray,
        carries: Option<&[Ciphertext]>,
        signs: &Signs,
    ) -> Result<UintArray, Error> {
        let (per, base) = (rest.per, self.radix.base());
        // Of `4s + 2·[b < 0] + carry`: digits of 0, `d`, `−d − 1` or −1; and 1 more where the signs differ.
        let control = self.table(|x| [1, 0, 0, 2, 3, 2, 1, 3][x as usize % 8]);
        let differ = self.table(|x| (x >> 2 ^ x >> 1) & 1);
        let known = self.plain(1);
        let mut jobs = Vec::with_capacity(2 * rest.len());
        for (e, (sign, divisor)) in signs.dividend.digits.iter().zip(&signs.divisor.digits).enumerate() {
            let carry = carries.map_or(&known, |carries| &carries[e]);
            let input = self.linear(&[(4, sign), (2, divisor), (1, carry)], 0)?;
            jobs.extend([(input.clone(), &control), (input, &differ)]);
        }
        let found = self.look_up(op, &jobs)?;
        let addend = |control, digit: u64| match control {
            0 => 0,
            1 => digit,
            2 => base - 1 - digit,
            _ => base - 1,
        };
        let of_pairs = self.table2(addend);
        let of_known = (0..base).map(|digit| self.table(|control| addend(control, digit))).collect::<Vec<_>>();
        let jobs = signs.divisors.blocks.iter().enumerate().map(|(i, digit)| {
            let control = &found[2 * (i / per)];
            match self.public(digit) {
                Some(digit) => Ok((control.clone(), &of_known[digit as usize])),
                None => Ok((self.pair(control, digit)?, &of_pairs)),
            }
        });
        let addends = self.look_up(op, &jobs.collect::<Result<Vec<_>, Error>>()?)?;
        let mut sums = Vec::with_capacity(addends.len());
        for (i, (block, addend)) in rest.blocks.iter().zip(&addends).enumerate() {
            let more = i.is_multiple_of(per).then(|| &found[2 * (i / per) + 1]);
            sums.push(self.sum([block, addend].into_iter().chain(more))?);
        }
        // Last digits and their complements share a bootstrap, since no carry is asked for.
        let lower = sums.chunks(per).flat_map(|sums| sums[..per - 1].to_vec()).collect();
        let (digits, carries) = self.propagate(op, lower, per - 1, Some(&self.carry_table()))?;
        let mut inputs = Vec::with_capacity(sums.len());
        for (e, (digits, carry)) in digits.chunks(per - 1).zip(carries.iter().flatten()).enumerate() {
            let last = self.sum([&sums[(e + 1) * per - 1], carry])?;
            for digit in digits.iter().chain([&last]) {
                inputs.push(self.mirrored(digit, [&signs.dividend.halves[e]])?);
            }
        }
        Ok(rest.with(self.map(op, inputs, &self.mirrored_table(base - 1, |x| x % base))?))
    }
}
