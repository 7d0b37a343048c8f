//! Moves of slots, and sums over them.

use everlevel_ring::{Progress, report};
use everlevel_rlwe::SwitchingKey;

use crate::{Ciphertext, Context, Error, EvalKeys};

impl Context {
    /// Both rows moved to the left by an amount: slot `i` of a row gets the value of slot `i + amount`. An amount
    /// without a key of its own is made of those of powers of two, to one side or the other.
    ///
    /// # Errors
    /// No keys for the amount; keys or a ciphertext of other secrets or parameters; a budget that is used up.
    pub fn rotate(&self, a: &Ciphertext, amount: i64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "rotate";
        self.evaluates(op, a, keys)?;
        let steps = self.steps(amount, keys).ok_or_else(|| missing(op, amount, keys))?;
        let noise = steps.iter().fold(a.noise, |noise, _| noise.and(self.params.switch_noise()));
        self.room(op, noise, a.budget_bits)?;
        let mut ct = a.ct.clone();
        for element in steps {
            ct = keys.rotations[&element].1.key.moved_limbs(&self.ring, &ct, element);
        }
        self.result(op, a.secret_id, ct, noise, a.budget_bits)
    }

    /// The rows swapped.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn swap_rows(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "swap_rows";
        self.evaluates(op, a, keys)?;
        let noise = a.noise.and(self.params.switch_noise());
        self.room(op, noise, a.budget_bits)?;
        let ct = swap_key(op, keys)?.moved_limbs(&self.ring, &a.ct, self.swap());
        self.result(op, a.secret_id, ct, noise, a.budget_bits)
    }

    /// The sum of all slots, in every slot: a rotation for each power of two, to one side or the other, and a swap of
    /// rows, which are the steps of the progress.
    ///
    /// # Errors
    /// As [`Context::rotate`], and [`Error::Cancelled`].
    pub fn sum(&self, a: &Ciphertext, keys: &EvalKeys, progress: Progress) -> Result<Ciphertext, Error> {
        let op = "sum";
        self.evaluates(op, a, keys)?;
        let mut moves = Vec::new();
        for amount in (0..self.params.literal().log_n - 1).map(|i| 1i64 << i) {
            let either = [amount, -amount].map(|amount| self.rotation(amount)).into_iter();
            let element = either.into_iter().find(|element| keys.rotations.contains_key(element));
            let element = element.ok_or_else(|| missing(op, amount, keys))?;
            moves.push((element, &keys.rotations[&element].1.key));
        }
        moves.push((self.swap(), swap_key(op, keys)?));
        let switched = self.params.switch_noise();
        let noise = moves.iter().fold(a.noise, |noise, _| noise.plus(noise.and(switched)));
        self.room(op, noise, a.budget_bits)?;
        let mut sum = a.ct.clone();
        for (done, (element, key)) in moves.iter().enumerate() {
            report(op, progress, done, moves.len())?;
            let moved = key.moved_limbs(&self.ring, &sum, *element);
            sum.add_assign(&self.ring, &moved);
        }
        report(op, progress, moves.len(), moves.len())?;
        self.result(op, a.secret_id, sum, noise, a.budget_bits)
    }

    /// The automorphisms that a rotation is made of.
    fn steps(&self, amount: i64, keys: &EvalKeys) -> Option<Vec<u64>> {
        let order = self.params.n() as i64 / 2;
        let (own, amount) = (self.rotation(amount), amount.rem_euclid(order));
        if own == 1 {
            return Some(Vec::new());
        }
        if keys.rotations.contains_key(&own) {
            return Some(vec![own]);
        }
        let to_side = |side: i64| -> Option<Vec<u64>> {
            let amount = (side * amount).rem_euclid(order);
            let powers = (0..self.params.literal().log_n - 1).map(|i| 1i64 << i).filter(|power| amount & power != 0);
            let elements = powers.map(|power| self.rotation(side * power));
            elements.map(|element| keys.rotations.contains_key(&element).then_some(element)).collect()
        };
        let sides = [1, -1].into_iter().filter_map(to_side);
        sides.min_by_key(Vec::len)
    }

    /// Whether keys are those of a ciphertext.
    pub(crate) fn evaluates(&self, op: &'static str, a: &Ciphertext, keys: &EvalKeys) -> Result<(), Error> {
        self.same_parameters(op, "keys", &keys.literal)?;
        self.check(op, a, keys.secret_id, "keys")
    }
}

fn missing(op: &'static str, amount: i64, keys: &EvalKeys) -> Error {
    Error::MissingRotation { op, amount, available: keys.rotations() }
}

fn swap_key<'a>(op: &'static str, keys: &'a EvalKeys) -> Result<&'a SwitchingKey<everlevel_ring::LimbRing>, Error> {
    keys.swap_rows.as_ref().map(|key| &key.key).ok_or(Error::MissingSwap { op })
}
