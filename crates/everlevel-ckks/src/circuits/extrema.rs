//! Minima, maxima, and other products with a sign: right everywhere, since where a sign is uncertain, the value that
//! it is multiplied with is small.

use super::evaluator::{Circuits, Run};
use super::operand::{Operand, Rotations};
use super::sign::{Planned, SignPlan, SignPrecision, least_depth};
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units};

/// Which of two values is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extremum {
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
}

impl Extremum {
    /// One of two names.
    pub(super) fn named(self, max: &'static str, min: &'static str) -> &'static str {
        match self {
            Self::Max => max,
            Self::Min => min,
        }
    }
}

impl Circuits<'_> {
    /// The larger or the smaller value, slot by slot, with an error of at most `precision.gap/2`. Where the values
    /// differ by the gap or more it is at most `bound·error/2`, beside that of bootstraps.
    ///
    /// The precision is that of the difference. Costs a level, and none of those above the highest but one. Operands
    /// whose levels would need a further round are bootstrapped first, both at once if they can be.
    ///
    /// # Errors
    /// As [`Circuits::compare`].
    pub fn extremum<'o>(
        &self,
        which: Extremum,
        left: &Units<Ciphertext>,
        right: impl Into<Operand<'o>>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.run(which.named("maximum", "minimum"), 1, progress).extremum(which, left, right.into(), precision)
    }

    /// `max(x, 0)`, with an error of at most `precision.gap/2`. Costs a level, as [`Circuits::extremum`].
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
        let x = run.checked_and_raised(x, precision)?;
        let (positive, plan) = run.positive_part(&x, precision)?;
        Ok(with_loss(positive, 0.5, &plan, precision))
    }

    /// The absolute value, with an error of at most `precision.gap`. Costs a level, as [`Circuits::extremum`].
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
        let x = run.checked_and_raised(x, precision)?;
        let (sign, plan) = run.sign(&x, precision)?;
        Ok(with_loss(run.multiply(&x, &sign)?, 1.0, &plan, precision))
    }

    /// The largest or the smallest of the first `count` values in slot 0, by a tree of `⌈log2(count)⌉` extrema. Where
    /// all values count, every slot has the result; else the other slots hold extrema of other values. The values
    /// beyond are compared, too: their differences must be within the bound as well.
    ///
    /// The error is at most that of [`Circuits::extremum`] for each row of the tree. Costs a level for each row, and
    /// bootstraps in between. The keys have the rotations by [`tree_rotations`].
    ///
    /// # Errors
    /// As [`Circuits::sign`]; a count of 0 or beyond the slots; a rotation that there is no key for.
    pub fn extremum_of_slots<'k>(
        &self,
        which: Extremum,
        x: &Units<Ciphertext>,
        rotations: impl Into<Rotations<'k>>,
        count: usize,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run(which.named("max_of_slots", "min_of_slots"), 1, progress);
        run.tree(which, x, rotations.into(), count, precision)
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

/// A share of `x·sign(x)`, or a value made of it, with the errors that an uncertain sign makes within the gap.
fn with_loss(x: Units<Ciphertext>, share: f64, plan: &SignPlan, precision: SignPrecision) -> Units<Ciphertext> {
    let (worst, typical) = plan.loss_within_gap(precision);
    x.deviating(share * worst, share * typical)
}

impl Run<'_> {
    fn checked_and_raised(&self, x: &Units<Ciphertext>, precision: SignPrecision) -> Result<Units<Ciphertext>, Error> {
        self.check_lossy(x)?;
        precision.check(self.op)?;
        self.check_bound(x, precision.bound)?;
        self.raised_alone(x.clone(), precision)
    }

    /// `z·(1 + sign z)/2`, which is `max(z, 0)` but for a loss within the gap.
    fn positive_part(&self, z: &Units<Ciphertext>, precision: SignPrecision) -> Result<Planned, Error> {
        let (positive, plan) = self.indicator(z, precision)?;
        Ok((self.multiply(z, &positive)?, plan))
    }

    fn extremum(
        &self,
        which: Extremum,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        let mut difference = self.checked_difference(left, right, precision)?;
        let operands: Vec<_> = std::iter::once(left).chain(right.ciphertext()).collect();
        let fresh = self.raised(&operands, precision)?.unwrap_or_default();
        let left = fresh.first().unwrap_or(left);
        let right = fresh.get(1).map_or(right, Operand::Ciphertext);
        if !fresh.is_empty() {
            difference = self.difference(left, right, precision.bound)?;
        }
        // A plaintext's level may be too low, too.
        let difference = self.raised_alone(difference, precision)?;
        // right + (left − right)⁺, or left − (left − right)⁺.
        let (part, plan) = self.positive_part(&difference, precision)?;
        let extremum = match which {
            Extremum::Max => self.add_operand(&part, right, 1.0),
            Extremum::Min => self.subtract(left, &part),
        };
        let within = extremum?.within(left.bound().size().max(self.largest(right)?));
        Ok(with_loss(within, 0.5, &plan, precision))
    }

    pub fn tree(
        &self,
        which: Extremum,
        x: &Units<Ciphertext>,
        rotations: Rotations,
        count: usize,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        self.ctx().check_count(self.op, count)?;
        let amounts = tree_rotations(count);
        self.ctx().check_rotations(self.op, rotations, &amounts)?;
        if let Some(key) = rotations.any {
            self.ctx().check_whole_key(self.op, key, x.first())?;
        }
        self.checked_difference(x, x.into(), precision)?;
        let mut x = x.clone();
        for delta in amounts {
            x = self.raised_alone(x, precision)?;
            let moved = self.rotate(&x, rotations, delta)?;
            x = self.extremum(which, &x, Operand::Ciphertext(&moved), precision)?;
        }
        Ok(x)
    }

    /// A ciphertext, bootstrapped where [`Run::raised`] says so.
    pub fn raised_alone(&self, x: Units<Ciphertext>, precision: SignPrecision) -> Result<Units<Ciphertext>, Error> {
        let fresh = self.raised(&[&x], precision)?;
        Ok(fresh.and_then(|all| all.into_iter().next()).unwrap_or(x))
    }

    /// Ciphertexts bootstrapped, two of them at once, where a sign from their levels would take more rounds than from
    /// the highest level; none where it wouldn't.
    fn raised(
        &self,
        operands: &[&Units<Ciphertext>],
        precision: SignPrecision,
    ) -> Result<Option<Vec<Units<Ciphertext>>>, Error> {
        let stages = self.stage_count();
        let level = operands.iter().map(|x| x.first().level()).min().unwrap_or(0);
        if level >= stages + least_depth(precision.bound) {
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
