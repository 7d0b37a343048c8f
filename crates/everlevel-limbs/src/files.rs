//! Keys and limbs as containers, and back.
//!
//! Every file names its set (`parameters`), has the numbers for people (`params`), and a fingerprint by which other
//! parameters are refused. A secret key is its seed. Limbs are signed words, little-endian, limb by limb. Evaluation
//! keys are, for each key, the seed of its masks and a tensor of limbs for the body of each row: prepared forms stay in
//! memory, and the bodies are computed back from them.

use std::collections::BTreeMap;
use std::ops::Deref;

use everlevel_io::schema::{refuse, require};
use everlevel_io::{Builder, Container, Stored};
use everlevel_objects::{Origin, with_memory};
use everlevel_rand::Seed;
use everlevel_rand::secrecy::erase_stack;
use everlevel_ring::{Footprint, HalfProduct, LimbGadget, LimbRing, Limbs, Representation};
use everlevel_rlwe::{Rlwe, SecretId, SwitchingKey};
use serde::{Deserialize, Serialize};

use crate::{Error, EvalKeys, Frame, PublicKey, SecretKey};

/// A scheme's context, which derefs to the parameters' tables, and whose keys have files of the scheme's kinds.
pub trait KeyFiles: Deref<Target = Frame> {
    /// A secret key's kind.
    const SECRET_KEY: &'static str;
    /// A public key's kind.
    const PUBLIC_KEY: &'static str;
    /// The kind of the keys of evaluation.
    const EVAL_KEYS: &'static str;
    /// The name of the key of the inversion.
    const INVERSION: &'static str;
}

impl<C: KeyFiles> Stored<C> for SecretKey {
    const KIND: &'static str = C::SECRET_KEY;
    type Error = Error;

    /// The key as its seed, in a file that only its owner may read.
    fn to_container<'a>(&self, context: &C) -> Result<Builder<'a>, Error> {
        let frame: &Frame = context;
        frame.require("save", "secret key", self.origin)?;
        let mut builder = frame.begin(C::SECRET_KEY, self.id());
        builder.tensor("seed", &[32], self.seed.as_bytes().to_vec());
        builder.keep_secret();
        erase_stack();
        Ok(builder)
    }

    fn from_container(context: &C, container: &Container) -> Result<Self, Error> {
        let id = context.verified(container, C::SECRET_KEY)?;
        let key = context.secret_of_seed(Seed::copy_of(container.bytes_of_len("seed", 32)?));
        require("secret_id", key.id().0, id.0, id.0)?;
        Ok(key)
    }
}

impl<C: KeyFiles> Stored<C> for PublicKey {
    const KIND: &'static str = C::PUBLIC_KEY;
    type Error = Error;

    /// The key as its body and the seed of its mask.
    fn to_container<'a>(&self, context: &C) -> Result<Builder<'a>, Error> {
        let frame: &Frame = context;
        frame.require("save", "public key", self.origin)?;
        let mut builder = frame.begin(C::PUBLIC_KEY, self.secret_id());
        builder.describe_seed("masks", self.key.mask_seed().as_bytes());
        put(&mut builder, "body", self.key.body());
        Ok(builder)
    }

    fn from_container(context: &C, container: &Container) -> Result<Self, Error> {
        let frame: &Frame = context;
        let secret_id = frame.verified(container, C::PUBLIC_KEY)?;
        let (masks, limbs) = (Seed::from_bytes(container.seed("masks")?), frame.shape().limbs);
        let body = frame.get(container, "body", limbs)?;
        let key = everlevel_rlwe::PublicKey::from_parts(frame.ring(), &limbs, masks, body);
        Ok(Self { origin: frame.origin(secret_id), key })
    }
}

impl<C: KeyFiles> Stored<C> for EvalKeys {
    const KIND: &'static str = C::EVAL_KEYS;
    type Error = Error;

