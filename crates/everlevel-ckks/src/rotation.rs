//! Rotations and conjugation.

use std::sync::OnceLock;

use everlevel_rlwe::{Rlwe, SwitchingKey};

use crate::claims::Claims;
use crate::core::{Core, powers_of_two};
use crate::keys::{ConjugationKey, FixedRotationKey, RotationKey};
use crate::{Ciphertext, Context, Error, Plaintext};

impl Core {
    fn rotate(&self, a: &Ciphertext, left: i64, key: &SwitchingKey) -> Ciphertext {
        self.rotated(a, left, key.automorphism(&self.ring, a.rlwe(), self.ring.rotation_elt(left)))
    }

    /// Rotations to the left of one ciphertext, which share its digits (hoisting).
    fn rotations(&self, a: &Ciphertext, steps: &[(i64, &SwitchingKey)]) -> Vec<Ciphertext> {
        let moves: Vec<_> = steps.iter().map(|(left, key)| (self.ring.rotation_elt(*left), *key)).collect();
        let rotated = SwitchingKey::automorphisms(&self.ring, a.rlwe(), &moves);
        steps.iter().zip(rotated).map(|((left, _), rlwe)| self.rotated(a, *left, rlwe)).collect()
    }

    fn rotated(&self, a: &Ciphertext, left: i64, rlwe: Rlwe) -> Ciphertext {
        let estimate = a.estimate().rotated(left, a.slot_count()).with_noise(self.rounding_error(a.scale()));
        Ciphertext::new(rlwe, None, Claims::new(a.level(), a.scale(), estimate), a.identity())
    }

    fn conjugated(&self, a: &Ciphertext, key: &SwitchingKey) -> Ciphertext {
        let rlwe = key.automorphism(&self.ring, a.rlwe(), self.ring.conjugation_elt());
        let estimate = a.estimate().conjugated().with_noise(self.rounding_error(a.scale()));
        Ciphertext::new(rlwe, None, Claims::new(a.level(), a.scale(), estimate), a.identity())
    }
}

impl Context {
    fn moved_plain(&self, op: &'static str, plaintext: &Plaintext, elt: u64) -> Result<Plaintext, Error> {
        self.check_plaintext(op, plaintext)?;
        Ok(self.install(|core| {
            let poly = core.ring.automorphism(&plaintext.poly, elt);
            Plaintext { poly, values: OnceLock::new(), ..plaintext.clone() }
        }))
    }

    /// The slots of a plaintext moved right by `delta`, exactly.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn rotate_plain(&self, plaintext: &Plaintext, delta: i64) -> Result<Plaintext, Error> {
        let left = self.left(delta);
        let moved = self.moved_plain("rotate", plaintext, self.core.ring.rotation_elt(left))?;
        let padding = moved.padding.map(|padding| padding.rotated(left));
        let estimate = moved.estimate.map(|estimate| Box::new(estimate.rotated(left, moved.slot_count)));
        Ok(Plaintext { padding, estimate, ..moved })
    }

    /// The complex conjugate of every slot of a plaintext, exactly.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn conjugate_plain(&self, plaintext: &Plaintext) -> Result<Plaintext, Error> {
        self.moved_plain("conjugate", plaintext, self.core.ring.conjugation_elt())
    }

    fn check_rotation(&self, op: &'static str, a: &Ciphertext) -> Result<(), Error> {
        self.check_ciphertext(op, a)?;
        self.check_relinearized(op, a)
    }

    /// The complex conjugate of every slot. No level.
    ///
    /// # Errors
    /// A key of other parameters or another secret; three polynomials.
    pub fn conjugate(&self, a: &Ciphertext, key: &ConjugationKey) -> Result<Ciphertext, Error> {
        let op = "conjugate";
        self.check_rotation(op, a)?;
        self.check_key(op, key, a, a.level())?;
        Ok(self.install(|core| core.conjugated(a, key.keys.for_set(a.rlwe().set()))))
    }

    /// Slots moved right by `delta`, cyclically, as `numpy.roll` does; composed of rotations by powers of two. No
    /// level.
    ///
    /// # Errors
    /// As [`Context::conjugate`].
    pub fn rotate(&self, a: &Ciphertext, key: &RotationKey, delta: i64) -> Result<Ciphertext, Error> {
        let op = "rotate";
        self.check_rotation(op, a)?;
        self.check_key(op, key, a, a.level())?;
        let steps = self.steps(op, key, delta)?;
        Ok(self.install(|core| steps.iter().fold(a.clone(), |ct, (left, key)| core.rotate(&ct, *left, key))))
    }

    fn steps<'k>(
        &self,
        op: &'static str,
        key: &'k RotationKey,
        delta: i64,
    ) -> Result<Vec<(i64, &'k SwitchingKey)>, Error> {
        let slots = self.slot_count() as i64;
        powers_of_two(self.left(delta), slots)
            .into_iter()
            .map(|left| match key.keys.get(&left) {
                Some(key) => Ok((left, key)),
                None => Err(Error::MissingRotation {
                    op,
                    rotation: -left,
                    available: key.keys.keys().map(|l| -l).collect(),
                }),
            })
            .collect()
    }

    /// Rotations by several amounts. Amounts that one key serves share the digits of the input (hoisting).
    ///
    /// # Errors
    /// As [`Context::conjugate`].
    pub fn rotate_many(&self, a: &Ciphertext, key: &RotationKey, deltas: &[i64]) -> Result<Vec<Ciphertext>, Error> {
        let op = "rotate_batch";
        self.check_rotation(op, a)?;
        self.check_key(op, key, a, a.level())?;
        let steps = deltas.iter().map(|&d| self.steps(op, key, d)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.install(|core| {
            let firsts: Vec<_> = steps.iter().filter_map(|steps| steps.first().copied()).collect();
            let mut firsts = core.rotations(a, &firsts).into_iter();
            let rotate = |steps: &Vec<(i64, &SwitchingKey)>| match steps.split_first() {
                None => a.clone(),
                Some((_, rest)) => {
                    let first = firsts.next().unwrap_or_else(|| unreachable!("one for each first step"));
                    rest.iter().fold(first, |ct, (left, key)| core.rotate(&ct, *left, key))
                }
            };
            steps.iter().map(rotate).collect()
        }))
    }

    /// Slots moved right by the key's amount. No level.
    ///
    /// # Errors
    /// As [`Context::conjugate`]; a key made for lower levels.
    pub fn rotate_fixed(&self, a: &Ciphertext, key: &FixedRotationKey) -> Result<Ciphertext, Error> {
        self.rotate_fixed_many(a, &[key]).map(|mut all| all.remove(0))
    }

    /// One rotation for each key, sharing the digits of the input (hoisting).
    ///
    /// # Errors
    /// As [`Context::rotate_fixed`].
    pub fn rotate_fixed_many(&self, a: &Ciphertext, keys: &[&FixedRotationKey]) -> Result<Vec<Ciphertext>, Error> {
        let op = "rotate";
        self.check_rotation(op, a)?;
        for key in keys {
            self.check_key(op, *key, a, a.level())?;
        }
        Ok(self.install(|core| {
            let steps: Vec<_> = keys.iter().map(|key| (self.left(key.delta), &key.key)).collect();
            core.rotations(a, &steps)
        }))
    }
}
