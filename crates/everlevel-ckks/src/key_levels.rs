//! The levels that evaluation keys serve, and keys that are cut to fewer of them.
//!
//! *Made for a level*, a key has the digits and the special primes that are cheapest there. *Cut to a level*, it keeps
//! what it needs there of a higher one's: the same digits, so that results are the same bit for bit, and as many
//! special primes as before. Whoever has the secret makes keys for levels, and whoever hasn't cuts them.

use std::collections::BTreeMap;

use everlevel_objects::Origin;
use everlevel_ring::{Footprint, PrimeSet};
use everlevel_rlwe::SwitchingKey;

use crate::keys::{
    ConjugationKey, FixedRotationKey, KeyPair, MatrixMultiplicationKey, RelinearizationKey, RotationKey,
};
use crate::{Ciphertext, Context, Error};

/// An evaluation key for message levels.
pub trait LevelKey: Sized + Send + Sync {
    /// Name in sentences.
    const NAME: &'static str;
    fn origin(&self) -> Origin;
    /// Switching keys for message levels, which all serve the same ones: none where there are no slots to rotate.
    fn message_keys(&self) -> Vec<&SwitchingKey>;
    /// The key for ciphertexts over a level's primes and fewer, without what bootstraps need.
    #[must_use]
    fn restricted(&self, set: &PrimeSet) -> Self;
}

macro_rules! level_keys {
    ($($type:ident, $name:literal => $message_keys:expr, |$key:ident, $set:ident| { $($field:ident: $value:expr),* };)*) => {$(
        impl LevelKey for $type {
            const NAME: &'static str = $name;

            fn origin(&self) -> Origin {
                self.origin
            }

            fn message_keys(&self) -> Vec<&SwitchingKey> {
                let keys: fn(&Self) -> Vec<&SwitchingKey> = $message_keys;
                keys(self)
            }

            fn restricted(&self, $set: &PrimeSet) -> Self {
                let $key = self;
                Self { origin: self.origin, $($field: $value),* }
            }
        }
    )*};
}

level_keys! {
    RelinearizationKey, "relinearization key" => |k| vec![&k.keys.message], |k, set| { keys: k.keys.restricted(set) };
    ConjugationKey, "conjugation key" => |k| vec![&k.keys.message], |k, set| { keys: k.keys.restricted(set) };
    RotationKey, "rotation key" => |k| k.keys.values().collect(), |k, set| { keys: all_restricted(&k.keys, set) };
    MatrixMultiplicationKey, "matrix multiplication key" => |k| k.keys.values().collect(), |k, set| { keys: all_restricted(&k.keys, set) };
    FixedRotationKey, "fixed rotation key" => |k| vec![&k.key], |k, set| { delta: k.delta, key: k.key.restricted(set) };
}

fn all_restricted(keys: &BTreeMap<i64, SwitchingKey>, set: &PrimeSet) -> BTreeMap<i64, SwitchingKey> {
    keys.iter().map(|(&left, key)| (left, key.restricted(set))).collect()
}

impl KeyPair {
    fn restricted(&self, set: &PrimeSet) -> Self {
        Self { message: self.message.restricted(set), bootstrap: None }
    }
}

impl Context {
    /// The highest level that a key serves.
    pub fn key_level(&self, key: &impl LevelKey) -> usize {
        let level = key.message_keys().first().and_then(|key| self.core.level_of(key.gadget()));
        level.unwrap_or(self.max_level())
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

    /// Refuses a key of another secret than a ciphertext's, or one that doesn't serve a level.
    pub(crate) fn check_key<K: LevelKey>(
        &self,
        op: &'static str,
        key: &K,
        ciphertext: &Ciphertext,
        level: usize,
    ) -> Result<(), Error> {
        self.check_secret(op, K::NAME, key.origin(), ciphertext)?;
        let served = self.key_level(key);
        if level <= served { Ok(()) } else { Err(Error::KeyLevel { op, key: K::NAME, level, served }) }
    }

    /// Refuses a key of another secret than a ciphertext's, or one that lacks levels, for a bootstrap.
    pub(crate) fn check_whole_key<K: LevelKey>(
        &self,
        op: &'static str,
        key: &K,
        ciphertext: &Ciphertext,
    ) -> Result<(), Error> {
        self.check_secret(op, K::NAME, key.origin(), ciphertext)?;
        let (served, max_level) = (self.key_level(key), self.max_level());
        if served == max_level { Ok(()) } else { Err(Error::CutKey { op, key: K::NAME, served, max_level }) }
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
