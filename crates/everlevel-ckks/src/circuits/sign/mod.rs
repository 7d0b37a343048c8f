#![doc = include_str!("../../../notes/comparison.md")]
//!
//! *Map.* `minimax` polynomials · `step` their values · `precision` · `plan` their composition · this file: signs and
//! comparisons of ciphertexts.

mod minimax;
mod plan;
mod precision;
mod step;

use std::sync::Arc;

use super::evaluator::{Circuits, Run};
use super::operand::Operand;
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units, no_progress};

pub use minimax::{Minimax, alternating_extrema};
pub use plan::{SignPlan, least_depth};
pub use precision::SignPrecision;
pub use step::Step;
pub(super) use step::series_at;

impl Circuits<'_> {
    /// The plan of a sign of a ciphertext at a level.
    ///
    /// # Errors
    /// A precision out of range, or a level that leaves none for polynomials.
    pub fn plan_sign(&self, precision: SignPrecision, level: usize) -> Result<Arc<SignPlan>, Error> {
        self.run("plan_sign", 1, &no_progress).plan(precision, level)
    }

    /// The sign of every value of a real ciphertext: ±1 up to `precision.error` where values are of size
    /// `precision.gap` to `precision.bound`. Values within the gap come out between 0 and their sign; beyond the bound
    /// anything comes out.
    ///
    /// Costs one sign bootstrap for each round of the plan: from the highest level, one down to a gap of 2^-7 and two
    /// down to 2^-12. The result is at the highest level. A ciphertext with fewer than 2 levels above the key's stage
    /// count is bootstrapped first.
    ///
    /// # Errors
    /// A precision out of range; a regular bootstrap key, or keys of another secret; three polynomials; a cancellation.
    pub fn sign(
        &self,
        x: &Units<Ciphertext>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run("sign", 1, progress);
        run.check_lossy(x)?;
        run.sign(x, precision).map(|(sign, _)| sign)
    }

    /// 1 where `left > right` and 0 where it is less, up to `precision.error/2`; 1/2 where they are equal. The
    /// precision is that of the difference. The result is one below the highest level.
    ///
    /// # Errors
    /// As [`Circuits::sign`]; ciphertexts of different secrets.
    pub fn compare<'o>(
        &self,
        left: &Units<Ciphertext>,
        right: impl Into<Operand<'o>>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.compared(left, right.into(), precision, progress, |_, difference| Ok(difference))
    }

    /// 1 where `left < right` and 0 where it is greater; all else as in [`Circuits::compare`].
    ///
    /// # Errors
    /// As [`Circuits::compare`].
    pub fn compare_less<'o>(
        &self,
        left: &Units<Ciphertext>,
        right: impl Into<Operand<'o>>,
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        self.compared(left, right.into(), precision, progress, |run, difference| run.negate(&difference))
    }

    /// 1 where what is made of the difference is positive.
    fn compared(
        &self,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
        progress: Progress,
        side: impl FnOnce(&Run<'_>, Units<Ciphertext>) -> Result<Units<Ciphertext>, Error>,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run("compare", 1, progress);
        let difference = run.checked_difference(left, right, precision)?;
        run.indicator(&side(&run, difference)?, precision).map(|(indicator, _)| indicator)
    }
}

/// A sign or an indicator, and the plan that it was computed by.
pub(super) type Planned = (Units<Ciphertext>, Arc<SignPlan>);

impl Run<'_> {
    /// The plan of a sign from a level.
    pub fn plan(&self, precision: SignPrecision, level: usize) -> Result<Arc<SignPlan>, Error> {
        let stages = self.stage_count();
        SignPlan::new(self.op, precision, level.saturating_sub(stages), self.ctx().max_level() - stages)
    }

    /// [`Run::difference`] of operands that are checked.
    pub fn checked_difference(
        &self,
        left: &Units<Ciphertext>,
        right: Operand,
        precision: SignPrecision,
    ) -> Result<Units<Ciphertext>, Error> {
        self.check_lossy(left)?;
        right.ciphertext().map_or(Ok(()), |right| self.check_lossy(right))?;
        precision.check(self.op)?;
        let difference = self.difference(left, right, precision.bound)?;
        self.check_bound(&difference, precision.bound)?;
        Ok(difference)
    }

    /// `left − right`: within a bound, as its caller says, unless an operand alone may be larger.
    pub fn difference(&self, left: &Units<Ciphertext>, right: Operand, bound: f64) -> Result<Units<Ciphertext>, Error> {
        let difference = self.add_operand(left, right, -1.0)?;
        let is_larger = left.bound().size().max(self.largest(right)?) > bound;
        Ok(if is_larger { difference } else { difference.within(bound) })
    }

    pub fn sign(&self, x: &Units<Ciphertext>, precision: SignPrecision) -> Result<Planned, Error> {
        precision.check(self.op)?;
        self.check_bound(x, precision.bound)?;
        let (level, stages) = (x.first().level(), self.stage_count());
        let raised = match level {
            _ if level >= stages + least_depth(precision.bound) => None,
            _ if level >= stages => Some(self.bootstrap(Method::Lossy, SlotType::Real, x)?),
            _ => Some(self.bootstrap(Method::Regular, SlotType::Complex, x)?),
        };
        let x = raised.as_ref().unwrap_or(x);
        let plan = self.plan(precision, x.first().level())?;
        self.expect(plan.bootstrap_count());
        let scaled = self.multiply_scalar(x, plan.factor)?.on_reals(true);
        let mut x = scaled.within(precision.bound * plan.factor);
        for steps in &plan.rounds {
            for step in steps {
                // Steps end below 1 for all arguments up to their bound.
                x = self.polynomials(&x, step.basis, &[&step.coefficients])?.swap_remove(0).within(1.0);
            }
            x = self.bootstrap(Method::Sign, SlotType::Real, &x)?;
        }
        Ok((x, plan))
    }

    /// 1 for positive values, 0 for negative ones.
    pub fn indicator(&self, x: &Units<Ciphertext>, precision: SignPrecision) -> Result<Planned, Error> {
        let (sign, plan) = self.sign(x, precision)?;
        Ok((self.add_scalar(&self.multiply_scalar(&sign, 0.5)?, 0.5)?, plan))
    }
}
