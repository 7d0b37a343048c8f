//! Key generation.

use std::collections::BTreeMap;

use everlevel_objects::Origin;
use everlevel_rand::Seed;
use everlevel_rlwe::{Gadget, SwitchingKey};
use zeroize::Zeroizing;

use crate::budget::ReleaseBudget;
use crate::keys::{ConjugationKey, FixedRotationKey, KeyPair, PublicKey, RelinearizationKey, RotationKey, SecretKey};
use crate::{Context, Error, Progress};
use everlevel_ring::report;

impl Context {
    /// A fresh secret key.
    ///
    /// # Errors
    /// If the operating system gives no randomness or no memory.
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        let seed = self.core.seeds.next()?;
        self.secret_key_from_seed(&seed)
    }

    /// The secret key of a seed: the seed is then as secret as the key.
    ///
    /// # Errors
    /// No memory.
    pub fn secret_key_from_seed(&self, seed: &Seed) -> Result<SecretKey, Error> {
        self.install_large("create_secret_key", self.secret_key_footprint(), |core| {
            let weight = match core.params.literal().secret {
                everlevel_security::SecretDistribution::FixedWeight(weight) => Some(weight),
                _ => None,
            };
            let key = everlevel_rlwe::SecretKey::sample(&core.ring, seed, 0, weight)?;
            Ok(SecretKey {
                origin: Origin { fingerprint: core.fingerprint, secret_id: key.id() },
                key,
                budget: ReleaseBudget::default(),
            })
        })
    }

    /// A public key for every message level.
    ///
    /// # Errors
    /// A foreign secret key; no randomness; no memory.
    pub fn public_key(&self, secret: &SecretKey) -> Result<PublicKey, Error> {
        let op = "create_public_key";
        self.check(op, "secret key", secret.origin)?;
        let seed = self.core.seeds.next()?;
        self.install_large(op, self.public_key_footprint(), |core| {
            let set = core.public_key_set();
            core.params.check_key(&core.ring, &set)?;
            let key = everlevel_rlwe::PublicKey::generate(&core.ring, &set, &secret.key, &seed);
            Ok(PublicKey { origin: secret.origin, key })
        })
    }

    /// A relinearization key for every level, bootstrapping's among them.
    ///
    /// # Errors
    /// A foreign secret key; no randomness; no memory; a cancellation.
    pub fn relinearization_key(&self, secret: &SecretKey, progress: Progress) -> Result<RelinearizationKey, Error> {
        self.relinearization_key_up_to(secret, self.max_level(), progress)
    }

    /// A relinearization key for levels up to `level`: for bootstrapping's as well, if that is the highest.
    ///
    /// # Errors
    /// As [`Context::relinearization_key`]; a level that does not exist.
    pub fn relinearization_key_up_to(
        &self,
        secret: &SecretKey,
        level: usize,
        progress: Progress,
    ) -> Result<RelinearizationKey, Error> {
        let op = "create_relinearization_key";
        self.check(op, "secret key", secret.origin)?;
        self.check_level(op, level)?;
        let seeds = [self.core.seeds.next()?, self.core.seeds.next()?];
        self.install_large(op, self.relinearization_key_footprint(level)?, |core| {
            let s = secret.key.eval();
            let mut square = Zeroizing::new(s.clone());
            core.ring.mul_assign(&mut square, s);
            let make = |gadget: &Gadget, seed: &Seed| {
                SwitchingKey::generate(
                    &core.ring,
                    (&square, s),
                    gadget.clone(),
                    core.randomness(seed),
                    !core.seeded_keys,
                )
            };
            let message = make(&core.level_gadget(level)?, &seeds[0]);
            let going_on = report(op, progress, 1, 2);
            let bootstrap = match (&going_on, core.bootstrap_gadgets_of_keys(level)) {
                (Ok(()), Some(gadgets)) => Some(make(&gadgets.relinearization, &seeds[1])),
                _ => None,
            };
            going_on?;
            report(op, progress, 2, 2)?;
            Ok(RelinearizationKey { origin: secret.origin, keys: KeyPair { message, bootstrap } })
        })
    }

    /// A conjugation key for every message level and for bootstrapping.
    ///
    /// # Errors
    /// A foreign secret key; no randomness; no memory; a cancellation.
    pub fn conjugation_key(&self, secret: &SecretKey, progress: Progress) -> Result<ConjugationKey, Error> {
        self.conjugation_key_up_to(secret, self.max_level(), progress)
    }

    /// A conjugation key for levels up to `level`: for bootstrapping as well, if that is the highest.
    ///
    /// # Errors
    /// As [`Context::conjugation_key`]; a level that does not exist.
    pub fn conjugation_key_up_to(
        &self,
        secret: &SecretKey,
        level: usize,
        progress: Progress,
    ) -> Result<ConjugationKey, Error> {
        let op = "create_conjugation_key";
        self.check(op, "secret key", secret.origin)?;
        self.check_level(op, level)?;
        let seeds = [self.core.seeds.next()?, self.core.seeds.next()?];
        self.install_large(op, self.conjugation_key_footprint(level)?, |core| {
            let elt = core.ring.conjugation_elt();
            let make = |gadget: &Gadget, seed: &Seed| core.galois_key(&secret.key, elt, gadget.clone(), seed);
            let message = make(&core.level_gadget(level)?, &seeds[0]);
            report(op, progress, 1, 2)?;
            let gadgets = core.bootstrap_gadgets_of_keys(level);
            let bootstrap = gadgets.map(|gadgets| make(&gadgets.conjugation, &seeds[1]));
            report(op, progress, 2, 2)?;
            Ok(ConjugationKey { origin: secret.origin, keys: KeyPair { message, bootstrap } })
        })
    }

    /// A key for rotations by `delta` at levels up to `level`.
    ///
    /// # Errors
    /// A foreign secret key; a level that does not exist; no randomness; no memory.
    pub fn fixed_rotation_key(&self, secret: &SecretKey, delta: i64, level: usize) -> Result<FixedRotationKey, Error> {
        let op = "create_fixed_rotation_key";
        self.check(op, "secret key", secret.origin)?;
        self.check_level(op, level)?;
        let seed = self.core.seeds.next()?;
        self.install_large(op, self.fixed_rotation_key_footprint(level)?, |core| {
            let gadget = core.level_gadget(level)?;
            let elt = core.ring.rotation_elt(self.left(delta));
            let key = core.galois_key(&secret.key, elt, gadget, &seed);
            Ok(FixedRotationKey { origin: secret.origin, delta, key })
        })
    }

    /// Keys for rotations by powers of two in both directions, at every message level.
    ///
    /// # Errors
    /// A foreign secret key; no randomness; no memory; a cancellation.
    pub fn rotation_key(&self, secret: &SecretKey, progress: Progress) -> Result<RotationKey, Error> {
        self.rotation_key_up_to(secret, self.max_level(), progress)
    }

    /// Keys for rotations by powers of two in both directions, at levels up to `level`.
    ///
    /// # Errors
    /// As [`Context::rotation_key`]; a level that does not exist.
    pub fn rotation_key_up_to(
        &self,
        secret: &SecretKey,
        level: usize,
        progress: Progress,
    ) -> Result<RotationKey, Error> {
        let keys = self.keys_of("create_rotation_key", &self.core.rotation_amounts(), secret, level, progress)?;
        Ok(RotationKey { origin: secret.origin, keys })
    }

    /// Keys for rotations by these amounts to the left, at levels up to `level`.
    pub(crate) fn keys_of(
        &self,
        op: &'static str,
        amounts: &[i64],
        secret: &SecretKey,
        level: usize,
        progress: Progress,
    ) -> Result<BTreeMap<i64, SwitchingKey>, Error> {
        self.check(op, "secret key", secret.origin)?;
        self.check_level(op, level)?;
        let seeds = amounts.iter().map(|_| self.core.seeds.next()).collect::<Result<Vec<_>, _>>()?;
        self.install_large(op, self.core.footprint_of(amounts, level)?, |core| {
            let gadget = core.level_gadget(level)?;
            let mut keys = BTreeMap::new();
            for (done, (&left, seed)) in amounts.iter().zip(&seeds).enumerate() {
                let elt = core.ring.rotation_elt(left);
                keys.insert(left, core.galois_key(&secret.key, elt, gadget.clone(), seed));
                report(op, progress, done + 1, amounts.len())?;
            }
            Ok(keys)
        })
    }
}
