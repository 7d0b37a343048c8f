//! Where the largest and the smallest value are: as a vector of one 1 and zeros, or as an index.
//!
//! Few values, of which about `count²` fit the slots, are compared all at once, each with each, and a value is the
//! largest if it wins every comparison. More of them take the tree of [`Circuits::extremum_of_slots`], and one
//! comparison with the extremum that comes out.

use super::evaluator::{Circuits, Run};
use super::extrema::Extremum;
use super::operand::Rotations;
use super::sign::{SignPrecision, least_depth};
use crate::series::Basis;
use crate::{Ciphertext, Entries, Error, MatrixMultiplicationKey, Method, Progress, RotationKey, SlotType, Units};

/// `3h² − 2h³` keeps 0 and 1, and makes `3ε²` of a distance `ε` to either.
const CLEANING: [f64; 4] = [0.0, 0.0, 3.0, -2.0];

/// How a place is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The index, in every slot.
    Index,
    /// 1 in the slot of the extremum, 0 in the others.
    OneHot,
}

/// Keys that bring values beside each other.
#[derive(Debug, Clone, Copy)]
pub struct PlaceKeys<'a> {
    /// Rotations by any amount.
    pub rotation: &'a RotationKey,
    /// For a faster product with a matrix, where it serves the level.
    pub matrices: Option<&'a MatrixMultiplicationKey>,
}

impl Circuits<'_> {
    /// The place of the largest or the smallest of the first `count` values of each unit, if it differs from the others
    /// by `precision.gap` or more. Within the gap, several slots may have parts of the 1, and the index is of no use.
    ///
    /// The precision is that of differences; with a tree, the gap is at least `bound/2048`, and values beyond `count`
    /// are compared, too. Costs one sign, and a lossy bootstrap before it; or a [`Circuits::extremum_of_slots`], and
    /// one sign of half the gap. The vector of one 1 is right to `3·(count·error/2)²`, or with a tree to
    /// `3·(error/2)²`, beside the noise of its level; the index to `count²/2` times that.
    ///
    /// # Errors
    /// As [`Circuits::extremum_of_slots`]; rotation keys of another secret.
    pub fn argument_of_slots(
        &self,
        which: Extremum,
        x: &Units<Ciphertext>,
        keys: PlaceKeys,
        (count, place): (usize, Place),
        precision: SignPrecision,
        progress: Progress,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.run(which.named("argmax_of_slots", "argmin_of_slots"), 2, progress);
        Search { run: &run, keys, count, which, precision }.place(x, place)
    }
}

/// The power of two from `count − 1` up: blocks of comparisons, with those that fill up their product.
fn block_count(count: usize) -> usize {
    (count - 1).next_power_of_two()
}

/// A search for the place of an extremum.
struct Search<'r> {
    run: &'r Run<'r>,
    keys: PlaceKeys<'r>,
    count: usize,
    which: Extremum,
    precision: SignPrecision,
}

