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
//! `ρ` is not negative. The last gate, this gate and the last carry decide: where both gates are open, `D` is added
//! without a carry and subtracted with one; where this gate is the first open one, `D` is subtracted; and where both
//! are closed nothing is done.
//!
//! A divisor of zero is subtracted every time: the quotient is all ones, and the remainder the dividend.
//!
//! **Signed dividends** below zero are divided as `−1 − ρ`, which has the digits of `ρ` complemented, in place of `ρ`:
//! the dividend's own digits come in, the same carries decide, and carries and quotient come out complemented. Before
//! the first open gate the carry is 1, as the quotient's bits are; so closed gates keep it, by adding `M^len`, and the
//! first open one adds `D`.
//!
//! *Inputs of tables* are sums of a digit, of what stands for the gates, and of a carry. Unsigned, that is `3·digit`, a
//! number of closed gates and the carry. Signed, a table is mirrored, as `−D` is `D` complemented and 1 more: gates are
//! 0, `E` and `X`, opposite for dividends below zero, and carries count `E`. For `E = M + 2` and `2X = E − 2^p` the
//! digits from 0 on are added, those from `E` on subtracted, those from `X` on are nothing, and those from `E − X` on,
//! which is half a turn away, are the carry: no two of these rows of `M + 1` digits meet.
//!
//! Gates of signed divisors are made of the digits of `d = |b| − [b < 0]`, and `2^b·|b|` is what is added, with a
//! first digit of up to `M`. Where `2^b·d < M^(i + 1)`, which is a gate that is open, `D = 2^b·|b|` is at most
//! `M^(i + 1)`, so that `ρ ∈ [−D, D)` has room in `i + 1` digits and the carry; and where it isn't, `D` is larger than
//! the dividend's digits.
//!
//! *Remainders* are `ρ`, or `ρ + d` where `ρ` is below zero. For `b < 0` they are `ρ + 1` where `ρ` is below zero, and
//! `ρ + 1 + b` elsewhere: of `a − 1 = q'·|b| + r'` with `0 ≤ r' < |b|`, `a` is `(−q' − 1)·b + (r' + 1 + b)`, and `r'`
//! is `ρ` or `ρ − b`.

use super::Arithmetic;
use super::array::Uints;
use super::blocks::{Block, Blocks, Table};
use super::divided::{Asked, Divided, Halved, Steps, Weights};
use super::shift::Ends;
use super::signed::Sign;

/// The last gate and this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gates {
    /// Both are open.
    Open,
    /// This one is the first open one.
    Opening,
    /// Both are closed.
    Closed,
}

impl Gates {
    fn from_closed(closed: u64) -> Self {
        match closed {
            0 => Self::Open,
            1 => Self::Opening,
            _ => Self::Closed,
        }
    }

    fn weight(self, weights: Weights) -> u64 {
        match self {
            Self::Open => 0,
            Self::Opening => weights.opening,
            Self::Closed => weights.closed,
        }
    }
}

/// The gates of a step: what is known of them, and what stands for them.
struct Gate<C> {
    known: Option<Gates>,
    weight: C,
}