    fn to_container<'a>(&self, context: &C) -> Result<Builder<'a>, Error> {
        let frame: &Frame = context;
        frame.require("save", "keys", self.origin)?;
        let LimbGadget { digits, limbs, .. } = frame.shape().gadget();
        let all = named_keys(C::INVERSION, self);
        let held = (all.len() * digits * limbs * 8 * frame.shape().n()) as u64;
        with_memory("save", Footprint { held, work: 0 }, || {
            let mut builder = frame.begin(C::EVAL_KEYS, self.secret_id());
            let entry = KeysEntry { rotations: self.rotations(), inversion: self.has_inversion() };
            builder.describe_json("object", &entry);
            all.into_iter().for_each(|(name, key)| frame.put_key(&mut builder, &name, key));
            Ok(builder)
        })
    }

    fn from_container(context: &C, container: &Container) -> Result<Self, Error> {
        let frame: &Frame = context;
        let secret_id = frame.verified(container, C::EVAL_KEYS)?;
        let entry: KeysEntry = container.json("object")?;
        let elements: BTreeMap<u64, i64> = entry.rotations.iter().map(|&x| (frame.rotation(x), x)).collect();
        if elements.len() != entry.rotations.len() || elements.contains_key(&1) {
            return refuse("rotations", format!("{:?}", entry.rotations), "amounts that differ, and none of 0");
        }
        let count = 1 + elements.len() + usize::from(entry.inversion);
        with_memory("load", frame.keys_footprint(count), || {
            let key = |name: &str| frame.key(container, name, frame.shape().gadget());
            let relinearization = key(RELINEARIZATION)?;
            let rotation = |(element, amount)| Ok::<_, Error>((element, (amount, key(&rotation_name(amount))?)));
            let rotations = elements.into_iter().map(rotation).collect::<Result<_, _>>()?;
            let inversion = entry.inversion.then(|| key(C::INVERSION)).transpose()?;
            Ok(Self { origin: frame.origin(secret_id), relinearization, rotations, inversion })
        })
    }
}

/// Parameters as files say them: for people, and for [`everlevel_io::Builder`].
#[derive(Debug, Clone)]
pub struct ParametersEntry {
    /// The scheme.
    pub scheme: &'static str,
    /// The named set.
    pub set: &'static str,
    /// The numbers.
    pub numbers: BTreeMap<&'static str, u64>,
    /// Whether no security is claimed.
    pub insecure: bool,
}

#[derive(Serialize)]
struct NumbersEntry<'a> {
    #[serde(flatten)]
    numbers: &'a BTreeMap<&'static str, u64>,
    insecure: bool,
}

impl ParametersEntry {
    /// The numbers as files have them.
    pub(crate) fn numbers(&self) -> impl Serialize {
        NumbersEntry { numbers: &self.numbers, insecure: self.insecure }
    }
}

#[derive(Serialize, Deserialize)]
struct KeysEntry {
    rotations: Vec<i64>,
    inversion: bool,
}

const RELINEARIZATION: &str = "relinearization";

fn rotation_name(amount: i64) -> String {
    format!("rotation_{amount}")
}

impl Frame {
    /// A container of a kind, with what is known of the parameters and of the secret.
    pub fn begin<'a>(&self, kind: &str, secret_id: SecretId) -> Builder<'a> {
        let mut builder = Builder::new(kind);
        builder.describe("parameters", self.entry.set);
        builder.describe_json("params", &self.entry.numbers());
        builder.describe_number("fingerprint", self.fingerprint());
        builder.describe_number("secret_id", secret_id.0);
        builder
    }

