//! Minima, maxima, and other products with a sign: right everywhere, since where a sign is uncertain, the value that
//! it is multiplied with is small.

use super::evaluator::{Circuits, Operand, Rotations, Run};
use super::sign::{LEAST_DEPTH, SignPrecision};
use crate::{Ciphertext, Error, Method, Parts, Progress, Units};

/// Which of two values is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extremum {
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
}

impl Circuits<'_> {
    /// The larger value, slot by slot, with an error of at most `precision.gap/2`. Where the values differ by the gap
    /// or more it is at most `bound·error/2`, beside that of bootstraps.
    ///
    /// The precision is that of the difference. Costs a level, and none of those above the highest but one. Operands
    /// whose levels would need a further round are bootstrapped first, both at once if they can be.
    ///
    /// # Errors
    /// As [`Circuits::compare`].
    pub fn maximum<'o>(
        &self,
        left: &Units<Ciphertext>,
        right: impl Into<Operand<'o>>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.run("maximum", 1, progress).checked_extremum(Extremum::Max, left, right.into(), precision)
    }

    /// The smaller value, slot by slot; all else as in [`Circuits::maximum`].
    ///
    /// # Errors
    /// As [`Circuits::compare`].
    pub fn minimum<'o>(
        &self,
        left: &Units<Ciphertext>,
        right: impl Into<Operand<'o>>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.run("minimum", 1, progress).checked_extremum(Extremum::Min, left, right.into(), precision)
    }

    /// `max(x, 0)`, with an error of at most `precision.gap/2`. Costs a level, as [`Circuits::maximum`].
    ///
    /// # Errors
    /// As [`Circuits::sign`].
    pub fn relu(
        &self,
        x: &Units<Ciphertext>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run("relu", 1, progress);
        run.check_lossy(x)?;
        let [x] = run.raised([x], precision)?;
        run.positive_part(&x, precision)
    }

    /// The absolute value, with an error of at most `precision.gap`. Costs a level, as [`Circuits::maximum`].
    ///
    /// # Errors
    /// As [`Circuits::sign`].
    pub fn abs(
        &self,
        x: &Units<Ciphertext>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run("abs", 1, progress);
        run.check_lossy(x)?;
        let [x] = run.raised([x], precision)?;
        run.multiply(&x, &run.sign(&x, precision)?)
    }

    /// The largest of the first `count` values in slot 0, by a tree of `⌈log2(count)⌉` maxima. Where all values count,
    /// every slot has the result; else the other slots hold maxima of other values. The values beyond are compared,
    /// too: their differences must be within the bound as well.
    ///
    /// The error is at most that of [`Circuits::maximum`] for each row of the tree. Costs a level for each row, and
    /// bootstraps in between. The keys have the rotations by [`tree_rotations`].
    ///
    /// # Errors
    /// As [`Circuits::sign`]; a count of 0 or beyond the slots; a rotation that there is no key for.
    pub fn max_of_slots<'k>(
        &self,
        x: &Units<Ciphertext>,
        rotations: impl Into<Rotations<'k>>,
        count: usize,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.run("max_of_slots", 1, progress).tree(Extremum::Max, x, rotations.into(), count, precision)
    }

    /// The smallest of the first `count` values in slot 0; all else as in [`Circuits::max_of_slots`].
    ///
    /// # Errors
    /// As [`Circuits::max_of_slots`].
    pub fn min_of_slots<'k>(
        &self,
        x: &Units<Ciphertext>,
        rotations: impl Into<Rotations<'k>>,
        count: usize,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.run("min_of_slots", 1, progress).tree(Extremum::Min, x, rotations.into(), count, precision)
    }
}

/// The rotations of a tree over the first `count` slots, one for each row, by which slots move right. Values may be
/// counted twice.
pub fn tree_rotations(count: usize) -> Vec<i64> {
    let mut covered = 1;
    let row = || {
        let step = covered.min(count.saturating_sub(covered));
        covered += step;
        (step > 0).then_some(-(step as i64))
    };
    std::iter::from_fn(row).collect()
}

impl Run<'_> {
    /// `z·(1 + sign z)/2`, which is `max(z, 0)`.
    pub fn positive_part(&self, z: &Units<Ciphertext>, precision: SignPrecision) -> Result<Units<Ciphertext>, Error> {
        self.multiply(z, &self.indicator(z, precision)?)
    }

    fn checked_extremum(
        &self,
        which: Extremum,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        self.check_lossy(left)?;
        right.ciphertext().map_or(Ok(()), |right| self.check_lossy(right))?;
        self.extremum(which, left, right, precision)
    }

    fn extremum(
        &self,
        which: Extremum,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        match right.ciphertext() {
            Some(right) => {
                let [left, right] = self.raised([left, right], precision)?;
                self.extremum_of_raised(which, &left, Operand::Ciphertext(&right), precision)
            }
            None => {
                let [left] = self.raised([left], precision)?;
                self.extremum_of_raised(which, &left, right, precision)
            }
        }
    }

    /// `right + (left − right)⁺` or `left − (left − right)⁺`.
    fn extremum_of_raised(
        &self,
        which: Extremum,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        let part = self.positive_part(&self.add_operand(left, right, -1.0)?, precision)?;
        match which {
            Extremum::Max => self.add_operand(&part, right, 1.0),
            Extremum::Min => self.subtract(left, &part),
        }
    }

    fn tree(
        &self,
        which: Extremum,
        x: &Units<Ciphertext>,
        rotations: Rotations,
        count: usize,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        let (op, slot_count) = (self.op, self.ctx().slot_count());
        if !(1..=slot_count).contains(&count) {
            return Err(Error::SlotCount { op, count, slot_count });
        }
        self.check_lossy(x)?;
        let amounts = tree_rotations(count);
        self.check_rotations(rotations, &amounts)?;
        let mut x = x.clone();
        for delta in amounts {
            let [raised] = self.raised([&x], precision)?;
            let moved = self.rotate(&raised, rotations, delta)?;
            x = self.extremum(which, &raised, Operand::Ciphertext(&moved), precision)?;
        }
        Ok(x)
    }

    /// Bootstraps ciphertexts from whose levels a sign would take more rounds than from the highest level; two of them
    /// at once.
    pub fn raised<'u, const N: usize>(
        &self,
        operands: [&'u Units<Ciphertext>; N],
        precision: SignPrecision,
    ) -> Result<[std::borrow::Cow<'u, Units<Ciphertext>>; N], Error> {
        use std::borrow::Cow;
        precision.check(self.op)?;
        let stages = self.stage_count();
        let Some(level) = operands.iter().map(|x| x.first().level()).min() else {
            return Ok(operands.map(Cow::Borrowed));
        };
        if level >= stages + LEAST_DEPTH {
            let rounds = |from| self.plan(precision, from).map(|plan| plan.bootstrap_count());
            if rounds(level)? == rounds(self.ctx().max_level())? {
                return Ok(operands.map(Cow::Borrowed));
            }
        }
        let (method, parts) =
            if level >= stages { (Method::Lossy, Parts::Real) } else { (Method::Regular, Parts::Complex) };
        let all_one = operands.iter().all(|x| std::ptr::eq(*x, operands[0]));
        if all_one {
            let fresh = self.bootstrap(method, parts, operands[0])?;
            return Ok(operands.map(|_| Cow::Owned(fresh.clone())));
        }
        let mut merged = self.merge_bootstrap(method, operands[0], operands[N - 1])?.map(Some).into_iter();
        Ok(operands.map(|x| merged.next().flatten().map_or(Cow::Borrowed(x), Cow::Owned)))
    }
}