impl<B: Blocks> Arithmetic<B> {
    /// The algorithm above, for divisors that are not known to be zero. So many digits above the dividends' signs are
    /// still to come in.
    pub(super) fn long_division(
        &self,
        op: &'static str,
        (a, above): (&Uints<B>, usize),
        b: &Uints<B>,
        asked: Asked,
        sign: Sign,
    ) -> Result<Divided<B>, B::Error> {
        let (bits, base, per) = (self.radix.bits as usize, self.radix.base(), a.per);
        let b = &b.with(self.settled(op, &b.blocks, 3)?);
        let steps = match sign {
            Sign::Unsigned => self.unsigned_steps(op, a, b)?,
            Sign::Signed => self.signed().steps(op, (a, above), b)?,
        };
        let (d, multiples) = (&steps.divisors, &steps.multiples);
        // The number of blocks of each multiple, which is that of the width where the multiple doesn't fit; and last
        // one more than `d` has, since a step begins with a partial remainder that is a digit longer.
        let mut lens: Vec<usize> = multiples.iter().map(|multiple| self.len_of(multiple).max(self.len_of(d))).collect();
        lens.push(lens[0] + 1);
        let is_set = self.any_above(op, &d.blocks, per)?;
        let gates = self.gates(op, &steps, &is_set)?;
        let mut rest: Vec<Vec<B::Block>> = vec![Vec::new(); a.len()];
        let mut carries = steps.carries.clone();
        let (mut quotient, mut closed) = (vec![self.plain(0); a.blocks.len()], Vec::new());
        for i in 0..per {
            let place = per - 1 - i;
            rest.iter_mut()
                .zip(steps.dividends.blocks.iter().skip(place).step_by(per))
                .for_each(|(rest, x)| rest.insert(0, x.clone()));
            let (mut bits_found, mut is_closed) = (vec![Vec::new(); a.len()], !steps.closed.is_empty());
            for bit in (0..bits).rev() {
                let len = lens[bit + 1].min(i + 1);
                let gates: Vec<&Gate<B::Block>> = gates[i * bits + bit..].iter().step_by(per * bits).collect();
                if gates.iter().any(|gate| gate.known != Some(Gates::Closed)) {
                    is_closed = false;
                    let addends = self.addends(op, &multiples[bit], len, (&gates, &carries), &steps)?;
                    let carry = self.table(|sum| if sum >= base { steps.weights.carry } else { 0 });
                    carries = self.add_to(op, &mut rest, len, addends, Some(&carry))?;
                }
                rest.iter_mut().for_each(|rest| rest.truncate(lens[bit]));
                bits_found.iter_mut().zip(&carries).for_each(|(bits, carry)| bits.push((1 << bit, carry.clone())));
            }
            if is_closed {
                closed.push(place);
                continue;
            }
            for (digit, bits) in quotient.iter_mut().skip(place).step_by(per).zip(&bits_found) {
                let terms: Vec<_> = bits.iter().map(|(factor, bit)| (*factor, bit)).collect();
                *digit = if steps.turns.is_empty() { self.linear(&terms, 0)? } else { self.signed_sum(&terms, 0)? };
            }
        }
        let mut quotient = a.with(quotient);
        if asked.quotient {
            quotient = match steps.turns.is_empty() {
                true => a.with(self.map(op, quotient.blocks, &self.table(|x| x % base))?),
                false => self.turned_quotient(op, &quotient, &steps)?,
            };
            for place in closed {
                let digits = quotient.blocks.iter_mut().skip(place).step_by(per);
                digits.zip(&steps.closed).for_each(|(digit, closed)| digit.clone_from(closed));
            }
        }
        if !asked.remainder {
            return Ok((quotient, a.with(Vec::new())));
        }
        let addends = self.last_addends(op, b, lens[0], &carries, &steps)?;
        self.add_to(op, &mut rest, lens[0], addends, None)?;
        Ok((quotient, a.with(self.remainder_blocks(op, a, rest, &is_set)?)))
    }

    /// Operands and tables' weights of the steps, for unsigned integers.
    pub(super) fn unsigned_steps(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
    ) -> Result<Steps<B::Block>, B::Error> {
        let multiple = |bit: u32| self.shift(op, b, i64::from(bit), Ends::Open);
        Ok(Steps {
            dividends: a.clone(),
            divisors: b.clone(),
            multiples: (0..self.radix.bits).map(multiple).collect::<Result<_, _>>()?,
            carries: vec![self.plain(0); a.len()],
            closed: Vec::new(),
            weights: Weights { carry: 1, opening: 1, closed: 2 },
            turns: Vec::new(),
            negative: Halved::default(),
        })
    }

    /// The number of blocks up to the last one that may hold more than zero in any of the integers; at least 1.
    pub(super) fn len_of(&self, x: &Uints<B>) -> usize {
        let lens = x.blocks.iter().enumerate().filter(|(_, block)| block.max_value() > 0).map(|(i, _)| i % x.per + 1);
        lens.max().unwrap_or(1)
    }

