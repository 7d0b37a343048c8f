//! Objects as containers, and back.
//!
//! Every file names its set (`parameters`), has the numbers for people (`params`), and a fingerprint by which other
//! parameters are refused. A secret key is its seed. Limbs are signed words, little-endian, limb by limb. Evaluation
//! keys are, for each key, the seed of its masks and a tensor of limbs for the body of each row: prepared forms stay in
//! memory, and the bodies are computed back from them.

use std::collections::BTreeMap;

use everlevel_io::schema::{refuse, require};
use everlevel_io::{Builder, Container, Error as FileError, kinds};
use everlevel_rand::Seed;
use everlevel_ring::{Footprint, LimbGadget, Limbs, Representation};
use everlevel_rlwe::{LimbRlwe, SecretId, SwitchingKey};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::context::with_memory;
use crate::keys::Key;
use crate::noise::Noise;
use crate::{Ciphertext, Context, Error, EvalKeys, ParamsLiteral, SecretKey};

/// All kinds of files.
pub const KINDS: [&str; 3] = [kinds::BFV_SECRET_KEY, kinds::BFV_EVALUATION_KEY, kinds::BFV_CIPHERTEXT];

/// An object of any kind.
#[derive(Debug)]
pub enum Object {
    /// A secret key.
    SecretKey(Box<SecretKey>),
    /// The keys of products and rotations.
    EvalKeys(Box<EvalKeys>),
    /// An encrypted vector.
    Ciphertext(Box<Ciphertext>),
}

#[derive(Serialize)]
struct ParamsEntry {
    #[serde(flatten)]
    literal: ParamsLiteral,
    insecure: bool,
}

#[derive(Serialize, Deserialize)]
struct KeysEntry {
    rotations: Vec<i64>,
    swap_rows: bool,
}

#[derive(Serialize, Deserialize)]
struct CiphertextEntry {
    log2_noise: f64,
    phases: u32,
}

/// More phases than any chain of products has.
const MOST_PHASES: u32 = 1 << 20;

const RELINEARIZATION: &str = "relinearization";
const SWAP_ROWS: &str = "swap_rows";

fn rotation_name(amount: i64) -> String {
    format!("rotation_{amount}")
}

impl Context {
    /// The object in a container, whatever its kind. Every byte is checked.
    ///
    /// # Errors
    /// [`Error::Io`] for a kind that isn't one of [`KINDS`], other parameters, damage, and what no writer of ours
    /// writes.
    pub fn object_from_container(&self, container: &Container) -> Result<Object, Error> {
        Ok(match container.kind()? {
            kinds::BFV_SECRET_KEY => Object::SecretKey(Box::new(self.secret_key_from_container(container)?)),
            kinds::BFV_EVALUATION_KEY => Object::EvalKeys(Box::new(self.eval_keys_from_container(container)?)),
            kinds::BFV_CIPHERTEXT => Object::Ciphertext(Box::new(self.ciphertext_from_container(container)?)),
            found => return Err(FileError::UnsupportedKind { found: found.into(), supported: KINDS.join(", ") }.into()),
        })
    }

