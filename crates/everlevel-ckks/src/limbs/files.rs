//! Objects as containers, and back: keys as every scheme over limbs writes them, and ciphertexts with their claims.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Error as FileError, kinds};
use everlevel_limbs::{Error, EvalKeys, FileKinds, SecretKey};
use serde::{Deserialize, Serialize};

use super::{Ciphertext, Context, Params};

/// All kinds of files.
pub const KINDS: [&str; 3] = [kinds::LIMBS_SECRET_KEY, kinds::LIMBS_EVALUATION_KEY, kinds::LIMBS_CIPHERTEXT];

const KEYS: FileKinds =
    FileKinds { secret_key: kinds::LIMBS_SECRET_KEY, eval_keys: kinds::LIMBS_EVALUATION_KEY, inversion: "conjugation" };

/// An object of any kind.
#[derive(Debug)]
pub enum Object {
    /// A secret key.
    SecretKey(Box<SecretKey>),
    /// The keys of products, rotations and conjugation.
    EvalKeys(Box<EvalKeys>),
    /// An encrypted vector.
    Ciphertext(Box<Ciphertext>),
}

#[derive(Serialize, Deserialize)]
struct CiphertextEntry {
    budget_bits: u32,
    bound: f64,
    log2_noise: f64,
}

impl Context {
    /// The object in a container, whatever its kind. Every byte is checked.
    ///
    /// # Errors
    /// [`Error::Io`] for a kind that isn't one of [`KINDS`], other parameters, damage, and what no writer of ours
    /// writes.
    pub fn object_from_container(&self, container: &Container) -> Result<Object, Error> {
        Ok(match container.kind()? {
            kinds::LIMBS_SECRET_KEY => {
                Object::SecretKey(Box::new(self.frame.secret_key_from_container(KEYS, container)?))
            }
            kinds::LIMBS_EVALUATION_KEY => {
                Object::EvalKeys(Box::new(self.frame.eval_keys_from_container(KEYS, container)?))
            }
            kinds::LIMBS_CIPHERTEXT => Object::Ciphertext(Box::new(self.ciphertext_from_container(container)?)),
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
        let mut builder = self.frame.ciphertext_to_container(kinds::LIMBS_CIPHERTEXT, ct.origin, &ct.ct)?;
        let Ciphertext { budget_bits, bound, log2_noise, .. } = *ct;
        builder.describe_json("object", &CiphertextEntry { budget_bits, bound, log2_noise });
        Ok(builder)
    }

    fn ciphertext_from_container(&self, container: &Container) -> Result<Ciphertext, Error> {
        let id = self.frame.verified(container, kinds::LIMBS_CIPHERTEXT)?;
        let CiphertextEntry { budget_bits, bound, log2_noise } = container.json("object")?;
        let most = self.params.max_budget_bits();
        let fits = bound.is_finite() && bound >= 0.0 && (Params::needed_bits(bound)..=most).contains(&budget_bits);
        let least = 2.0 * self.params.shape().log2_unit(self.params.literal().limbs + 1);
        if !fits || !(least..=0.0).contains(&log2_noise) {
            let found = format!("values up to {bound:e} and noise of 2^{log2_noise} in a budget of {budget_bits} bits");
            return refuse("object", found, format!("a budget of at most {most} bits, which has room for the values"));
        }
        // Fresh ones have all limbs, whatever their budget needs.
        let limbs = self.params.limbs_of(budget_bits);
        let ct = self.frame.ciphertext_from_container(container, limbs)?;
        Ok(Ciphertext { origin: self.frame.origin(id), ct, budget_bits, bound, log2_noise })
    }
}