    /// For each element, each step `i` (a digit of the dividend, the most significant one first) and each bit `b`: that
    /// step's gate and the gate before it. The gate is closed if `2^b·d ≥ M^(i + 1)`. With `t = d_i` where all blocks
    /// of `d` above `d_i` are zero, and `t` infinite elsewhere, the gate is closed if `t ≥ 2^(m − b)`; and the gate
    /// before it is that of `b + 1`. The first gate counts as one that follows a closed one, so that a divisor of zero
    /// is treated as any other that is small enough.
    fn gates(
        &self,
        op: &'static str,
        steps: &Steps<B::Block>,
        is_set: &[B::Block],
    ) -> Result<Vec<Gate<B::Block>>, B::Error> {
        let (d, bits) = (&steps.divisors, self.radix.bits as usize);
        let per = d.per;
        let base = self.radix.base();
        let is_closed = |above: u64, t: u64, b: usize| u64::from(above > 0 || t >> (bits - b) > 0);
        let gates = move |x: u64, b: usize, is_first: bool| {
            let (above, t) = (x / base, x % base);
            let before = if is_first { 1 } else { is_closed(above, t, b + 1) };
            Gates::from_closed(before + is_closed(above, t, b))
        };
        let table = |b: usize, is_first: bool| {
            let weight = |x| gates(x, b, is_first).weight(steps.weights);
            if steps.turns.is_empty() { self.table(weight) } else { self.odd_table(weight) }
        };
        let tables: Vec<Table> = (0..bits).map(|b| table(b, false)).chain([table(bits - 1, true)]).collect();
        let (mut known, mut inputs) = (Vec::with_capacity(d.blocks.len() * bits), Vec::with_capacity(d.blocks.len()));
        for (i, block) in d.blocks.iter().enumerate() {
            let above = if (i + 1).is_multiple_of(per) { self.plain(0) } else { is_set[i + 1].clone() };
            let input = self.pair(&above, block)?;
            let value = self.public(&input);
            let is_first = |b: usize| i.is_multiple_of(per) && b == bits - 1;
            known.extend((0..bits).map(|b| value.map(|value| gates(value, b, is_first(b)))));
            inputs.push(match steps.turns.get(i / per) {
                Some(turn) => self.blocks.mirrored(&input, &[turn])?,
                None => input,
            });
        }
        // Steps whose gates are all known to be closed are left out.
        let is_left_out = |place: usize| known[place % (per * bits)..].iter().step_by(per * bits);
        let is_left_out = |place: usize| is_left_out(place).all(|known| *known == Some(Gates::Closed));
        let needed = |place: &usize| known[*place] != Some(Gates::Open) && !is_left_out(*place);
        let places: Vec<usize> = (0..known.len()).filter(needed).collect();
        let jobs = places.iter().map(|&place| {
            let is_first = place % (per * bits) == bits - 1;
            (inputs[place / bits].clone(), &tables[if is_first { bits } else { place % bits }])
        });
        let found = self.look_up(op, &jobs.collect::<Vec<_>>())?;
        let mut weights = vec![self.plain(0); known.len()];
        places.into_iter().zip(found).for_each(|(place, weight)| weights[place] = weight);
        Ok(known.into_iter().zip(weights).map(|(known, weight)| Gate { known, weight }).collect())
    }

    /// The first `len` digits of what a step adds to each partial remainder, for the divisors' multiple: it, or its
    /// opposite, whose digits are complemented and the first one 1 more, or nothing.
    fn addends(
        &self,
        op: &'static str,
        multiple: &Uints<B>,
        len: usize,
        (gates, carries): (&[&Gate<B::Block>], &[B::Block]),
        steps: &Steps<B::Block>,
    ) -> Result<Vec<B::Block>, B::Error> {
        let base = self.radix.base();
        let tables = [true, false].map(|is_first| self.addend_table(steps, base - 1 + u64::from(is_first)));
        let (mut jobs, mut addends) = (Vec::new(), Vec::new());
        for (e, (gate, carry)) in gates.iter().zip(carries).enumerate() {
            for (j, digit) in multiple.integer(e)[..len].iter().enumerate() {
                let complement = |digit: u64| base - 1 + u64::from(j == 0) - digit;
                let without_and_with_carry = match (self.public(digit), gate.known) {
                    (_, Some(Gates::Closed)) => Some([0, complement(0)]),
                    (Some(digit), Some(Gates::Open)) => Some([digit, complement(digit)]),
                    (Some(digit), Some(Gates::Opening)) => Some([complement(digit), digit]),
                    _ => None,
                };
                let linear = without_and_with_carry.filter(|_| steps.weights.carry == 1).map(|addends| {
                    let [without, with] = addends.map(|addend| addend as i64);
                    self.linear(&[(with - without, carry)], without)
                });
                if linear.is_none() {
                    jobs.push((self.addend_input(digit, gate, carry, steps)?, &tables[usize::from(j > 0)]));
                }
                addends.push(linear.transpose()?);
            }
        }
        let mut found = self.look_up(op, &jobs)?.into_iter();
        let addend = |addend: Option<B::Block>| addend.or_else(|| found.next());
        Ok(addends.into_iter().filter_map(addend).collect())
    }

    fn addend_input(
        &self,
        digit: &B::Block,
        gate: &Gate<B::Block>,
        carry: &B::Block,
        steps: &Steps<B::Block>,
    ) -> Result<B::Block, B::Error> {
        if !steps.turns.is_empty() {
            return self.signed_sum(&[(1, digit), (1, &gate.weight), (1, carry)], 0);
        }
        let control = self.sum([&gate.weight, carry])?;
        self.linear(&[(3, digit), (1, &control.at_most(2))], 0)
    }

    /// The table of addends' digits, for the sum of a digit and its opposite.
    fn addend_table(&self, steps: &Steps<B::Block>, sum: u64) -> Table {
        let (base, size, carry) = (self.radix.base(), self.radix.size() as u64, steps.weights.carry);
        if steps.turns.is_empty() {
            return self.table(|x| match (x / 3, x % 3) {
                (digit, 0) => digit.min(base),
                (digit, 1) => sum.saturating_sub(digit),
                _ => 0,
            });
        }
        let row = |x: u64, from: u64| x.checked_sub(from).filter(|&digit| digit <= base);
        self.mirrored_table(sum, |x| match (row(x, 0), row(x, carry), row(x, (size + carry) / 2)) {
            (Some(digit), ..) => digit.min(sum),
            (_, Some(digit), _) => sum.saturating_sub(digit),
            (.., Some(_)) => sum,
            _ => 0,
        })
    }