    /// Checks kind, parameters and every byte, and gives the secret's name.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn verified(&self, container: &Container, kind: &str) -> Result<SecretId, Error> {
        container.check(kind, self.fingerprints().all())?;
        container.verify()?;
        Ok(SecretId(container.number("secret_id")?))
    }

    /// Adds a key: the seed of its masks, and its bodies.
    pub fn put_key(&self, builder: &mut Builder<'_>, name: &str, key: &SwitchingKey<LimbRing>) {
        builder.describe_seed(&format!("{name}.masks"), key.mask_seed().as_bytes());
        for digit in 0..key.gadget().digits {
            put(builder, &format!("{name}.{digit}"), &self.ring().row_body(key.rows(), digit));
        }
    }

    /// A key of any gadget: its masks from their seed, its bodies from the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn key(&self, container: &Container, name: &str, gadget: LimbGadget) -> Result<SwitchingKey<LimbRing>, Error> {
        let ring = self.ring();
        let masks = Seed::from_bytes(container.seed(&format!("{name}.masks"))?);
        let rows = ring.rows(&gadget, &masks, !self.seeded_keys(), |digit| {
            let body = self.get(container, &format!("{name}.{digit}"), gadget.limbs)?;
            Ok::<_, Error>([ring.uniform(&gadget.limbs, 1, &masks, digit as u64).remove(0), body])
        })?;
        Ok(SwitchingKey::from_rows(gadget, rows))
    }

    /// A container with both parts of each unit of a ciphertext.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn ciphertext_to_container<'a>(
        &self,
        kind: &str,
        origin: Origin,
        units: &[Rlwe<LimbRing>],
    ) -> Result<Builder<'a>, Error> {
        self.require("save", "ciphertext", origin)?;
        let mut builder = self.begin(kind, origin.secret_id);
        for (unit, ct) in units.iter().enumerate() {
            let [c0, c1] = part_names(unit);
            put(&mut builder, &c0, &ct.c0);
            put(&mut builder, &c1, &ct.c1);
        }
        Ok(builder)
    }

    /// Both parts of a unit of a ciphertext of so many limbs.
    ///
    /// # Errors
    /// [`Error::Io`] where there aren't as many, or one isn't balanced.
    pub fn ciphertext_from_container(
        &self,
        container: &Container,
        unit: usize,
        limbs: usize,
    ) -> Result<Rlwe<LimbRing>, Error> {
        let [c0, c1] = part_names(unit);
        Ok(Rlwe { c0: self.get(container, &c0, limbs)?, c1: self.get(container, &c1, limbs)? })
    }

    /// Limbs, which have to be balanced.
    fn get(&self, container: &Container, name: &str, limbs: usize) -> Result<Limbs, Error> {
        let n = self.shape().n();
        let bytes = container.bytes_of_len(name, 8 * n * limbs)?;
        let half = 1i64 << (self.shape().log2_base - 1);
        let mut out = self.ring().zero(limbs);
        for (limb, bytes) in out.views_mut().into_iter().zip(bytes.chunks_exact(8 * n)) {
            for (x, &bytes) in limb.iter_mut().zip(bytes.as_chunks().0) {
                *x = i64::from_le_bytes(bytes);
            }
            if let Some(x) = limb.iter().find(|x| !(-half..half).contains(*x)) {
                return refuse(name, x, format!("{} to {}", -half, half - 1));
            }
        }
        Ok(out)
    }
}

/// All keys, with their names in files.
fn named_keys<'k>(inversion: &str, keys: &'k EvalKeys) -> Vec<(String, &'k SwitchingKey<LimbRing>)> {
    let rotations = keys.rotations.values().map(|(amount, key)| (rotation_name(*amount), key));
    let inversion = keys.inversion.iter().map(|key| (inversion.to_string(), key));
    [(RELINEARIZATION.to_string(), &keys.relinearization)].into_iter().chain(rotations).chain(inversion).collect()
}

/// The tensors of a unit's parts: the first unit's have the names that they had when there was one alone.
fn part_names(unit: usize) -> [String; 2] {
    ["c0", "c1"].map(|part| if unit == 0 { part.to_string() } else { format!("{part}.{unit}") })
}

/// Adds limbs as a tensor.
fn put(builder: &mut Builder<'_>, name: &str, limbs: &Limbs) {
    let mut bytes = Vec::with_capacity(limbs.nbytes());
    for limb in limbs.views() {
        limb.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    }
    builder.tensor(name, &[bytes.len()], bytes);
}
