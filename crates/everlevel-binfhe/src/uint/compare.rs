//! Comparisons, minimum and maximum of arrays of integers, element by element: operations of [`Integers`].

use std::cmp::Ordering;

use super::signed::Sign;
use super::{BoolArray, Integers, UintArray};
use crate::{Ciphertext, Error};

impl Integers<'_> {
    /// Whether `a = b`.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`Error::NoiseExhausted`].
    pub fn eq(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.not_bools(&self.differ("eq", a, b)?)
    }

    /// Whether `a ≠ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ne(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.differ("ne", a, b)
    }

    /// Whether `a < b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn lt(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.order("lt", a, b, Sign::Unsigned, Ordering::is_lt)
    }

    /// Whether `a ≤ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn le(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.order("le", a, b, Sign::Unsigned, Ordering::is_le)
    }

    /// Whether `a > b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn gt(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.order("gt", a, b, Sign::Unsigned, Ordering::is_gt)
    }

    /// Whether `a ≥ b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn ge(&self, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.order("ge", a, b, Sign::Unsigned, Ordering::is_ge)
    }

    /// The smaller one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn min(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        self.chosen("min", a, b, Sign::Unsigned, Ordering::is_lt)
    }

    /// The larger one of `a` and `b`.
    ///
    /// # Errors
    /// As [`Integers::eq`].
    pub fn max(&self, a: &UintArray, b: &UintArray) -> Result<UintArray, Error> {
        self.chosen("max", a, b, Sign::Unsigned, Ordering::is_gt)
    }

    /// `a` where its order with `b` is as asked, and `b` elsewhere.
    pub(super) fn chosen(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        sign: Sign,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<UintArray, Error> {
        self.select_blocks(op, &self.order(op, a, b, sign, asked)?, a, b)
    }

    fn differ(&self, op: &'static str, a: &UintArray, b: &UintArray) -> Result<BoolArray, Error> {
        self.check_pair(op, a, b)?;
        let pairs = self.pairs(op, a, b)?;
        let bits = self.map(op, pairs, &self.table2(|a, b| u64::from(a != b)))?;
        self.any(op, bits.chunks(a.per).map(<[_]>::to_vec).collect())
    }

    /// Whether the order of `a` and `b` is as asked.
    ///
    /// A block compares as 0, 1 or 2 for less, equal, greater. With weights `2^place`, the sum of a group is below, at
    /// or above `2^k − 1` as its most significant block that is not equal says: groups are blocks of the next level, as
    /// with carries. Of signed integers the last blocks compare as if the smaller half of their digits were the larger
    /// one.
    pub(super) fn order(
        &self,
        op: &'static str,
        a: &UintArray,
        b: &UintArray,
        sign: Sign,
        asked: impl Fn(Ordering) -> bool,
    ) -> Result<BoolArray, Error> {
        self.check_pair(op, a, b)?;
        let (k, mut per) = (self.group(), a.per);
        let states = |place: usize, flip: u64| {
            self.table2(move |a, b| (((a ^ flip).cmp(&(b ^ flip)) as i8 + 1) as u64) << place)
        };
        let tables = (0..k).map(|place| states(place, 0)).collect::<Vec<_>>();
        let last = states((per - 1) % k, if sign == Sign::Signed { self.radix.base() / 2 } else { 0 });
        let table = |i: usize| if i % per == per - 1 { &last } else { &tables[i % per % k] };
        let pairs = self.pairs(op, a, b)?.into_iter().enumerate();
        let mut states = self.look_up(op, &pairs.map(|(i, x)| (x, table(i))).collect::<Vec<_>>())?;
        loop {
            // A last group with fewer states is filled up with states of equality.
            let group = |group: &[Ciphertext]| {
                let missing: u64 = (group.len()..k).map(|place| 1 << place).sum();
                self.sum(group.iter().chain([&self.plain(missing)]))
            };
            let sums =
                states.chunks(per).flat_map(|states| states.chunks(k)).map(group).collect::<Result<Vec<_>, _>>()?;
            per = per.div_ceil(k);
            let threshold = (1 << k) - 1;
            if per == 1 {
                let table = self.table(|x| u64::from(asked(x.cmp(&threshold))));
                return Ok(BoolArray(self.map(op, sums, &table)?));
            }
            states = self.states(op, sums, per, threshold)?;
        }
    }

    /// Whether any of the bits of each row is set.
    pub(super) fn any(&self, op: &'static str, mut rows: Vec<Vec<Ciphertext>>) -> Result<BoolArray, Error> {
        let table = self.table(|count| u64::from(count > 0));
        while rows.iter().any(|bits| bits.len() > 1) {
            let (mut jobs, mut counts) = (Vec::new(), Vec::new());
            for bits in &mut rows {
                // A row of one bit is done.
                let groups = if bits.len() > 1 { self.groups(std::mem::take(bits)) } else { Vec::new() };
                counts.push(groups.len());
                for group in &groups {
                    jobs.push((self.sum(group)?, &table));
                }
            }
            let mut found = self.look_up(op, &jobs)?.into_iter();
            for (bits, count) in rows.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                *bits = found.by_ref().take(count).collect();
            }
        }
        Ok(BoolArray(rows.into_iter().map(|mut bits| bits.pop().unwrap_or_else(|| self.plain(0))).collect()))
    }

    /// For each block, whether that block or one above it in the same integer of `per` blocks is set. A round settles
    /// as many blocks as the space and the noise allow.
    pub(super) fn any_above(
        &self,
        op: &'static str,
        blocks: &[Ciphertext],
        per: usize,
    ) -> Result<Vec<Ciphertext>, Error> {
        let table = self.table(|sum| u64::from(sum > 0));
        // From the most significant block on.
        let mut above: Vec<Vec<Ciphertext>> = vec![Vec::new(); blocks.len() / per];
        while above.iter().any(|known| known.len() < per) {
            let (mut jobs, mut counts) = (Vec::new(), Vec::new());
            for (known, blocks) in above.iter().zip(blocks.chunks(per)) {
                let (mut sum, before) = (known.last().cloned(), jobs.len());
                for block in blocks.iter().rev().skip(known.len()) {
                    let next = match &sum {
                        Some(sum) if sum.max_value + block.max_value > self.radix.max() => break,
                        Some(sum) => self.sum([sum, block])?,
                        None => block.clone(),
                    };
                    if jobs.len() > before && self.keys.check_noise(op, next.variance_torus(), 0).is_err() {
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