    /// The secret key as a container, which only its owner may read.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn secret_key_to_container<'a>(&self, key: &SecretKey) -> Result<Builder<'a>, Error> {
        self.same_parameters("save", "secret key", &key.literal)?;
        let mut builder = self.begin(kinds::BFV_SECRET_KEY, key.id());
        builder.tensor("seed", &[32], key.seed.as_bytes().to_vec());
        builder.keep_secret();
        Ok(builder)
    }

    fn secret_key_from_container(&self, container: &Container) -> Result<SecretKey, Error> {
        let id = self.verified(container, kinds::BFV_SECRET_KEY)?;
        let mut seed = Zeroizing::new([0; 32]);
        seed.copy_from_slice(container.bytes_of_len("seed", 32)?);
        let key = self.secret_of_seed(Seed::from_bytes(*seed));
        require("secret_id", key.id(), id, id)?;
        Ok(key)
    }

    /// A ciphertext as a container.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn ciphertext_to_container<'a>(&self, ct: &Ciphertext) -> Result<Builder<'a>, Error> {
        self.same_parameters("save", "ciphertext", &ct.literal)?;
        let mut builder = self.begin(kinds::BFV_CIPHERTEXT, ct.secret_id);
        builder.describe_json("object", &CiphertextEntry { log2_noise: ct.noise.log2, phases: ct.noise.phases });
        for (name, part) in [("c0", &ct.ct.c0), ("c1", &ct.ct.c1)] {
            put(&mut builder, name, part);
        }
        Ok(builder)
    }

    fn ciphertext_from_container(&self, container: &Container) -> Result<Ciphertext, Error> {
        let id = self.verified(container, kinds::BFV_CIPHERTEXT)?;
        let CiphertextEntry { log2_noise, phases } = container.json("object")?;
        let noise = Noise { log2: log2_noise, phases };
        let fresh = self.params.fresh_noise().log2;
        let likely = log2_noise > fresh - 1.0 && self.params.budget_bits(noise) > 0.0 && phases < MOST_PHASES;
        if !likely {
            let needed = format!("noise above 2^{fresh:.1} that leaves a budget, of fewer than {MOST_PHASES} phases");
            return refuse("object", format!("2^{log2_noise} of {phases} phases"), needed);
        }
        let limbs = self.params.limbs();
        let [c0, c1] = [self.get(container, "c0", limbs)?, self.get(container, "c1", limbs)?];
        Ok(Ciphertext::new(&self.params, id, LimbRlwe { c0, c1 }, noise))
    }

    /// Evaluation keys as a container.
    ///
    /// # Errors
    /// Keys of other parameters; too little memory.
    pub fn eval_keys_to_container<'a>(&self, keys: &EvalKeys) -> Result<Builder<'a>, Error> {
        self.same_parameters("save", "keys", &keys.literal)?;
        let LimbGadget { digits, limbs, .. } = self.params.gadget();
        let all = named_keys(keys);
        let held = (all.len() * digits * limbs * 8 * self.params.n()) as u64;
        with_memory("save", Footprint { held, work: 0 }, || {
            let mut builder = self.begin(kinds::BFV_EVALUATION_KEY, keys.secret_id);
            let entry = KeysEntry { rotations: keys.rotations(), swap_rows: keys.has_swap_rows() };
            builder.describe_json("object", &entry);
            for (name, key) in all {
                builder.describe_seed(&format!("{name}.masks"), key.masks.as_bytes());
                for digit in 0..digits {
                    let body = self.ring.row_element(key.key.rows(), digit, 1);
                    put(&mut builder, &format!("{name}.{digit}"), &body);
                }
            }
            Ok(builder)
        })
    }

    fn eval_keys_from_container(&self, container: &Container) -> Result<EvalKeys, Error> {
        let secret_id = self.verified(container, kinds::BFV_EVALUATION_KEY)?;
        let entry: KeysEntry = container.json("object")?;
        let elements: BTreeMap<u64, i64> = entry.rotations.iter().map(|&x| (self.rotation(x), x)).collect();
        if elements.len() != entry.rotations.len() || elements.contains_key(&1) {
            return refuse("rotations", format!("{:?}", entry.rotations), "amounts that differ, and none of 0");
        }
        let count = 1 + elements.len() + usize::from(entry.swap_rows);
        with_memory("load", self.params.keys_footprint(count), || {
            let relinearization = self.key(container, secret_id, RELINEARIZATION)?;
            let mut rotations = BTreeMap::new();
            for (element, amount) in elements {
                rotations.insert(element, (amount, self.key(container, secret_id, &rotation_name(amount))?));
            }
            let swap_rows = entry.swap_rows.then(|| self.key(container, secret_id, SWAP_ROWS)).transpose()?;
            Ok(EvalKeys { literal: *self.params.literal(), secret_id, relinearization, rotations, swap_rows })
        })
    }

    /// A key: its masks from their seed, its bodies from the file.
    fn key(&self, container: &Container, secret_id: u64, name: &str) -> Result<Key, Error> {
        let (gadget, ring) = (self.params.gadget(), &self.ring);
        let masks = Seed::from_bytes(container.seed(&format!("{name}.masks"))?);
        let mut rows = ring.zero_rows(&gadget, 1);
        for digit in 0..gadget.digits {
            let body = self.get(container, &format!("{name}.{digit}"), gadget.limbs)?;
            let mask = ring.uniform(&gadget.limbs, 1, &masks, digit as u64);
            ring.prepare_row(&mut rows, digit, &[&mask[0], &body]);
        }
        Ok(Key { masks, key: SwitchingKey::from_rows(SecretId(secret_id), gadget, rows) })
    }

    fn begin<'a>(&self, kind: &str, secret_id: u64) -> Builder<'a> {
        let mut builder = Builder::new(kind);
        let entry = ParamsEntry { literal: *self.params.literal(), insecure: self.params.is_insecure() };
        builder.describe("parameters", self.params.set().unwrap_or("unnamed"));
        builder.describe_json("params", &entry);
        builder.describe_number("fingerprint", self.params.fingerprint());
        builder.describe_number("secret_id", secret_id);
        builder
    }

    /// Checks kind, parameters and every byte, and gives the secret's name.
    fn verified(&self, container: &Container, kind: &str) -> Result<u64, Error> {
        container.check(kind, self.params.fingerprint())?;
        container.verify()?;
        Ok(container.number("secret_id")?)
    }

    /// Limbs, which have to be balanced.
    fn get(&self, container: &Container, name: &str, limbs: usize) -> Result<Limbs, Error> {
        let n = self.params.n();
        let bytes = container.bytes_of_len(name, 8 * n * limbs)?;
        let half = 1i64 << (self.params.log2_base() - 1);
        let mut out = self.ring.zero(limbs);
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
fn named_keys(keys: &EvalKeys) -> Vec<(String, &Key)> {
    let rotations = keys.rotations.values().map(|(amount, key)| (rotation_name(*amount), key));
    let swap = keys.swap_rows.iter().map(|key| (SWAP_ROWS.to_string(), key));
    [(RELINEARIZATION.to_string(), &keys.relinearization)].into_iter().chain(rotations).chain(swap).collect()
}

/// Adds limbs as a tensor.
fn put(builder: &mut Builder<'_>, name: &str, limbs: &Limbs) {
    let mut bytes = Vec::with_capacity(limbs.nbytes());
    for limb in limbs.views() {
        limb.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    }
    builder.tensor(name, &[bytes.len()], bytes);
}
