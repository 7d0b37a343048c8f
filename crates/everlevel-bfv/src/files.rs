//! Objects as containers, and back: keys as every scheme over limbs writes them, and ciphertexts with their noise.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Error as FileError, kinds};
use everlevel_limbs::{Error, EvalKeys, FileKinds, SecretKey};
use serde::{Deserialize, Serialize};

use crate::noise::Noise;
use crate::{Ciphertext, Context};

/// All kinds of files.
pub const KINDS: [&str; 3] = [kinds::BFV_SECRET_KEY, kinds::BFV_EVALUATION_KEY, kinds::BFV_CIPHERTEXT];

const KEYS: FileKinds =
    FileKinds { secret_key: kinds::BFV_SECRET_KEY, eval_keys: kinds::BFV_EVALUATION_KEY, inversion: "swap_rows" };

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

#[derive(Serialize, Deserialize)]
struct CiphertextEntry {
    log2_noise: f64,
    phases: u32,
}

/// More phases than any chain of products has.
const MOST_PHASES: u32 = 1 << 20;

impl Context {
    /// The object in a container, whatever its kind. Every byte is checked.
    ///
    /// # Errors
    /// [`Error::Io`] for a kind that isn't one of [`KINDS`], other parameters, damage, and what no writer of ours
    /// writes.
    pub fn object_from_container(&self, container: &Container) -> Result<Object, Error> {
        Ok(match container.kind()? {
            kinds::BFV_SECRET_KEY => {
                Object::SecretKey(Box::new(self.frame.secret_key_from_container(KEYS, container)?))
            }
            kinds::BFV_EVALUATION_KEY => {
                Object::EvalKeys(Box::new(self.frame.eval_keys_from_container(KEYS, container)?))
            }
            kinds::BFV_CIPHERTEXT => Object::Ciphertext(Box::new(self.ciphertext_from_container(container)?)),
            found => return Err(FileError::UnsupportedKind { found: found.into(), supported: KINDS.join(", ") }.into()),
        })
    }

    /// The secret key as a container, which only its owner may read.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn secret_key_to_container<'a>(&self, key: &SecretKey) -> Result<Builder<'a>, Error> {
        self.frame.secret_key_to_container(KEYS, key)
    }

    /// Evaluation keys as a container.
    ///
    /// # Errors
    /// Keys of other parameters; too little memory.
    pub fn eval_keys_to_container<'a>(&self, keys: &EvalKeys) -> Result<Builder<'a>, Error> {
        self.frame.eval_keys_to_container(KEYS, keys)
    }

    /// A ciphertext as a container.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn ciphertext_to_container<'a>(&self, ct: &Ciphertext) -> Result<Builder<'a>, Error> {
        let mut builder = self.frame.ciphertext_to_container(kinds::BFV_CIPHERTEXT, ct.origin, &ct.ct)?;
        builder.describe_json("object", &CiphertextEntry { log2_noise: ct.noise.log2, phases: ct.noise.phases });
        Ok(builder)
    }

    fn ciphertext_from_container(&self, container: &Container) -> Result<Ciphertext, Error> {
        let id = self.frame.verified(container, kinds::BFV_CIPHERTEXT)?;
        let CiphertextEntry { log2_noise, phases } = container.json("object")?;
        let noise = Noise { log2: log2_noise, phases };
        let fresh = self.params.fresh_noise().log2;
        let likely = log2_noise > fresh - 1.0 && self.params.budget_bits(noise) > 0.0 && phases < MOST_PHASES;
        if !likely {
            let needed = format!("noise above 2^{fresh:.1} that leaves a budget, of fewer than {MOST_PHASES} phases");
            return refuse("object", format!("2^{log2_noise} of {phases} phases"), needed);
        }
        let ct = self.frame.ciphertext_from_container(container, self.params.limbs())?;
        Ok(Ciphertext::new(&self.params, self.frame.origin(id), ct, noise))
    }
}
