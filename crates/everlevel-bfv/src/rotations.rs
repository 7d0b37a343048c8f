//! Moves of the slots of each unit, and sums over them.

use everlevel_limbs::{Error, EvalKeys};
use everlevel_ring::{Progress, report};

use crate::{Ciphertext, Context};

impl Context {
    /// Both rows moved to the left by an amount: slot `i` of a row gets the value of slot `i + amount`. An amount
    /// without a key of its own is made of those of powers of two, to one side or the other.
    ///
    /// # Errors
    /// No keys for the amount; keys or a ciphertext of other secrets or parameters; a budget that is used up.
    pub fn rotate(&self, a: &Ciphertext, amount: i64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "rotate";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let moves = self.rotation_moves(op, amount, keys)?;
        let noise = moves.iter().fold(a.noise, |noise, _| noise.and(self.params.switch_noise()));
        self.room(op, noise, a.budget_bits)?;
        let units = a.units.iter().map(|unit| moves.moved(self.ring(), unit)).collect();
        self.result(op, a.origin, units, noise, a.budget_bits)
    }

    /// The rows swapped.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn swap_rows(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "swap_rows";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let noise = a.noise.and(self.params.switch_noise());
        self.room(op, noise, a.budget_bits)?;
        let inversion = self.inversion_move(op, keys)?;
        let units = a.units.iter().map(|unit| inversion.moved(self.ring(), unit)).collect();
        self.result(op, a.origin, units, noise, a.budget_bits)
    }

    /// The sum of all slots of each unit, in every slot: a rotation for each power of two, to one side or the other,
    /// and a swap of rows, which are the steps of the progress.
    ///
    /// # Errors
    /// As [`Context::rotate`], and [`Error::Cancelled`].
    pub fn sum(&self, a: &Ciphertext, keys: &EvalKeys, progress: Progress) -> Result<Ciphertext, Error> {
        let op = "sum";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let mut moves = self.doubling_moves(op, keys)?;
        moves.push(self.inversion_move(op, keys)?);
        let switched = self.params.switch_noise();
        let noise = moves.iter().fold(a.noise, |noise, _| noise.plus(noise.and(switched)));
        self.room(op, noise, a.budget_bits)?;
        let mut sums = a.units.clone();
        let total = sums.len() * moves.len();
        for (at, sum) in sums.iter_mut().enumerate() {
            for (done, one) in moves.iter().enumerate() {
                report(op, progress, at * moves.len() + done, total)?;
                let moved = one.moved(self.ring(), sum);
                sum.add_assign(self.ring(), &moved);
            }
        }
        report(op, progress, total, total)?;
        self.result(op, a.origin, sums, noise, a.budget_bits)
    }
}
