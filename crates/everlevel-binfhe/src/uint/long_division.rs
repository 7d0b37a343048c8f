//! Division and remainder of integers for encrypted divisors, and for public ones that have no faster way.
//!
//! The algorithm goes digit by digit of the dividend, from the most significant one on, and bit by bit of each digit of
//! the quotient. It is the **non-restoring** one: the partial remainder `ρ` is in `[−D, D)` for `D = 2^b·d`, and `D` is
//! added where `ρ` is negative and subtracted where it isn't. The carry out of that sum says whether the outcome is at
//! least zero, which is the quotient's bit. So a bit of the quotient takes two bootstraps for each block of `ρ`: one
//! makes `D`, `−D − 1` or nothing, and one makes digit and carry. A public divisor's addend is linear in the last carry
//! and takes no bootstrap.
//!
//! After `i` digits only `i` blocks are at work: where `D` has more blocks, the quotient's bit is zero, and nothing is
//! added. These **gates** are known beforehand from the divisor. A gate that is open stays open, and before it opens
//! `ρ` is not negative. So, with 1 for a closed gate, a **control** decides: the sum of the last gate, this gate and
//! the last carry. At 0 (both gates open, no carry) `D` is added; at 1 (both gates open and a carry, or the first open
//! gate) `D` is subtracted; at 2 nothing is done.
//!
//! A divisor of zero is subtracted every time: the quotient is all ones, and the remainder the dividend.
//!
//! Gates of signed divisors are made of the digits of `d = |b| − [b < 0]`, and `2^b·|b|` is what is added, with a
//! first digit of up to `M`. Where `2^b·d < M^(i + 1)`, which is a gate that is open, `D = 2^b·|b|` is at most
//! `M^(i + 1)`, so that `ρ ∈ [−D, D)` has room in `i + 1` digits and the carry; and where it isn't, `D` is larger than
//! the dividend's digits.

