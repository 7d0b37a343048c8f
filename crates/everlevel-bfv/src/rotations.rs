//! Moves of slots, and sums over them.

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
        self.frame.require_same(op, ("keys", keys.origin()), a.origin)?;
        let moves = self.frame.rotation_moves(op, amount, keys)?;
        let noise = moves.iter().fold(a.noise, |noise, _| noise.and(self.params.switch_noise()));
        self.room(op, noise, a.budget_bits)?;
        self.result(op, a.origin, moves.moved(self.ring(), &a.ct), noise, a.budget_bits)
    }

    /// The rows swapped.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn swap_rows(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "swap_rows";
        self.frame.require_same(op, ("keys", keys.origin()), a.origin)?;
        let noise = a.noise.and(self.params.switch_noise());
        self.room(op, noise, a.budget_bits)?;
        let ct = self.frame.inversion_move(op, keys)?.moved(self.ring(), &a.ct);
        self.result(op, a.origin, ct, noise, a.budget_bits)
    }

    /// The sum of all slots, in every slot: a rotation for each power of two, to one side or the other, and a swap of
    /// rows, which are the steps of the progress.
    ///
    /// # Errors
    /// As [`Context::rotate`], and [`Error::Cancelled`].
    pub fn sum(&self, a: &Ciphertext, keys: &EvalKeys, progress: Progress) -> Result<Ciphertext, Error> {
        let op = "sum";
        self.frame.require_same(op, ("keys", keys.origin()), a.origin)?;
        let mut moves = self.frame.doubling_moves(op, keys)?;
        moves.push(self.frame.inversion_move(op, keys)?);
        let switched = self.params.switch_noise();
        let noise = moves.iter().fold(a.noise, |noise, _| noise.plus(noise.and(switched)));
        self.room(op, noise, a.budget_bits)?;
        let mut sum = a.ct.clone();
        for (done, one) in moves.iter().enumerate() {
            report(op, progress, done, moves.len())?;
            let moved = one.moved(self.ring(), &sum);
            sum.add_assign(self.ring(), &moved);
        }
        report(op, progress, moves.len(), moves.len())?;
        self.result(op, a.origin, sum, noise, a.budget_bits)
    }
}
