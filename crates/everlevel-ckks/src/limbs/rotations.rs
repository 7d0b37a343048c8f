//! Moves of slots, and sums over them.

use everlevel_limbs::{Error, EvalKeys, Moves, log2_hypot};
use everlevel_ring::{Progress, report};

use super::{Ciphertext, Context};

impl Context {
    /// All slots moved to the left by an amount: slot `i` gets the value of slot `i + amount`. An amount without a key
    /// of its own is made of those of powers of two, to one side or the other.
    ///
    /// # Errors
    /// No keys for the amount; keys or a ciphertext of other secrets or parameters.
    pub fn rotate(&self, a: &Ciphertext, amount: i64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "rotate";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        Ok(self.moved(a, &self.rotation_moves(op, amount, keys)?))
    }

    /// The rotations by several amounts, which share their transforms. Every amount but 0 needs a key of its own.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn rotate_many(&self, a: &Ciphertext, amounts: &[i64], keys: &EvalKeys) -> Result<Vec<Ciphertext>, Error> {
        let op = "rotate_many";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let log2_noise = log2_hypot(a.log2_noise, self.params.shape().switch_noise(a.limbs()));
        let all = self.frame.rotated_many(op, &a.ct, amounts, keys)?;
        Ok(all.into_iter().map(|ct| Ciphertext { ct, log2_noise, ..*a }).collect())
    }

    /// The conjugates, slot by slot.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn conjugate(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "conjugate";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        Ok(self.moved(a, &self.inversion_move(op, keys)?))
    }

    fn moved(&self, a: &Ciphertext, moves: &Moves<'_>) -> Ciphertext {
        let switched = self.params.shape().switch_noise(a.limbs());
        let log2_noise = moves.iter().fold(a.log2_noise, |all, _| log2_hypot(all, switched));
        Ciphertext { ct: moves.moved(self.ring(), &a.ct), log2_noise, ..*a }
    }

    /// The sum of all slots, in every slot: a rotation for each power of two, to one side or the other, which are the
    /// steps of the progress.
    ///
    /// # Errors
    /// As [`Context::rotate`]; a sum that the budget has no room for; [`Error::Cancelled`].
    pub fn sum(&self, a: &Ciphertext, keys: &EvalKeys, progress: Progress) -> Result<Ciphertext, Error> {
        let op = "sum";
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let moves = self.doubling_moves(op, keys)?;
        self.room(op, a.budget_bits.into(), a.bound * self.params.slots() as f64, a.budget_bits)?;
        let mut sum = a.clone();
        for (done, one) in moves.iter().enumerate() {
            report(op, progress, done, moves.len())?;
            let moved = self.moved(&sum, one);
            sum = self.add(&sum, &moved)?;
        }
        report(op, progress, moves.len(), moves.len())?;
        Ok(sum)
    }
}
