//! Division of signed integers, rounded down as in Python and NumPy: the remainder has the sign of the divisor.
//!
//! By a positive divisor in the clear it is an unsigned division whose first partial remainder may be below zero: the
//! last digit's sign decides it. For divisors below zero in the clear, `⌊a/b⌋ = −⌈a/|b|⌉`.
//!
//! By an encrypted divisor let `a' = a − [b < 0]`: `⌊a/b⌋` is `⌊a'/|b|⌋`, or for `b < 0` its complement, since
//! `−⌈a/|b|⌉ = −⌊(a − 1)/|b|⌋ − 1`. The division of `a'` by `|b|` is that of [`super::long_division`]. The dividend
//! takes no carry if the divisor isn't negative. Otherwise `−[b < 0]` is `M − 1` for each digit; the last digit, with
//! its sign, is that of the signed last digit less `[b < 0]` with the carry into it. The divisor `|b|` is `d + [b < 0]`
//! for the digits `d` of `b`, complemented if `b < 0`. Its sum isn't propagated: a first digit of up to `M` is taken.
//!
//! Where blocks have products, encrypted divisors and dividends are divided by magnitude, and products choose.
//!
//! The least integer by −1 wraps to itself. By zero the quotient is −1 for `a ≥ 0` and 0 for `a < 0`, and the remainder
//! is `a`.

use super::array::{Bools, Uints};
use super::blocks::{Block, Blocks, Digits, Table};
use super::divided::{Asked, Divided, Halved, Steps, Weights};
use super::signed::{Sign, Signed};

/// Dividends, first carries, and the turns of gates.
type Dividends<B> = (Uints<B>, Digits<B>, Digits<B>);
/// Signs of divisors, digits of their magnitudes, and multiples of these.
type Multiples<B> = (Halved<<B as Blocks>::Block>, Uints<B>, Vec<Uints<B>>);