use super::divided::{Asked, Divided, Signs};
use super::shift::Ends;
use super::table::Table;
use super::{Integers, UintArray};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// The algorithm above, for divisors that are not known to be zero. With signs, outcomes are signed.
    pub(super) fn long_division(
        &self,
        op: &'static str,
        a: &UintArray,
        d: &UintArray,
        asked: Asked,
        signs: Option<&Signs>,
    ) -> Result<Divided, Error> {
        let (bits, base, per) = (self.radix.bits as usize, self.radix.base(), a.per);
        let d = &d.with(self.settled(op, &d.blocks, 3)?);
        let multiples = match signs.and_then(|signs| signs.multiples.clone()) {
            Some(multiples) => multiples,
            None => (0..bits).map(|b| self.shift(op, d, b as i64, Ends::Open)).collect::<Result<Vec<_>, Error>>()?,
        };
        // The number of blocks of each multiple, which is that of the width where the multiple doesn't fit; and last
        // one more than `d` has, since a step begins with a partial remainder that is a digit longer.
        let mut lens: Vec<usize> = multiples.iter().map(|multiple| self.len_of(multiple).max(self.len_of(d))).collect();
        lens.push(lens[0] + 1);
        let is_set = self.any_above(op, &d.blocks, per)?;
        let gates = self.gates(op, d, &is_set)?;
        // `−d − 1` is taken digit by digit, and the 1 that makes it `−d` is added at the first digit.
        let add_or_subtract = |digit: u64, control: u64, first: u64| match control {
            0 => digit,
            1 => (base - 1 + first).saturating_sub(digit),
            _ => 0,
        };
        let mut rest: Vec<Vec<Ciphertext>> = vec![Vec::new(); a.len()];
        let mut carries = vec![self.plain(0); a.len()];
        let mut quotient = vec![self.plain(0); a.blocks.len()];
        for i in 0..per {
            let place = per - 1 - i;
            rest.iter_mut()
                .zip(a.blocks.iter().skip(place).step_by(per))
                .for_each(|(rest, x)| rest.insert(0, x.clone()));
            let mut bits_found = vec![Vec::new(); a.len()];
            for b in (0..bits).rev() {
                let len = lens[b + 1].min(i + 1);
                let controls = carries.iter().enumerate().map(|(e, carry)| {
                    let sum = self.sum([carry, &gates[(e * per + i) * bits + b]])?;
                    Ok(Ciphertext { max_value: sum.max_value.min(2), ..sum })
                });
                let controls = controls.collect::<Result<Vec<_>, Error>>()?;
                carries = match controls.iter().all(|control| self.public(control) == Some(2)) {
                    true => vec![self.plain(0); a.len()],
                    false => self.add_controlled(op, (&mut rest, len), &controls, &multiples[b], add_or_subtract)?,
                };
                rest.iter_mut().for_each(|rest| rest.truncate(lens[b]));
                bits_found.iter_mut().zip(&carries).for_each(|(bits, carry)| bits.push((1 << b, carry.clone())));
            }
            for (digit, bits) in quotient.iter_mut().skip(place).step_by(per).zip(&bits_found) {
                let terms: Vec<_> = bits.iter().map(|(factor, bit)| (*factor, bit)).collect();
                *digit = self.linear(&terms, 0)?;
            }
        }
        let mut quotient = a.with(quotient);
        if asked.quotient {
            quotient = match signs {
                Some(signs) => self.signed_quotient(op, &quotient, signs)?,
                None => a.with(self.map(op, quotient.blocks, &self.table(|x| x % base))?),
            };
        }
        if !asked.remainder {
            return Ok((quotient, a.with(Vec::new())));
        }
        if let Some(signs) = signs.filter(|_| lens[0] == per) {
            let rest = a.with(rest.into_iter().flatten().collect());
            return Ok((quotient, self.signed_remainder(op, &rest, Some(&carries), signs)?));
        }
        let add_back = |digit, carry, _| if carry == 0 { digit } else { 0 };
        self.add_controlled(op, (&mut rest, lens[0]), &carries, d, add_back)?;
        let remainder = a.with(self.remainder_blocks(op, a, rest, &is_set)?);
        match signs {
            Some(signs) => Ok((quotient, self.signed_remainder(op, &remainder, None, signs)?)),
            None => Ok((quotient, remainder)),
        }
    }

    /// The number of blocks up to the last one that may hold more than zero in any of the integers; at least 1.
    pub(super) fn len_of(&self, x: &UintArray) -> usize {
        let lens = x.blocks.iter().enumerate().filter(|(_, block)| block.max_value > 0).map(|(i, _)| i % x.per + 1);
        lens.max().unwrap_or(1)
    }

    /// For each element, each step `i` (a digit of the dividend, the most significant one first) and each bit `b`: the
    /// sum of that step's gate and the gate before it. The gate is 1, closed, if `2^b·d ≥ M^(i + 1)`. With `t = d_i`
    /// where all blocks of `d` above `d_i` are zero, and `t` infinite elsewhere, the gate is closed if `t ≥ 2^(m − b)`;
    /// and the gate before it is that of `b + 1`. The first gate counts as one that follows a closed one, so that a
    /// divisor of zero is treated as any other that is small enough.
    fn gates(&self, op: &'static str, d: &UintArray, is_set: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let (bits, per) = (self.radix.bits as usize, d.per);
        let gate = |above: u64, t: u64, b: usize| u64::from(above > 0 || t >> (bits - b) > 0);
        let sum = |b: usize| self.table2(move |above, t| gate(above, t, b + 1) + gate(above, t, b));
        let sums = (0..bits).map(sum).collect::<Vec<Table>>();
        let first = self.table2(|above, t| 1 + gate(above, t, bits - 1));
        let mut jobs = Vec::with_capacity(d.blocks.len() * bits);
        for (i, block) in d.blocks.iter().enumerate() {
            let above = if (i + 1).is_multiple_of(per) { self.plain(0) } else { is_set[i + 1].clone() };
            let input = self.pair(&above, block)?;
            for (b, sum) in sums.iter().enumerate() {
                let is_first = i.is_multiple_of(per) && b == bits - 1;
                jobs.push((input.clone(), if is_first { &first } else { sum }));
            }
        }
        self.look_up(op, &jobs)
    }

    /// Adds an addend to the first `len` blocks of each partial remainder, and returns the carries out. The addend's
    /// digits are functions of the divisor's digit, the control, and 1 for the first digit. Controls are at most 2; the
    /// addend is linear in a control of at most 1.
    fn add_controlled(
        &self,
        op: &'static str,
        (rest, len): (&mut [Vec<Ciphertext>], usize),
        controls: &[Ciphertext],
        d: &UintArray,
        addend: impl Fn(u64, u64, u64) -> u64,
    ) -> Result<Vec<Ciphertext>, Error> {
        let tables = [1, 0]
            .map(|first| self.table(|x| addend((x / 3).min(self.radix.base()), x % 3, first).min(self.radix.max())));
        let (mut jobs, mut addends) = (Vec::new(), Vec::new());
        for (e, control) in controls.iter().enumerate() {
            for (j, digit) in d.integer(e)[..len].iter().enumerate() {
                let linear = self.public(digit).filter(|_| control.max_value <= 1).map(|digit| {
                    let [at_0, at_1] = [0, 1].map(|control| addend(digit, control, u64::from(j == 0)) as i64);
                    self.linear(&[(at_1 - at_0, control)], at_0)
                });
                if linear.is_none() {
                    let input = self.linear(&[(3, digit), (1, control)], 0)?;
                    jobs.push((input, &tables[usize::from(j > 0)]));
                }
                addends.push(linear.transpose()?);
            }
        }
        let mut found = self.look_up(op, &jobs)?.into_iter();
        let mut sums = Vec::with_capacity(addends.len());
        for (block, addend) in rest.iter().flat_map(|rest| &rest[..len]).zip(addends) {
            let addend = addend.or_else(|| found.next()).unwrap_or_else(|| unreachable!("one for each"));
            sums.push(self.sum([block, &addend])?);
        }
        let (blocks, carries) = self.propagate(op, sums, len, Some(&self.carry_table()))?;
        rest.iter_mut().zip(blocks.chunks(len)).for_each(|(rest, blocks)| *rest = blocks.to_vec());
        Ok(carries.unwrap_or_else(|| unreachable!("asked for")))
    }

    /// Remainders of full width: the last partial remainder, and above it zeros, or the dividend's blocks where the
    /// divisor is zero.
    fn remainder_blocks(
        &self,
        op: &'static str,
        a: &UintArray,
        rest: Vec<Vec<Ciphertext>>,
        is_set: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, Error> {
        let table = self.table2(|is_set, x| if is_set == 0 { x } else { 0 });
        let mut jobs = Vec::new();
        for (e, rest) in rest.iter().enumerate() {
            for block in &a.integer(e)[rest.len()..] {
                // Whether a public divisor is zero is known.
                jobs.push(match self.public(&is_set[e * a.per]) {
                    Some(1) => (self.plain(self.radix.base()), &table),
                    _ => (self.pair(&is_set[e * a.per], block)?, &table),
                });
            }
        }
        let mut above = self.look_up(op, &jobs)?.into_iter();
        let whole = |mut rest: Vec<Ciphertext>| {
            let missing = a.per - rest.len();
            rest.extend(above.by_ref().take(missing));
            rest
        };
        Ok(rest.into_iter().flat_map(whole).collect())
    }
}
