//! Rotations by keys for some amounts or for any, and sums of slots.

use super::operand::Rotations;
use crate::{Ciphertext, Context, Error, FixedRotationKey, Units};

impl Context {
    /// In every slot the sum of the `count` slots that begin there, cyclically in each unit. No level; at most
    /// `2·log2(count)` rotations, by powers of two.
    ///
    /// # Errors
    /// A count of 0 or beyond the slots; a rotation that there is no key for; as [`Context::rotate`] and
    /// [`Context::add`].
    pub fn sum_range<'k>(
        &self,
        a: &Units<Ciphertext>,
        rotations: impl Into<Rotations<'k>>,
        count: usize,
    ) -> Result<Units<Ciphertext>, Error> {
        let (op, rotations) = ("sum_range", rotations.into());
        self.check_count(op, count)?;
        self.check_ciphertext(op, a.first())?;
        self.check_relinearized(op, a.first())?;
        let powers = || (0..=count.ilog2()).map(|bit| 1 << bit);
        let lowest = 1 << count.trailing_zeros();
        let doubled = powers().filter(|power| 2 * power <= count);
        let added = powers().filter(|power| count & power > 0 && *power > lowest);
        let amounts: Vec<i64> = doubled.chain(added).map(|power| -(power as i64)).collect();
        self.check_rotations(op, rotations, &amounts)?;
        let with_moved = |x: &Units<Ciphertext>, y: &Units<Ciphertext>, power: usize| {
            x.try_zip(op, &self.rotate_units(op, y, rotations, -(power as i64))?, |x, y| self.add(x, y))
        };
        // The window adds up a power of two of slots; the total, those of the lower binary digits of the count.
        let (mut window, mut total) = (a.clone(), None);
        for power in powers() {
            if power > 1 {
                window = with_moved(&window, &window, power / 2)?;
            }
            if count & power > 0 {
                total = Some(match total {
                    None => window.clone(),
                    Some(total) => with_moved(&window, &total, power)?,
                });
            }
        }
        let sum = total.unwrap_or(window);
        if count < self.slot_count() {
            return Ok(sum);
        }
        // All slots have the sum, which the mean of the values has in common with their other means.
        sum.try_zip(op, a, |sum, unit| Ok(sum.clone().with_estimate(sum.estimate().total(unit.estimate(), count))))
    }

    /// Refuses a count of 0, and one beyond the slots.
    pub(super) fn check_count(&self, op: &'static str, count: usize) -> Result<(), Error> {
        let slot_count = self.slot_count();
        if (1..=slot_count).contains(&count) { Ok(()) } else { Err(Error::SlotCount { op, count, slot_count }) }
    }

    /// Refuses rotations that there is no key for.
    pub(super) fn check_rotations(&self, op: &'static str, rotations: Rotations, amounts: &[i64]) -> Result<(), Error> {
        let slots = self.slot_count() as i64;
        let has = |delta: i64| rotations.fixed.iter().any(|key| (key.delta() - delta).rem_euclid(slots) == 0);
        match amounts.iter().find(|&&delta| rotations.any.is_none() && !has(delta)) {
            Some(&delta) => Err(missing(op, rotations, delta)),
            None => Ok(()),
        }
    }

    /// Slots moved right by `delta`, by a key of its own where there is one that serves the level.
    pub(super) fn rotate_units(
        &self,
        op: &'static str,
        a: &Units<Ciphertext>,
        rotations: Rotations,
        delta: i64,
    ) -> Result<Units<Ciphertext>, Error> {
        let (slots, level) = (self.slot_count() as i64, a.first().level());
        let serves =
            |key: &&&FixedRotationKey| (key.delta() - delta).rem_euclid(slots) == 0 && level <= self.key_level(**key);
        match (rotations.fixed.iter().find(serves), rotations.any) {
            (Some(key), _) => a.try_map(|unit| self.rotate_fixed(unit, key)),
            (None, Some(key)) => a.try_map(|unit| self.rotate(unit, key, delta)),
            (None, None) => Err(missing(op, rotations, delta)),
        }
    }
}

fn missing(op: &'static str, rotations: Rotations, rotation: i64) -> Error {
    Error::MissingRotation { op, rotation, available: rotations.fixed.iter().map(|key| key.delta()).collect() }
}
