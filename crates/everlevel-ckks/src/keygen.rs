//! Key generation, and keys that are cut to fewer levels.
//!
//! *Made for a level*, a key has the digits and the special primes that are cheapest there. *Cut to a level*, it keeps
//! what it needs there of a higher one's: the same digits, so that results are the same bit for bit, and as many
//! special primes as before. Whoever has the secret makes keys for levels, and whoever hasn't cuts them.

use std::collections::BTreeMap;

use everlevel_objects::Origin;
use everlevel_rand::Seed;
use everlevel_ring::Footprint;
use everlevel_rlwe::{Gadget, SwitchingKey};
use zeroize::Zeroizing;

use crate::budget::ReleaseBudget;
use crate::keys::{
    ConjugationKey, FixedRotationKey, KeyPair, LevelKey, PublicKey, RelinearizationKey, RotationKey, SecretKey,
};
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

    /// The key for ciphertexts up to a level, in memory of its own: none where it serves no higher ones already.
    ///
    /// # Errors
    /// A key of other parameters; a level above those that the key serves; no memory.
    pub fn key_at_level<K: LevelKey>(&self, key: &K, level: usize) -> Result<Option<K>, Error> {
        let op = "at_level";
        self.check(op, K::NAME, key.origin())?;
        let max_level = self.key_level(key);
        if level >= max_level {
            return if level == max_level { Ok(None) } else { Err(Error::LevelOutOfRange { op, level, max_level }) };
        }
        let set = &self.core.ladder.sets[level];
        let held = |key: &SwitchingKey| {
            let gadget = key.gadget().restricted(set);
            SwitchingKey::footprint(&self.core.ring, &gadget, key.is_expanded()).held
        };
        let footprint = Footprint { held: key.message_keys().into_iter().map(held).sum(), work: 0 };
        self.install_large(op, footprint, |_| Ok(Some(key.restricted(set))))
    }
}

#[cfg(test)]
mod tests {
    use everlevel_ring::Ring;
    use everlevel_rlwe::Gadget;

    use crate::chain::{BOOTSTRAP_MESSAGE_LEVELS_RANGE, MAX_DOUBLE_PRECISION_LEVELS};
    use crate::core::best_gadget;
    use crate::{Params, ParamsLiteral};

    /// A key's digits over fewer primes don't depend on what was cut off it: so its results don't. A key that is made
    /// for a level switches with no more transforms. Without the large rings: their primes serve any smaller ring.
    fn assert_levels(literal: ParamsLiteral) {
        let params = Params::try_from(literal.clone()).unwrap();
        let ring = Ring::new(4, params.primes()).unwrap();
        let sets = &params.chain.levels[..=params.literal().max_level];
        let made: Vec<_> =
            sets.iter().map(|set| best_gadget(&params, &ring, set, &Gadget::consecutive).unwrap()).collect();
        let transforms = |gadget: &Gadget| (gadget.digits.len() + 2) * gadget.full_set().len();
        for (made_for, gadget) in made.iter().enumerate() {
            for (level, set) in sets[..made_for].iter().enumerate() {
                let cut = gadget.restricted(set);
                assert_eq!((cut.ciphertext_set(), &cut.special), (set.clone(), &gadget.special));
                // Two levels at N = 2^13 have no room for a headroom, and then fewer primes.
                assert!(transforms(&made[level]) <= transforms(&cut) || params.literal().log_n == 13);
                for of_ciphertext in &sets[..=level] {
                    let found = cut.digits_over(&ring, of_ciphertext);
                    let expected = gadget.digits_over(&ring, of_ciphertext);
                    assert_eq!(found, expected, "{literal:?}: made for {made_for}, cut to {level}");
                }
            }
        }
    }

    #[test]
    fn cut_keys_have_the_digits_of_whole_ones() {
        (0..=40).for_each(|depth| assert_levels(ParamsLiteral::for_depth(depth).unwrap()));
        for max_level in BOOTSTRAP_MESSAGE_LEVELS_RANGE {
            assert_levels(ParamsLiteral { max_level, ..ParamsLiteral::bootstrap() });
        }
        assert_levels(ParamsLiteral::high_precision());
        for max_level in 0..=MAX_DOUBLE_PRECISION_LEVELS.min(20) {
            assert_levels(ParamsLiteral::double_precision(max_level).unwrap());
        }
    }
}
