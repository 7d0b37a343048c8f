//! Automorphisms that move slots, and which of them there are keys for.

use everlevel_ring::LimbRing;
use everlevel_rlwe::{Rlwe, SwitchingKey};

use crate::{Error, EvalKeys, Frame};

/// Automorphisms, with their keys, one after another.
#[derive(Debug, Clone)]
pub struct Moves<'a>(Vec<(u64, &'a SwitchingKey<LimbRing>)>);

impl<'a> Moves<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing moves.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each one alone.
    pub fn iter(&self) -> impl Iterator<Item = Moves<'a>> {
        self.0.iter().map(|&one| Moves(vec![one]))
    }

    /// The ciphertext after all of them.
    pub fn moved(&self, ring: &LimbRing, ct: &Rlwe<LimbRing>) -> Rlwe<LimbRing> {
        let Some(((element, key), rest)) = self.0.split_first() else { return ct.clone() };
        let first = key.automorphism(ring, ct, *element);
        rest.iter().fold(first, |ct, (element, key)| key.automorphism(ring, &ct, *element))
    }
}

impl Frame {
    /// The automorphism of the inversion `X ↦ X^−1`.
    pub fn inversion(&self) -> u64 {
        2 * self.shape().n() as u64 - 1
    }

    /// `5^amount` modulo `2n`: the automorphism that moves slots to the left by an amount.
    pub fn rotation(&self, amount: i64) -> u64 {
        let (two_n, order) = (2 * self.shape().n() as u64, self.shape().n() as i64 / 2);
        let (mut power, mut rest, mut square) = (1, amount.rem_euclid(order), 5);
        while rest > 0 {
            if rest & 1 == 1 {
                power = power * square % two_n;
            }
            (rest, square) = (rest >> 1, square * square % two_n);
        }
        power
    }

    /// The automorphisms that a rotation to the left is made of: one, or those of powers of two, to one side or the
    /// other.
    ///
    /// # Errors
    /// [`Error::MissingRotation`].
    pub fn rotation_moves<'a>(&self, op: &'static str, amount: i64, keys: &'a EvalKeys) -> Result<Moves<'a>, Error> {
        let order = self.shape().n() as i64 / 2;
        let (own, to_left) = (self.rotation(amount), amount.rem_euclid(order));
        if own == 1 {
            return Ok(Moves(Vec::new()));
        }
        let key = |element: u64| Some((element, &keys.rotations.get(&element)?.1));
        if let Some(one) = key(own) {
            return Ok(Moves(vec![one]));
        }
        let to_side = |side: i64| -> Option<Vec<_>> {
            let amount = (side * to_left).rem_euclid(order);
            self.powers_of_two().filter(|power| amount & power != 0).map(|p| key(self.rotation(side * p))).collect()
        };
        let best = [1, -1].into_iter().filter_map(to_side).min_by_key(Vec::len);
        best.map(Moves).ok_or_else(|| missing(op, amount, keys))
    }

    /// The rotations by every power of two, to one side or the other: each, added to what it moves, makes sums over
    /// all slots of a row.
    ///
    /// # Errors
    /// [`Error::MissingRotation`].
    pub fn doubling_moves<'a>(&self, op: &'static str, keys: &'a EvalKeys) -> Result<Vec<Moves<'a>>, Error> {
        let one = |amount: i64| {
            let either = [amount, -amount].map(|amount| self.rotation(amount)).into_iter();
            let found = either.into_iter().find_map(|element| Some((element, &keys.rotations.get(&element)?.1)));
            found.map(|one| Moves(vec![one])).ok_or_else(|| missing(op, amount, keys))
        };
        self.powers_of_two().map(one).collect()
    }

    /// The inversion.
    ///
    /// # Errors
    /// [`Error::MissingInversion`].
    pub fn inversion_move<'a>(&self, op: &'static str, keys: &'a EvalKeys) -> Result<Moves<'a>, Error> {
        let key = keys.inversion.as_ref().ok_or(Error::MissingInversion { op })?;
        Ok(Moves(vec![(self.inversion(), key)]))
    }

    /// Rotations of one ciphertext, whose transforms they share.
    ///
    /// # Errors
    /// [`Error::MissingRotation`] where an amount other than 0 has no key of its own.
    pub fn rotated_many(
        &self,
        op: &'static str,
        ct: &Rlwe<LimbRing>,
        amounts: &[i64],
        keys: &EvalKeys,
    ) -> Result<Vec<Rlwe<LimbRing>>, Error> {
        let one = |&amount: &i64| match self.rotation(amount) {
            1 => Ok(None),
            element => match keys.rotations.get(&element) {
                Some((_, key)) => Ok(Some((element, key))),
                None => Err(missing(op, amount, keys)),
            },
        };
        let moves = amounts.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let with_keys: Vec<_> = moves.iter().flatten().copied().collect();
        let mut moved = SwitchingKey::automorphisms(self.ring(), ct, &with_keys).into_iter();
        Ok(moves.iter().map(|one| one.and_then(|_| moved.next()).unwrap_or_else(|| ct.clone())).collect())
    }

    /// The automorphism that moves slots to the left by an amount, with its key, if it has one of its own.
    pub fn rotation_turn<'k>(&self, amount: i64, keys: &'k EvalKeys) -> Option<(u64, &'k SwitchingKey<LimbRing>)> {
        let element = self.rotation(amount);
        keys.rotations.get(&element).map(|(_, key)| (element, key))
    }

    /// The refusal of a rotation that has no key.
    pub fn missing_rotation(&self, op: &'static str, amount: i64, keys: &EvalKeys) -> Error {
        missing(op, amount, keys)
    }

    fn powers_of_two(&self) -> impl Iterator<Item = i64> {
        (0..self.shape().log_n - 1).map(|i| 1i64 << i)
    }
}

fn missing(op: &'static str, amount: i64, keys: &EvalKeys) -> Error {
    Error::MissingRotation { op, amount, available: keys.rotations() }
}
