//! Division of integers by public divisors that are products of small factors and a power of two.

use super::Arithmetic;
use super::array::Uints;
use super::blocks::{Blocks, Digits, Table};
use super::divided::{Asked, Divided};
use super::shift::Ends;

/// Bootstraps, roughly, that join the remainders by two factors to one.
const BOOTSTRAPS_OF_A_JOIN: usize = 12;

impl<B: Blocks> Arithmetic<B> {
    /// Factors of an odd number that are so small that a partial remainder and a digit are a message together; `None`
    /// if there are no such factors.
    pub(super) fn small_factors(&self, odd: u64) -> Option<Vec<u64>> {
        let largest = self.radix.max() + 2 - self.radix.base();
        let (mut factors, mut rest, mut prime): (Vec<u64>, _, _) = (Vec::new(), odd, 3);
        while rest > 1 && prime <= largest {
            if !rest.is_multiple_of(prime) {
                prime += 2;
                continue;
            }
            rest /= prime;
            match factors.last_mut() {
                Some(last)
                    if *last * prime <= largest
                        && self.rotations_of(*last * prime) <= self.rotations_of(*last) + self.rotations_of(prime) =>
                {
                    *last *= prime;
                }
                _ => factors.push(prime),
            }
        }
        (rest == 1).then_some(factors)
    }

    /// About how many bootstraps [`Arithmetic::divide_by_factors`] takes for so many digits.
    pub(super) fn bootstraps_by(&self, factors: &[u64], digits: usize, asked: Asked) -> usize {
        let joins = if asked.remainder { BOOTSTRAPS_OF_A_JOIN * factors.len().saturating_sub(1) } else { 0 };
        factors.iter().map(|&factor| self.rotations_of(factor)).sum::<usize>() * digits + joins
    }

    /// Bootstraps that a division by such a factor takes for each digit.
    fn rotations_of(&self, factor: u64) -> usize {
        let (base, size) = (self.radix.base(), self.radix.max() + 1);
        // Bootstraps of two tables whose input has so many values.
        let two = |messages: u64| if 2 * messages <= size { 1 } else { 2 };
        if base * factor <= size { two(base * factor) } else { two(factor) + two(factor + base - 1) }
    }

    /// Division by `2^shift·d`, given a division by `d` and what the dividends' ends are.
    pub(super) fn shifted(
        &self,
        op: &'static str,
        a: &Uints<B>,
        (shift, ends): (u32, Ends),
        asked: Asked,
        division: impl Fn(&Uints<B>) -> Result<Divided<B>, B::Error>,
    ) -> Result<Divided<B>, B::Error> {
        if shift == 0 {
            return division(a);
        }
        let (quotient, rest) = division(&self.shift(op, a, -i64::from(shift), ends)?)?;
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

    /// Division by one factor after another: `a = f·q + r` and `q = g·p + t` give `a = fg·p + (f·t + r)`. Signed
    /// dividends are at least `−bound` and below it: their first quotient is at least `−⌈bound/f⌉` and below that.
    pub(super) fn divide_by_factors(
        &self,
        op: &'static str,
        a: &Uints<B>,
        factors: &[u64],
        asked: Asked,
        bound: Option<f64>,
    ) -> Result<Divided<B>, B::Error> {
        let Some((&factor, others)) = factors.split_first() else {
            return Ok((a.clone(), a.with(vec![self.plain(0); a.blocks.len()])));
        };
        if others.is_empty() {
            return self.divide_small(op, a, factor, asked, bound);
        }
        let (quotient, rest) = self.divide_small(op, a, factor, Asked { quotient: true, ..asked }, bound)?;
        // Rounded up where doubles have no whole numbers any more, too.
        let next = |part: f64| part.ceil().max(part * (1.0 + 1e-12));
        let bound = bound.map(|bound| next(bound / factor as f64));
        let (quotient, upper) = self.divide_by_factors(op, &quotient, others, asked, bound)?;
        if !asked.remainder {
            return Ok((quotient, rest));
        }
        let factor = self.repeated(a.width, factor, a.len())?;
        let (upper, _) = self.product(op, &upper, &factor, None)?;
        Ok((quotient, self.add_blocks(op, &upper, &rest, None)?.0))
    }

    /// The place of the digit that holds the sign of integers from `−bound` on and below `bound`.
    fn place_of_sign(&self, bound: f64) -> usize {
        let base = self.radix.base() as f64;
        let mut reached = base / 2.0;
        let mut place = 0;
        while reached < bound {
            (place, reached) = (place + 1, reached * base);
        }
        place
    }

    /// Division by an odd `d` of at most `2^p − M + 1`: a partial remainder and a digit are a message together. The
    /// digit with the sign of a signed dividend is taken as what it is, which may be below zero; those above it aren't
    /// read, and those of the quotient are the same as its digit there.
    fn divide_small(
        &self,
        op: &'static str,
        a: &Uints<B>,
        d: u64,
        asked: Asked,
        bound: Option<f64>,
    ) -> Result<Divided<B>, B::Error> {
        let (base, len) = (self.radix.base(), a.len());
        let zeros = a.with(vec![self.plain(0); a.blocks.len()]);
        let at = |place: usize| a.blocks.iter().skip(place).step_by(a.per);
        let (mut quotient, mut remainder) = (zeros.clone(), zeros);
        // Where every digit is below the divisor, the first digit is the first partial remainder.
        let mut places = a.per;
        let mut rest = vec![self.plain(0); len];
        if let Some(bound) = bound {
            places = self.place_of_sign(bound);
            let value = |x: u64| x as i64 - if x >= base / 2 { base as i64 } else { 0 };
            let tables = [
                self.table(|x| value(x).div_euclid(d as i64).rem_euclid(base as i64) as u64),
                self.table(|x| value(x).rem_euclid(d as i64) as u64),
            ];
            let asked = Asked { remainder: true, ..asked };
            let digits;
            (digits, rest) = self.look_up_both(op, at(places).cloned().collect(), &tables, asked)?;
            let above = quotient.blocks.chunks_mut(a.per).map(|quotient| &mut quotient[places..]);
            above.zip(digits).for_each(|(above, digit)| above.fill(digit));
        } else if base <= d {
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

    /// The outcomes of both tables, as far as they are asked for.
    fn look_up_both(
        &self,
        op: &'static str,
        inputs: Vec<B::Block>,
        [quotient, rest]: &[Table; 2],
        asked: Asked,
    ) -> Result<(Digits<B>, Digits<B>), B::Error> {
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
