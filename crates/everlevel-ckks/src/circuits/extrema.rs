//! Minima, maxima, and other products with a sign: right everywhere, since where a sign is uncertain, the value that
//! it is multiplied with is small.

use super::evaluator::{Circuits, Run};
use super::operand::{Operand, Rotations};
use super::sign::{LEAST_DEPTH, SignPrecision};
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units};

/// Which of two values is kept.
#[derive(Clone, Copy)]
pub(super) enum Extremum {
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
        let fresh = run.raised(&[x], precision)?;
        run.positive_part(fresh.as_ref().map_or(x, |all| &all[0]), precision)
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
        let fresh = run.raised(&[x], precision)?;
        let x = fresh.as_ref().map_or(x, |all| &all[0]);
        run.multiply(x, &run.sign(x, precision)?)
    }

    /// Real ciphertexts (one or two) bootstrapped, two of them at once, where a sign from their levels would take more
    /// rounds than from the highest level; none where it wouldn't. Extrema do this by themselves.
    ///
    /// # Errors
    /// As [`Circuits::sign`].
    pub fn raised_for_sign(
        &self,
        operands: &[&Units<Ciphertext>],
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Option<Vec<Units<Ciphertext>>>, Error> {
        let run = self.run("raised_for_sign", 1, progress);
        operands.iter().try_for_each(|x| run.check_lossy(x))?;
        run.raised(operands, precision)
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

/// Refuses a count of 0, and one beyond the slots.
pub(super) fn check_count(run: &Run, count: usize) -> Result<(), Error> {
    let (op, slot_count) = (run.op, run.ctx().slot_count());
    if (1..=slot_count).contains(&count) { Ok(()) } else { Err(Error::SlotCount { op, count, slot_count }) }
}

impl Run<'_> {
    /// `z·(1 + sign z)/2`, which is `max(z, 0)`.
    fn positive_part(&self, z: &Units<Ciphertext>, precision: SignPrecision) -> Result<Units<Ciphertext>, Error> {
        Ok(self.multiply(z, &self.indicator(z, precision)?)?.within(z.bound().size()))
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
        let operands: Vec<_> = std::iter::once(left).chain(right.ciphertext()).collect();
        let fresh = self.raised(&operands, precision)?.unwrap_or_default();
        let left = fresh.first().unwrap_or(left);
        let right = fresh.get(1).map_or(right, Operand::Ciphertext);
        // right + (left − right)⁺, or left − (left − right)⁺.
        let part = self.positive_part(&self.add_operand(left, right, -1.0)?, precision)?;
        let largest = left.bound().size().max(right.largest());
        let extremum = match which {
            Extremum::Max => self.add_operand(&part, right, 1.0),
            Extremum::Min => self.subtract(left, &part),
        };
        Ok(extremum?.within(largest))
    }

    pub fn tree(
        &self,
        which: Extremum,
        x: &Units<Ciphertext>,
        rotations: Rotations,
        count: usize,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        check_count(self, count)?;
        self.check_lossy(x)?;
        let amounts = tree_rotations(count);
        self.check_rotations(rotations, &amounts)?;
        let mut x = x.clone();
        for delta in amounts {
            if let Some(fresh) = self.raised(&[&x], precision)?.and_then(|all| all.into_iter().next()) {
                x = fresh;
            }
            let moved = self.rotate(&x, rotations, delta)?;
            x = self.extremum(which, &x, Operand::Ciphertext(&moved), precision)?;
        }
        Ok(x)
    }

    /// Ciphertexts bootstrapped, two of them at once, where a sign from their levels would take more rounds than from
    /// the highest level; none where it wouldn't.
    pub fn raised(
        &self,
        operands: &[&Units<Ciphertext>],
        precision: SignPrecision,
    ) -> Result<Option<Vec<Units<Ciphertext>>>, Error> {
        precision.check(self.op)?;
        let stages = self.stage_count();
        let level = operands.iter().map(|x| x.first().level()).min().unwrap_or(0);
        if level >= stages + LEAST_DEPTH {
            let rounds = |from| self.plan(precision, from).map(|plan| plan.bootstrap_count());
            if rounds(level)? == rounds(self.ctx().max_level())? {
                return Ok(None);
            }
        }
        let (method, parts) =
            if level >= stages { (Method::Lossy, SlotType::Real) } else { (Method::Regular, SlotType::Complex) };
        match operands {
            [] => Ok(None),
            [a, b] if !std::ptr::eq(*a, *b) => self.merge_bootstrap(method, a, b).map(|both| Some(both.into())),
            [x, ..] => self.bootstrap(method, parts, x).map(|fresh| Some(vec![fresh; operands.len()])),
        }
    }
}
