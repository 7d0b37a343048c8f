//! Comparisons, minimum and maximum of arrays of integers, element by element: operations of [`Arithmetic`].

use std::cmp::Ordering;

use super::array::{Bools, Uints};
use super::blocks::{Block, Blocks, Table};
use super::signed::Sign;
use super::{Arithmetic, BoolArray};

/// Outcome of a chain's look-up.
#[derive(Debug, Clone, Copy)]
enum Comes {
    /// The sign of the digits so far, or what it comes to.
    Sign,
    /// The sign, `M` more.
    Biased,
    /// Whether all digits are equal.
    Equal,
}

impl<B: Blocks> Arithmetic<B> {
    /// Whether `a = b`.
    ///
    /// # Errors
    /// [`crate::Error::WidthMismatch`], [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    pub fn eq(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.not_bools(&self.differ("eq", a, b)?)
    }

    /// Whether `a ≠ b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn ne(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.differ("ne", a, b)
    }

    /// Whether `a < b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn lt(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.order("lt", a, b, Sign::Unsigned, Ordering::is_lt)
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn le(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.order("le", a, b, Sign::Unsigned, Ordering::is_le)
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn gt(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.order("gt", a, b, Sign::Unsigned, Ordering::is_gt)
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn ge(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.order("ge", a, b, Sign::Unsigned, Ordering::is_ge)
    }

    /// The smaller one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn min(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.chosen("min", a, b, Sign::Unsigned, Ordering::is_lt)
    }

    /// The larger one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Arithmetic::eq`].
    pub fn max(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.chosen("max", a, b, Sign::Unsigned, Ordering::is_gt)
    }

    /// `a` where its order with `b` is as asked, and `b` elsewhere.
    pub(super) fn chosen(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        sign: Sign,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<Uints<B>, B::Error> {
        self.select_blocks(op, &self.order(op, a, b, sign, asked)?, a, b)
    }

    fn differ(&self, op: &'static str, a: &Uints<B>, b: &Uints<B>) -> Result<Bools<B>, B::Error> {
        self.check_pair(op, a, b)?;
        let pairs = self.pairs(op, a, b)?;
        let bits = self.map(op, pairs, &self.table2(|a, b| u64::from(a != b)))?;
        self.any(op, bits.chunks(a.per).map(<[_]>::to_vec).collect())
    }

    /// Whether the order of `a` and `b` is as asked.
    ///
    /// Digits are compared in chains of [`Blocks::chain_len`], the most significant first: `M·s + a − b` has the sign
    /// `s` of the digits before, or else that of this one's difference. With weights `2^place`, the sum of a group of
    /// signs has the sign of its most significant one that isn't zero, and groups are what chains were. A product takes
    /// the place of groups where there are two chains and blocks have products. Of signed
    /// integers, the last digits are compared by a table of both, as if the smaller half of them were the larger one.
    pub(super) fn order(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        sign: Sign,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<Bools<B>, B::Error> {
        self.check_pair(op, a, b)?;
        if let (Sign::Unsigned, Some(differences)) = (sign, self.differences(a, b)?) {
            return self.order_of_pairs(op, differences, a.per / 2, asked);
        }
        let (base, chain_len) = (self.radix.base(), self.blocks.chain_len(a.per));
        let (k, chains) = ((self.blocks.max_signed() + 1).ilog2() as usize, a.per.div_ceil(chain_len));
        let outcome = self.order_table(|order| u64::from(asked(order)));
        // A product chooses between two chains: the lower one counts where the upper one's digits are equal.
        let by_product = B::HAS_PRODUCTS && chains == 2;
        let equal = self.order_table(|order| u64::from(order.is_eq()));
        let mut are_equal: Vec<B::Block> = Vec::new();
        let going_on = self.sign_table(base);
        let places: Vec<Table> = (0..k).map(|place| self.sign_table(1 << place)).collect();
        let by_both = self.table2(|a, b| {
            let flipped = (a ^ (base / 2)).cmp(&(b ^ (base / 2)));
            base * (flipped as i64 + 1) as u64
        });
        // Signs of chains in groups, or what the only one comes to.
        let ended = |chain: usize| if chains == 1 || by_product { &outcome } else { &places[chain % k] };
        let (x, y) = (self.settled(op, &a.blocks, 2)?, self.settled(op, &b.blocks, 2)?);
        let last = if sign == Sign::Signed { self.settled(op, &a.last_blocks(), base)? } else { Vec::new() };
        let mut signs: Vec<Option<B::Block>> = vec![None; a.len() * chains];
        for step in 0..chain_len {
            let (mut jobs, mut which) = (Vec::new(), Vec::new());
            for (at, sign_before) in signs.iter().enumerate() {
                let (element, chain) = (at / chains, at % chains);
                let (first, end) = (chain * chain_len, a.per.min((chain + 1) * chain_len));
                let Some(digit) = end.checked_sub(step + 1).filter(|&digit| digit >= first) else { continue };
                let (x, y) = (&x[element * a.per + digit], &y[element * a.per + digit]);
                let mut terms = vec![(1, x), (-1, y)];
                terms.extend(sign_before.iter().map(|sign| (1, sign)));
                let is_signed = sign == Sign::Signed && digit + 1 == a.per;
                if is_signed {
                    // Integers have two digits at least, so that this one is no chain's last.
                    jobs.push((self.pair(&last[element], y)?, &by_both));
                    which.push((at, Comes::Biased));
                    continue;
                }
                let input = self.signed_sum(&terms, 0)?;
                if by_product && chain == 1 && digit == first {
                    jobs.push((input.clone(), &equal));
                    which.push((at, Comes::Equal));
                }
                jobs.push((input, if digit > first { &going_on } else { ended(chain) }));
                which.push((at, Comes::Sign));
            }
            for ((at, comes), found) in which.into_iter().zip(self.look_up(op, &jobs)?) {
                match comes {
                    Comes::Sign => signs[at] = Some(found),
                    Comes::Biased => signs[at] = Some(self.signed_sum(&[(1, &found)], -(base as i64))?),
                    Comes::Equal => are_equal.push(found),
                }
            }
        }
        let mut signs: Vec<B::Block> = signs.into_iter().flatten().collect();
        if by_product {
            let chosen = signs.chunks(chains).zip(&are_equal);
            let chosen = chosen.map(|(chains, equal)| self.blocks.choose(op, equal, [&chains[0], &chains[1]]));
            return Ok(BoolArray(chosen.collect::<Result<_, _>>()?));
        }
        let mut per = chains;
        while per > 1 {
            let group =
                |group: &[B::Block]| self.signed_sum(&group.iter().map(|sign| (1, sign)).collect::<Vec<_>>(), 0);
            let sums = signs.chunks(per).flat_map(|signs| signs.chunks(k)).map(group).collect::<Result<Vec<_>, _>>()?;
            per = per.div_ceil(k);
            let table = |i: usize| if per == 1 { &outcome } else { &places[i % per % k] };
            signs = self.look_up(op, &sums.into_iter().enumerate().map(|(i, x)| (x, table(i))).collect::<Vec<_>>())?;
        }
        Ok(BoolArray(signs))
    }

    /// Differences of two digits each, where signed inputs and the errors have room for these and blocks have products.
    fn differences(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Option<Vec<B::Block>>, B::Error> {
        let base = self.radix.base();
        let are_digits = a.blocks.iter().chain(&b.blocks).all(|block| block.max_value() < base);
        if !B::HAS_PRODUCTS || !a.per.is_multiple_of(2) || !are_digits || base * base - 1 > self.blocks.max_signed() {
            return Ok(None);
        }
        let difference = |(x, y): (&[B::Block], &[B::Block])| {
            let upper = base as i64;
            self.signed_sum(&[(1, &x[0]), (-1, &y[0]), (upper, &x[1]), (-upper, &y[1])], 0)
        };
        let found = a.blocks.chunks(2).zip(b.blocks.chunks(2)).map(difference).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(found).filter(|found| found.iter().all(|x| self.blocks.takes(&[x], 1))))
    }

    /// Whether the order is as asked, of differences the last of which that isn't zero decides: their signs, with
    /// weights `2^place` in groups, whose sums have the sign of the most significant one that isn't zero, are
    /// differences again, and a product chooses between the last two.
    fn order_of_pairs(
        &self,
        op: &'static str,
        mut differences: Vec<B::Block>,
        mut per: usize,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<Bools<B>, B::Error> {
        let k = (self.blocks.max_signed() + 1).ilog2() as usize;
        let outcome = self.order_table(|order| u64::from(asked(order)));
        let equal = self.order_table(|order| u64::from(order.is_eq()));
        let places: Vec<Table> = (0..k).map(|place| self.sign_table(1 << place)).collect();
        while per > 2 {
            let jobs = differences.iter().enumerate().map(|(i, x)| (x.clone(), &places[i % per % k]));
            let signs = self.look_up(op, &jobs.collect::<Vec<_>>())?;
            let group = |group: &[B::Block]| self.signed_sum(&group.iter().map(|x| (1, x)).collect::<Vec<_>>(), 0);
            differences =
                signs.chunks(per).flat_map(|signs| signs.chunks(k)).map(group).collect::<Result<Vec<_>, _>>()?;
            per = per.div_ceil(k);
        }
        if per == 1 {
            return Ok(BoolArray(self.map(op, differences, &outcome)?));
        }
        let jobs = differences
            .chunks(2)
            .flat_map(|pair| [(pair[0].clone(), &outcome), (pair[1].clone(), &outcome), (pair[1].clone(), &equal)]);
        let found = self.look_up(op, &jobs.collect::<Vec<_>>())?;
        let chosen = found.chunks(3).map(|found| self.blocks.choose(op, &found[2], [&found[0], &found[1]]));
        Ok(BoolArray(chosen.collect::<Result<_, _>>()?))
    }

    /// Whether any of the bits of each row is set.
    pub(super) fn any(&self, op: &'static str, rows: Vec<Vec<B::Block>>) -> Result<Bools<B>, B::Error> {
        Ok(BoolArray(self.folded(op, rows, &self.table(|count| u64::from(count > 0)))?))
    }

    /// One outcome for each row: of a table of the sums of groups of its terms, then of the sums of outcomes.
    pub(super) fn folded(
        &self,
        op: &'static str,
        mut rows: Vec<Vec<B::Block>>,
        table: &Table,
    ) -> Result<Vec<B::Block>, B::Error> {
        while rows.iter().any(|terms| terms.len() > 1) {
            let (mut jobs, mut places) = (Vec::new(), Vec::new());
            // A row of one term is done, and a term by itself waits for the next round.
            for (row, terms) in rows.iter_mut().enumerate().filter(|(_, terms)| terms.len() > 1) {
                let groups = self.groups(std::mem::take(terms));
                let are_fewer = groups.iter().any(|group| group.len() > 1);
                for group in groups {
                    if are_fewer && group.len() == 1 {
                        terms.extend(group);
                    } else {
                        jobs.push((self.sum(&group)?, table));
                        places.push(row);
                    }
                }
            }
            let found = self.look_up(op, &jobs)?;
            places.into_iter().zip(found).for_each(|(row, term)| rows[row].push(term));
        }
        Ok(rows.into_iter().map(|mut terms| terms.pop().unwrap_or_else(|| self.plain(0))).collect())
    }

    /// For each block, whether that block or one above it in the same integer of `per` blocks is set. A round settles
    /// as many blocks as the space and the noise allow.
    pub(super) fn any_above(
        &self,
        op: &'static str,
        blocks: &[B::Block],
        per: usize,
    ) -> Result<Vec<B::Block>, B::Error> {
        let table = self.table(|sum| u64::from(sum > 0));
        // From the most significant block on.
        let mut above: Vec<Vec<B::Block>> = vec![Vec::new(); blocks.len() / per];
        while above.iter().any(|known| known.len() < per) {
            let (mut jobs, mut counts) = (Vec::new(), Vec::new());
            for (known, blocks) in above.iter().zip(blocks.chunks(per)) {
                let (mut sum, before) = (known.last().cloned(), jobs.len());
                for block in blocks.iter().rev().skip(known.len()) {
                    let next = match &sum {
                        Some(sum) if sum.max_value() + block.max_value() > self.radix.max() => break,
                        Some(sum) => self.sum([sum, block])?,
                        None => block.clone(),
                    };
                    if jobs.len() > before && !self.blocks.takes(&[&next], 0) {
                        break;
                    }
                    jobs.push((next.clone(), &table));
                    sum = Some(next);
                }
                counts.push(jobs.len() - before);
            }
            let mut found = self.look_up(op, &jobs)?.into_iter();
            above.iter_mut().zip(counts).for_each(|(known, count)| known.extend(found.by_ref().take(count)));
        }
        Ok(above.into_iter().flat_map(|known| known.into_iter().rev()).collect())
    }
}