impl<B: Blocks> Signed<'_, B> {
    /// `a/b` rounded down.
    ///
    /// # Errors
    /// As [`super::Arithmetic::div`].
    pub fn div(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        Ok(self.divide("div", a, b, Asked { quotient: true, remainder: false })?.0)
    }

    /// `a − b·⌊a/b⌋`.
    ///
    /// # Errors
    /// As [`super::Arithmetic::div`].
    pub fn rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        Ok(self.divide("rem", a, b, Asked { quotient: false, remainder: true })?.1)
    }

    /// [`Signed::div`] and [`Signed::rem`] at once, for little more than either.
    ///
    /// # Errors
    /// As [`super::Arithmetic::div`].
    pub fn div_rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Uints<B>), B::Error> {
        self.divide("div_rem", a, b, Asked { quotient: true, remainder: true })
    }

    /// [`Signed::div`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`super::Arithmetic::div`].
    pub fn checked_div(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let op = "checked_div";
        let (quotient, _) = self.divide(op, a, b, Asked { quotient: true, remainder: false })?;
        Ok((quotient, self.0.are_zero(op, b)?))
    }

    /// [`Signed::rem`], and whether each `b` is zero.
    ///
    /// # Errors
    /// As [`super::Arithmetic::div`].
    pub fn checked_rem(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        let op = "checked_rem";
        let (_, remainder) = self.divide(op, a, b, Asked { quotient: false, remainder: true })?;
        Ok((remainder, self.0.are_zero(op, b)?))
    }

    fn divide(&self, op: &'static str, a: &Uints<B>, b: &Uints<B>, asked: Asked) -> Result<Divided<B>, B::Error> {
        let int = self.0;
        int.check_pair(op, a, b)?;
        if B::HAS_PRODUCTS && b.blocks.iter().any(|block| int.public(block).is_none()) {
            return self.divide_magnitudes(op, a, b, asked);
        }
        let half = int.radix.base() / 2;
        // Whether a divisor is known to be below zero, or not to be.
        let kind = |i: usize| {
            let digits: Vec<Option<u64>> = b.integer(i).iter().map(|block| int.public(block)).collect();
            let is_negative = digits[b.per - 1].map(|last| last >= half);
            (is_negative == Some(true) && !digits.contains(&None), is_negative == Some(false))
        };
        int.in_groups(a, b, asked, kind, |&(is_negative, _), a, b| match is_negative {
            true => self.divide_by_negative(op, &a, &int.neg(&b)?, asked),
            false => int.divide(op, &a, &b, asked, Sign::Signed),
        })
    }

    /// Division by `−m`, for `m > 0` in the clear. Of `a = qm + r`, with `r` below `m`, it is that with the quotient
    /// `−q` and the remainder 0 if `r = 0`, and `−q − 1` and `r − m` otherwise.
    fn divide_by_negative(
        &self,
        op: &'static str,
        a: &Uints<B>,
        m: &Uints<B>,
        asked: Asked,
    ) -> Result<Divided<B>, B::Error> {
        let (int, per) = (self.0, a.per);
        let both = Asked { remainder: true, ..asked };
        let (mut quotient, mut remainder) = int.divide(op, a, m, both, Sign::Signed)?;
        let is_zero = int.are_zero(op, &remainder)?.0;
        if asked.quotient {
            quotient = self.negated_down(op, &quotient, &is_zero)?;
        }
        if asked.remainder {
            let less = int.neg(m)?;
            let sums = remainder.blocks.iter().zip(&less.blocks).enumerate().map(|(i, (x, less))| {
                let less = int.public(less).unwrap_or(0) as i64;
                int.linear(&[(1, x), (-less, &is_zero[i / per])], less)
            });
            remainder = a.with(int.propagate(op, sums.collect::<Result<_, _>>()?, per, None)?.0);
        }
        Ok((quotient, remainder))
    }

    /// `−q` where nothing is left, and `−q − 1` elsewhere.
    fn negated_down(&self, op: &'static str, quotient: &Uints<B>, is_zero: &[B::Block]) -> Result<Uints<B>, B::Error> {
        let (int, per) = (self.0, quotient.per);
        let mut sums = int.not(quotient)?.blocks;
        for (e, one) in is_zero.iter().enumerate() {
            sums[e * per] = int.sum([&sums[e * per], one])?;
        }
        Ok(quotient.with(int.propagate(op, sums, per, None)?.0))
    }

    /// Division of `|a|` by `|b|`, whose outcomes products choose among: of `|a| = qm + r`, the quotient is `q` where
    /// signs agree and [`Signed::negated_down`] elsewhere, and the remainder's size is `r`, or `m − r` where signs
    /// differ and `r` isn't zero.
    fn divide_magnitudes(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        asked: Asked,
    ) -> Result<Divided<B>, B::Error> {
        let int = self.0;
        let (sign_a, sign_b) = (self.are_below_zero(op, a)?, self.are_below_zero(op, b)?);
        let (dividend, m) = (self.absolute(op, a, &sign_a)?, self.absolute(op, b, &sign_b)?);
        let both = Asked { remainder: true, ..asked };
        let (mut quotient, mut remainder) = int.divide(op, &dividend, &m, both, Sign::Unsigned)?;
        let is_zero = int.are_zero(op, &remainder)?;
        let differ = int.combine_bools(&sign_a, &sign_b, |a, b| a != b)?;
        if asked.quotient {
            let negated = self.negated_down(op, &quotient, &is_zero.0)?;
            quotient = int.select_blocks(op, &differ, &negated, &quotient)?;
        }
        if asked.remainder {
            let is_other = int.combine_bools(&differ, &is_zero, |differ, is_zero| differ && !is_zero)?;
            let other = int.sub_blocks(op, &m, &remainder, None)?.0;
            remainder = int.select_blocks(op, &is_other, &other, &remainder)?;
            remainder = self.absolute(op, &remainder, &sign_b)?;
        }
        Ok((quotient, remainder))
    }

    /// `a − [b < 0]` modulo `2^width`, the first carries, and the turns of gates.
    fn dividends(
        &self,
        op: &'static str,
        a: &Uints<B>,
        divisors: &[B::Block],
        carry: u64,
    ) -> Result<Dividends<B>, B::Error> {
        let (int, lower, base) = (self.0, a.per - 1, self.0.radix.base());
        let half = base / 2;
        let mut sums = Vec::with_capacity(lower * a.len());
        for (e, sign) in divisors.iter().enumerate() {
            let less = |x: &B::Block| int.linear(&[(1, x), (base as i64 - 1, sign)], 0);
            sums.extend(a.integer(e)[..lower].iter().map(less).collect::<Result<Vec<_>, _>>()?);
        }
        let (digits, carries) = int.propagate(op, sums, lower, Some(&int.carry_table()))?;
        // The signed last digit less the divisor's sign, plus `half + 1`.
        let biased = int.table2(|sign, x| (x ^ half) + 1 - sign.min(1));
        let last = divisors.iter().zip(a.last_blocks()).map(|(sign, x)| int.pair(sign, &x));
        let last = int.map(op, last.collect::<Result<_, _>>()?, &biased)?;
        let carried = last.iter().zip(&carries);
        let carried = carried.map(|(x, carry)| Ok(int.sum([x, carry])?.at_most(base)));
        let digit = int.table(|x| (x + half - 1) % base);
        let [sign, turn] = self.sign_tables(carry, |x| x <= half);
        let tables = [&sign, &turn, &digit];
        let [carries, turns, last] = int.map_all(op, &carried.collect::<Result<Vec<_>, B::Error>>()?, tables)?;
        let blocks = digits.chunks(lower).zip(last).flat_map(|(digits, last)| [digits, &[last]].concat());
        Ok((a.with(blocks.collect()), carries, turns))
    }

    /// A condition as a carry and as a half.
    fn sign_tables(&self, carry: u64, is_negative: impl Fn(u64) -> bool) -> [Table; 2] {
        [self.0.table(|x| if is_negative(x) { carry } else { 0 }), self.0.half_table(&is_negative)]
    }

    /// Operands and weights of a long division's steps: for divisors in the clear, which are unsigned; for divisors
    /// whose last digits are, and say that no divisor is below zero; and for any others. Digits above dividends' signs
    /// come in where divisors in the clear were moved by as many.
    pub(super) fn steps(
        &self,
        op: &'static str,
        (a, above): (&Uints<B>, usize),
        b: &Uints<B>,
    ) -> Result<Steps<B::Block>, B::Error> {
        let (int, base) = (self.0, self.0.radix.base());
        let is_negative = |x: u64| x >= base / 2;
        if b.blocks.iter().all(|block| int.public(block).is_some()) {
            let [sign, _] = self.sign_tables(1, is_negative);
            let ones = int.table(|x| if is_negative(x) { base - 1 } else { 0 });
            let last: Vec<_> = a.blocks.iter().skip(a.per - 1 - above).step_by(a.per).cloned().collect();
            let [carries, closed] = int.map_all(op, &last, [&sign, &ones])?;
            let mut dividends = a.clone();
            let incoming = dividends.blocks.chunks_mut(a.per).map(|digits| &mut digits[a.per - above..]);
            incoming.zip(&closed).for_each(|(digits, one)| digits.fill(one.clone()));
            return Ok(Steps { dividends, carries, closed, ..int.unsigned_steps(op, a, b)? });
        }
        let (carry, size) = (base + 2, int.radix.size() as u64);
        let weights = Weights { carry, opening: carry, closed: 2 * size - (size - carry) / 2 };
        if b.last_blocks().iter().all(|last| int.public(last).is_some_and(|last| !is_negative(last))) {
            let [sign, turn] = self.sign_tables(carry, is_negative);
            let [carries, turns] = int.map_all(op, &a.last_blocks(), [&sign, &turn])?;
            return Ok(Steps { carries, turns, weights, ..int.unsigned_steps(op, a, b)? });
        }
        let (negative, divisors, multiples) = self.multiples(op, b)?;
        let (dividends, carries, turns) = self.dividends(op, a, &negative.digits, carry)?;
        let closed = Vec::new();
        Ok(Steps { dividends, divisors, multiples, carries, closed, weights, turns, negative })
    }

    /// Signs of divisors, their digits `d`, and the multiples of their magnitudes by powers of two. All tables of a
    /// digit share its bootstrap.
    fn multiples(&self, op: &'static str, b: &Uints<B>) -> Result<Multiples<B>, B::Error> {
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
            let input = int.blocks.mirrored(block, &[&signs.halves[i / per]])?;
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
