//! The general keys, both ways.

use everlevel_rand::secrecy::erase_stack;
use everlevel_rlwe::Gadget;
use everlevel_security::SecretDistribution;
use zeroize::Zeroizing;

use everlevel_io::kinds;
use everlevel_io::schema::{refuse, require, require_own};

use crate::Error;
use crate::budget::ReleaseBudget;
use crate::core::BootstrapGadgets;
use crate::files::content::{FileContent, Stored, key_items};
use crate::files::entries;
use crate::files::reader::Reader;
use crate::files::writer::Writer;
use crate::keys::{
    ConjugationKey, FixedRotationKey, KeyPair, LevelKey, PublicKey, RelinearizationKey, RotationKey, SecretKey,
};

/// Two bits a coefficient: 0, 1, and 2 for −1.
impl FileContent for SecretKey {
    key_items!(kinds::SECRET_KEY, "secret key");

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        writer.object(&entries::Secret { weight: self.key.weight() });
        let code = |c: i8| if c < 0 { 2 } else { c as u8 };
        let pack = |four: &[i8]| four.iter().rev().fold(0, |byte, &c| byte << 2 | code(c));
        writer.bytes("coefficients", self.key.coeffs().chunks(4).map(pack).collect());
        erase_stack();
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let n = reader.core.ring.n();
        let packed = reader.bytes("coefficients", n / 4)?;
        let codes = packed.iter().flat_map(|byte| (0..4).map(move |i| byte >> (2 * i) & 3));
        // A vector that grew would leave copies behind.
        let mut coeffs: Zeroizing<Vec<i8>> = Zeroizing::new(Vec::with_capacity(n));
        coeffs.extend(codes.map(|code| [0, 1, -1, 2][usize::from(code)]));
        if coeffs.contains(&2) {
            return refuse("coefficients", "of another form", "0, 1 and 2 in two bits each");
        }
        let origin = reader.origin()?;
        let key = everlevel_rlwe::SecretKey::from_coeffs(&reader.core.ring, origin.secret_id, coeffs.to_vec());
        erase_stack();
        let entry: entries::Secret = reader.object()?;
        require("weight", key.weight(), entry.weight, format!("{}, as written", entry.weight))?;
        if let SecretDistribution::FixedWeight(weight) = reader.core.params.literal().secret {
            require("weight", key.weight(), weight, format!("{weight}, the parameters'"))?;
        }
        Ok(Self { origin, key, budget: ReleaseBudget::default() })
    }
}

impl Stored for PublicKey {}
impl FileContent for PublicKey {
    key_items!(kinds::PUBLIC_KEY, "public key");

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        writer.object(&entries::Public {
            mask_seed: entries::mask_seed_to_text(self.key.mask_seed()),
            primes: self.key.set().indices().to_vec(),
        });
        writer.poly("body", self.key.body());
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entry: entries::Public = reader.object()?;
        let set = reader.core.public_key_set();
        require_own("primes", &*entry.primes, set.indices())?;
        let origin = reader.origin()?;
        let body = reader.poly("body", &set)?;
        let seed = reader.seed(&entry.mask_seed)?;
        let key = everlevel_rlwe::PublicKey::from_parts(&reader.core.ring, &set, seed, body);
        Ok(Self { origin, key })
    }
}

impl KeyPair {
    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.object(&entries::Pair { level: writer.lower_level_of(self.message.gadget()) });
        writer.switching_key("message", &self.message);
        if let Some(key) = &self.bootstrap {
            writer.switching_key("bootstrap", key);
        }
    }

    fn read(reader: &Reader<'_>, bootstrap: impl Fn(&BootstrapGadgets) -> &Gadget) -> Result<Self, Error> {
        let entries::Pair { level } = reader.object()?;
        let level = reader.level(level)?;
        let message = reader.switching_key("message", &reader.level_gadget("message", level)?)?;
        let bootstrap = reader.core.bootstrap_gadgets_of_keys(level).map(bootstrap);
        let bootstrap = bootstrap.map(|gadget| reader.switching_key("bootstrap", gadget)).transpose()?;
        Ok(Self { message, bootstrap })
    }
}

macro_rules! key_pairs {
    ($($type:ty, $kind:expr, $gadget:ident;)*) => {$(
        impl Stored for $type {}
        impl FileContent for $type {
            key_items!($kind, <Self as LevelKey>::NAME);

            fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
                writer.secret_id(self.origin.secret_id);
                self.keys.write(writer);
            }

            fn read(reader: &Reader<'_>) -> Result<Self, Error> {
                let keys = KeyPair::read(reader, |gadgets| &gadgets.$gadget)?;
                Ok(Self { origin: reader.origin()?, keys })
            }
        }
    )*};
}

key_pairs! {
    RelinearizationKey, kinds::RELINEARIZATION_KEY, relinearization;
    ConjugationKey, kinds::CONJUGATION_KEY, conjugation;
}

impl Stored for RotationKey {}
impl FileContent for RotationKey {
    key_items!(kinds::ROTATION_KEY, <Self as LevelKey>::NAME);

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        let left = self.keys.keys().copied().collect();
        let level = self.keys.values().next().and_then(|key| writer.lower_level_of(key.gadget()));
        writer.object(&entries::Rotations { slot_count: writer.slot_count(), left, level });
        for (left, key) in &self.keys {
            writer.switching_key(&format!("left_{left}"), key);
        }
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entry: entries::Rotations = reader.object()?;
        reader.check_slots(entry.slot_count)?;
        let amounts = reader.core.rotation_amounts();
        require("left", &entry.left, &amounts, format!("{amounts:?}, the powers of two"))?;
        let keys = reader.rotations(&entry.left, reader.level(entry.level)?)?;
        Ok(Self { origin: reader.origin()?, keys })
    }
}

impl Stored for FixedRotationKey {}
impl FileContent for FixedRotationKey {
    key_items!(kinds::FIXED_ROTATION_KEY, <Self as LevelKey>::NAME);

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        let level = writer.level_of(self.key.gadget());
        writer.object(&entries::FixedRotation { slot_count: writer.slot_count(), delta: self.delta, level });
        writer.switching_key("rotation", &self.key);
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entry: entries::FixedRotation = reader.object()?;
        reader.check_slots(entry.slot_count)?;
        let gadget = reader.level_gadget("rotation", reader.level(Some(entry.level))?)?;
        let key = reader.switching_key("rotation", &gadget)?;
        Ok(Self { origin: reader.origin()?, delta: entry.delta, key })
    }
}