    /// The first `len` digits of the divisors that are added to the last partial remainders, and 1 more for divisors
    /// below zero.
    fn last_addends(
        &self,
        op: &'static str,
        b: &Uints<B>,
        len: usize,
        carries: &[B::Block],
        steps: &Steps<B::Block>,
    ) -> Result<Vec<B::Block>, B::Error> {
        let (base, carry) = (self.radix.base(), steps.weights.carry);
        let (mut jobs, mut addends) = (Vec::new(), Vec::new());
        // Digits, and carries that count `E`; for divisors below zero `M` further on, where it is with a carry that
        // they are added.
        let turned = self.table(|x| if x < base { x } else { x.checked_sub(base + carry).map_or(0, |x| x % base) });
        let table = self.table2(|carry, digit| if carry == 0 { digit } else { 0 });
        for (e, carry) in carries.iter().enumerate() {
            for digit in &b.integer(e)[..len] {
                let linear = self.public(digit).filter(|_| steps.turns.is_empty()).map(|digit| digit as i64);
                let linear = linear.map(|digit| self.linear(&[(-digit, carry)], digit));
                if linear.is_none() {
                    jobs.push(match (steps.turns.is_empty(), steps.negative.digits.get(e)) {
                        (true, _) => (self.pair(carry, digit)?, &table),
                        (false, None) => (self.sum([digit, carry])?, &turned),
                        (false, Some(sign)) => {
                            (self.linear(&[(1, digit), (1, carry), (base as i64, sign)], 0)?, &turned)
                        }
                    });
                }
                addends.push(linear.transpose()?);
            }
        }
        let mut found = self.look_up(op, &jobs)?.into_iter();
        let addend = |addend: Option<B::Block>| addend.or_else(|| found.next());
        let mut addends: Vec<B::Block> = addends.into_iter().filter_map(addend).collect();
        for (first, sign) in addends.iter_mut().step_by(len).zip(&steps.negative.digits) {
            *first = self.sum([&*first, sign])?;
        }
        Ok(addends)
    }

    /// Adds to the first `len` blocks of each partial remainder, and returns what a table gives of the last sums.
    fn add_to(
        &self,
        op: &'static str,
        rest: &mut [Vec<B::Block>],
        len: usize,
        addends: Vec<B::Block>,
        last: Option<&Table>,
    ) -> Result<Vec<B::Block>, B::Error> {
        let blocks = rest.iter().flat_map(|rest| &rest[..len]);
        let sums = blocks.zip(&addends).map(|(block, addend)| self.sum([block, addend])).collect::<Result<_, _>>()?;
        let (blocks, found) = self.propagate(op, sums, len, last)?;
        rest.iter_mut().zip(blocks.chunks(len)).for_each(|(rest, blocks)| *rest = blocks.to_vec());
        Ok(found)
    }

    /// Digits of quotients from sums of carries that count `E`, complemented for divisors below zero.
    fn turned_quotient(
        &self,
        op: &'static str,
        quotient: &Uints<B>,
        steps: &Steps<B::Block>,
    ) -> Result<Uints<B>, B::Error> {
        let (base, size) = (self.radix.base(), self.radix.size() as u64);
        let place = |digit: u64| steps.weights.carry * digit % (2 * size);
        let digit = |x: u64| (0..base).find(|&digit| place(digit) == x);
        let table = self.mirrored_table(base - 1, |x| {
            digit(x).or_else(|| digit(x + size).map(|digit| base - 1 - digit)).unwrap_or(0)
        });
        let inputs = quotient.blocks.iter().enumerate().map(|(i, x)| {
            let half = steps.negative.halves.get(i / quotient.per);
            self.signed_sum(&[x].into_iter().chain(half).map(|x| (1, x)).collect::<Vec<_>>(), 0)
        });
        Ok(quotient.with(self.map(op, inputs.collect::<Result<_, _>>()?, &table)?))
    }

    /// Remainders of full width: the last partial remainder, and above it zeros, or the dividend's blocks where the
    /// divisor is zero.
    fn remainder_blocks(
        &self,
        op: &'static str,
        a: &Uints<B>,
        rest: Vec<Vec<B::Block>>,
        is_set: &[B::Block],
    ) -> Result<Vec<B::Block>, B::Error> {
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
        let whole = |mut rest: Vec<B::Block>| {
            let missing = a.per - rest.len();
            rest.extend(above.by_ref().take(missing));
            rest
        };
        Ok(rest.into_iter().flat_map(whole).collect())
    }
}