impl Search<'_> {
    fn place(&self, x: &Units<Ciphertext>, place: Place) -> Result<Units<Ciphertext>, Error> {
        let (run, count) = (self.run, self.count);
        run.ctx().check_count(run.op, count)?;
        run.check_lossy(x)?;
        run.ctx().check_whole_key(run.op, self.keys.rotation, x.first())?;
        self.precision.check(run.op)?;
        let found = match count {
            1 => run.add_scalar(&run.multiply_scalar(&self.with_levels(x, 1)?, 0.0)?, 1.0)?,
            _ if block_count(count) * count <= run.ctx().slot_count() => self.cleaned(self.wins(x)?)?,
            _ => self.cleaned(self.at_extremum(x)?)?,
        };
        let places: Vec<f64> = (0..count).map(|at| if place == Place::OneHot { 1.0 } else { at as f64 }).collect();
        let places = run.multiply_values(&found, &places)?;
        if place == Place::OneHot { Ok(places) } else { self.sum(&places) }
    }

    fn cleaned(&self, found: Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        Ok(self.run.polynomials(&found, Basis::Power, &[&CLEANING])?.swap_remove(0).within(1.0))
    }

    /// Differences are divided by their bound, with the sign under which the largest is looked for.
    fn factor(&self) -> f64 {
        match self.which {
            Extremum::Max => 1.0 / self.precision.bound,
            Extremum::Min => -1.0 / self.precision.bound,
        }
    }

    /// 1 where a value exceeds all others, 0 where one exceeds it: the product of all its comparisons. Slot
    /// `k·count + i` compares the value `i` with the one `k + 1` places on.
    fn wins(&self, x: &Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        let (run, count) = (self.run, self.count);
        let pairs = (count - 1) * count;
        let mut matrix = vec![0.0; pairs * count];
        for (row, entries) in matrix.chunks_mut(count).enumerate() {
            let (k, i) = (row / count + 1, row % count);
            entries[i] = self.factor();
            entries[(i + k) % count] = -self.factor();
        }
        let SignPrecision { gap, error, bound } = self.precision;
        let precision = SignPrecision { gap: gap / bound, error, bound: 1.0 };
        run.check_bound(x, bound)?;
        let x = self.for_product(x, precision)?;
        let difference = self.product(&matrix, (pairs, count), &x)?.within(1.0);
        let (sign, _) = run.sign(&run.raised_alone(difference, precision)?, precision)?;
        // (1 + sign)/2, and 1 beyond the pairs.
        let slots = run.ctx().slot_count();
        let rest: Vec<f64> = (0..slots).map(|at| if at < pairs { 0.5 } else { 1.0 }).collect();
        let mut wins = run.add_values(&run.multiply_values(&sign, &vec![0.5; pairs])?, &rest)?;
        let mut step = count;
        while step < block_count(count) * count {
            wins = run.multiply(&wins, &run.rotate(&wins, self.keys.rotation.into(), -(step as i64))?)?;
            step *= 2;
        }
        Ok(wins)
    }

    /// 1 where a value is less than half the gap away from the extremum, 0 where it is further.
    fn at_extremum(&self, x: &Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        let (run, count) = (self.run, self.count);
        let SignPrecision { gap, error, bound } = self.precision;
        let precision = SignPrecision { gap: gap / bound / 2.0, error, bound: 1.0 };
        precision.check(run.op)?;
        let mut extremum = run.tree(self.which, x, Rotations::from(self.keys.rotation), count, self.precision)?;
        if count < run.ctx().slot_count() {
            // From slot 0 to all others.
            extremum = self.sum(&run.multiply_values(&self.with_levels(&extremum, 2)?, &[1.0])?)?;
        }
        let difference = run.subtract(&self.with_levels(x, 1)?, &self.with_levels(&extremum, 1)?)?;
        let difference = run.multiply_values(&difference, &vec![self.factor(); count])?;
        let difference = run.add_values(&difference, &vec![precision.gap; count])?.within(1.0);
        run.indicator(&run.raised_alone(difference, precision)?, precision).map(|(found, _)| found)
    }

    /// A level for a product with a matrix: so that a sign can follow, or else the least for a bootstrap.
    fn for_product(&self, x: &Units<Ciphertext>, precision: SignPrecision) -> Result<Units<Ciphertext>, Error> {
        let (run, stages) = (self.run, self.run.stage_count());
        let x = self.with_levels(x, 1)?;
        let level = x.first().level();
        if level > stages + least_depth(precision.bound) {
            let rounds = |from| run.plan(precision, from).map(|plan| plan.bootstrap_count());
            if rounds(level - 1)? == rounds(run.ctx().max_level())? {
                return Ok(x);
            }
        }
        x.try_map(|unit| run.ctx().level_down(unit, level.min(stages + 1)))
    }

    fn product(&self, matrix: &[f64], size: (usize, usize), x: &Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        let (ctx, entries, level) = (self.run.ctx(), Entries::Real(matrix), x.first().level());
        let serves = |key: &&MatrixMultiplicationKey| level <= ctx.key_level(*key);
        match self.keys.matrices.filter(serves) {
            Some(key) => ctx.multiply_entries(entries, size, x, key),
            None => ctx.multiply_entries(entries, size, x, self.keys.rotation),
        }
    }

    fn with_levels(&self, x: &Units<Ciphertext>, needed: usize) -> Result<Units<Ciphertext>, Error> {
        let has = x.first().level() >= needed;
        if has { Ok(x.clone()) } else { self.run.bootstrap(Method::Regular, SlotType::Complex, x) }
    }

    /// The sum over the slots of each unit, in every slot.
    fn sum(&self, x: &Units<Ciphertext>) -> Result<Units<Ciphertext>, Error> {
        let ctx = self.run.ctx();
        ctx.sum_range(x, self.keys.rotation, ctx.slot_count())
    }
}
