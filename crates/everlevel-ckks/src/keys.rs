//! Key types. Each knows the parameters and the secret that it was made for, and which levels it serves.

use std::collections::BTreeMap;

use everlevel_objects::Origin;
use everlevel_ring::PrimeSet;
use everlevel_rlwe::{SecretId, SwitchingKey};

use crate::budget::ReleaseBudget;

/// A secret key.
#[derive(Debug)]
pub struct SecretKey {
    pub(crate) origin: Origin,
    pub(crate) key: everlevel_rlwe::SecretKey,
    pub(crate) budget: ReleaseBudget,
}

/// A public key: encrypts at any message level.
#[derive(Debug)]
pub struct PublicKey {
    pub(crate) origin: Origin,
    pub(crate) key: everlevel_rlwe::PublicKey,
}

/// One switching key for message levels, and one for bootstrapping's levels where the parameters have them.
#[derive(Debug)]
pub struct KeyPair {
    pub(crate) message: SwitchingKey,
    pub(crate) bootstrap: Option<SwitchingKey>,
}

/// Turns `s²` back into `s` after a product.
#[derive(Debug)]
pub struct RelinearizationKey {
    pub(crate) origin: Origin,
    pub(crate) keys: KeyPair,
}

/// Complex conjugation of the slots.
#[derive(Debug)]
pub struct ConjugationKey {
    pub(crate) origin: Origin,
    pub(crate) keys: KeyPair,
}

/// Rotation by one amount.
#[derive(Debug)]
pub struct FixedRotationKey {
    pub(crate) origin: Origin,
    pub(crate) delta: i64,
    pub(crate) key: SwitchingKey,
}

/// Rotations by powers of two, which compose to any amount.
#[derive(Debug)]
pub struct RotationKey {
    pub(crate) origin: Origin,
    /// By left rotation.
    pub(crate) keys: BTreeMap<i64, SwitchingKey>,
}

/// Rotations for products with matrices: all baby steps, and the powers of two that giant steps are made of.
#[derive(Debug)]
pub struct MatrixMultiplicationKey {
    pub(crate) origin: Origin,
    /// By left rotation.
    pub(crate) keys: BTreeMap<i64, SwitchingKey>,
}

impl SecretKey {
    /// This key, which gives away so many decryptions ([`Context::release_flooded`]).
    ///
    /// [`Context::release_flooded`]: crate::Context::release_flooded
    #[must_use]
    pub fn with_release_budget(self, limit: u64) -> Self {
        Self { budget: ReleaseBudget::new(limit), ..self }
    }

    /// The coefficients, for whoever makes keys of another scheme from this one.
    pub fn coeffs(&self) -> &[i8] {
        self.key.coeffs()
    }

    /// The decryptions that the key gives away.
    pub fn release_budget(&self) -> &ReleaseBudget {
        &self.budget
    }
}

impl KeyPair {
    /// The key for ciphertexts over `set`.
    pub(crate) fn for_set(&self, set: &PrimeSet) -> &SwitchingKey {
        let key = match &self.bootstrap {
            Some(key) if !self.message.serves(set) => key,
            _ => &self.message,
        };
        // Digits that a key lacks would be left out of a product.
        assert!(key.serves(set), "operations refuse keys for lower levels");
        key
    }

    fn all(&self) -> impl Iterator<Item = &SwitchingKey> {
        std::iter::once(&self.message).chain(&self.bootstrap)
    }

    /// Identities.
    pub(crate) fn ids(&self) -> Vec<u64> {
        self.all().map(|key| key.rows().copies().id()).collect()
    }
}

/// The methods of every evaluation key, from a list of its switching keys.
macro_rules! key_methods {
    ($($type:ty => $keys:expr;)*) => {$(
        impl $type {
            /// The secret that it was made from.
            pub fn secret_id(&self) -> SecretId {
                self.origin.secret_id
            }

            pub(crate) fn switching_keys(&self) -> Vec<&SwitchingKey> {
                let keys: fn(&Self) -> Vec<&SwitchingKey> = $keys;
                keys(self)
            }

            /// The modulus of every switching key in it.
            pub fn moduli(&self) -> Vec<PrimeSet> {
                self.switching_keys().iter().map(|k| k.gadget().full_set()).collect()
            }

            /// Number of switching keys.
            pub fn key_count(&self) -> usize {
                self.switching_keys().len()
            }

            /// Bytes held in memory.
            pub fn nbytes(&self) -> usize {
                self.switching_keys().iter().map(|k| k.nbytes()).sum()
            }

            /// Bytes of the seeded form, which leaves out what a seed expands to.
            pub fn seeded_nbytes(&self) -> usize {
                self.switching_keys().iter().map(|k| k.seeded_nbytes()).sum()
            }

            /// Whether it holds the seeds of its uniform halves instead of the halves.
            pub fn is_seeded(&self) -> bool {
                self.switching_keys().iter().all(|k| !k.is_expanded())
            }
        }
    )*};
}

pub(crate) use key_methods;

key_methods! {
    RelinearizationKey => |k| k.keys.all().collect();
    ConjugationKey => |k| k.keys.all().collect();
    FixedRotationKey => |k| vec![&k.key];
    RotationKey => |k| k.keys.values().collect();
    MatrixMultiplicationKey => |k| k.keys.values().collect();
}

impl SecretKey {
    /// Id.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.key.eval().nbytes() + self.key.coeffs().len()
    }
}

impl PublicKey {
    /// The modulus that it is given over.
    pub fn moduli(&self) -> Vec<PrimeSet> {
        vec![self.key.set().clone()]
    }

    /// The secret that it was made from.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.key.nbytes()
    }
}

impl FixedRotationKey {
    /// The amount: slots move right by it, as in `numpy.roll`.
    pub fn delta(&self) -> i64 {
        self.delta
    }
}

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
