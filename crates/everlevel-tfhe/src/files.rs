//! Keys in the common container: secret keys as their seed, evaluation keys as seeds and bodies.
//!
//! Metadata hold the parameters as JSON and, for evaluation keys, the name of the secret and the masks' seeds; the tensors `bootstrap` and `key_switch`
//! are the bodies, little-endian words of the torus' size and of 32 bits.

use std::path::Path;
use std::sync::Arc;

use everlevel_io::{Access, Builder, Container, Error as IoError};
use everlevel_rand::Seed;
use everlevel_rlwe::SecretId;

use crate::bootstrap_key::SeededBootstrapKey;
use crate::ggsw::Shape;
use crate::key_switch::SeededKeySwitchKey;
use crate::{Error, Params, ParamsLiteral, SecretKey, SeededEvalKeys};

const SECRET_KEY: &str = "tfhe-secret-key";
const EVAL_KEYS: &str = "tfhe-evaluation-keys";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wrong(what: &str, found: &str, needed: impl Into<String>) -> Error {
    IoError::Header { what: what.into(), found: found.into(), needed: needed.into() }.into()
}

fn seed(container: &Container, name: &str) -> Result<Seed, Error> {
    let text = container.metadata(name)?;
    let byte = |i: usize| text.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    match bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()) {
        Some(bytes) if text.len() == 64 => Ok(Seed::from_bytes(bytes)),
        _ => Err(wrong(name, "no seed", "64 hexadecimal digits")),
    }
}

/// Opens a file of a kind, checks its data, and reads its parameters, which are validated again.
fn open(path: &Path, kind: &'static str) -> Result<(Container, Arc<Params>), Error> {
    let container = Container::open(path, Access::default())?;
    if container.kind()? != kind {
        let (found, expected) = (container.kind()?.into(), kind.into());
        return Err(IoError::WrongKind { found, expected }.into());
    }
    container.verify()?;
    let text = container.metadata("params")?;
    let literal: ParamsLiteral =
        serde_json::from_str(text).map_err(|error| wrong("params", &error.to_string(), "parameters"))?;
    Ok((container, Arc::new(Params::try_from(literal)?)))
}

fn begin(kind: &str, params: &Params) -> Builder<'static> {
    let mut builder = Builder::new(kind);
    let text = serde_json::to_string(params.literal()).expect("numbers and names become JSON");
    builder.describe("params", text);
    builder
}

impl SecretKey {
    /// Writes the key, as its seed, to a file that its owner alone can read. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        let mut builder = begin(SECRET_KEY, self.params());
        builder.keep_secret();
        builder.tensor("seed", &[32], self.seed().as_bytes().to_vec());
        Ok(builder.write(path)?)
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`Error::Io`] for what is wrong with the file, [`Error::Parameter`] and its like for parameters that are not sound.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open(path, SECRET_KEY)?;
        let bytes = container.bytes("seed")?;
        let bytes = bytes.try_into().map_err(|_| wrong("seed", &format!("{} bytes", bytes.len()), "32 bytes"))?;
        Self::from_seed(params, &Seed::from_bytes(bytes))
    }
}

impl SeededEvalKeys {
    /// Writes the keys. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        let mut builder = begin(EVAL_KEYS, self.params());
        builder.describe("secret_id", format!("{:016x}", self.id().0));
        builder.describe("bootstrap_seed", hex(self.bootstrap.mask_seed.as_bytes()));
        builder.describe("key_switch_seed", hex(self.key_switch.mask_seed.as_bytes()));
        let bodies = &self.bootstrap.bodies;
        let words: Vec<u8> = match self.params().torus_bits {
            32 => bodies.iter().flat_map(|word| ((word >> 32) as u32).to_le_bytes()).collect(),
            _ => bodies.iter().flat_map(|word| word.to_le_bytes()).collect(),
        };
        builder.tensor("bootstrap", &[words.len()], words);
        let words: Vec<u8> = self.key_switch.bodies.iter().flat_map(|word| word.to_le_bytes()).collect();
        builder.tensor("key_switch", &[words.len()], words);
        Ok(builder.write(path)?)
    }

    /// Reads keys.
    ///
    /// # Errors
    /// As [`SecretKey::read`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open(path, EVAL_KEYS)?;
        let text = container.metadata("secret_id")?;
        let id = u64::from_str_radix(text, 16).map_err(|_| wrong("secret_id", text, "16 hexadecimal digits"))?;
        let shape = Shape::new(&params);
        let (word, count) = (params.torus_bits as usize / 8, params.lwe_dim * shape.rows() * shape.n);
        let bytes = tensor(&container, "bootstrap", word * count)?;
        let leading =
            |bytes: &[u8]| bytes.iter().rev().fold(0u64, |x, &byte| x << 8 | u64::from(byte)) << (64 - 8 * word);
        let bootstrap = SeededBootstrapKey {
            mask_seed: seed(&container, "bootstrap_seed")?,
            bodies: bytes.chunks_exact(word).map(leading).collect(),
        };
        let count = params.big_dim() * params.key_switch.gadget.digits as usize;
        let bytes = tensor(&container, "key_switch", 4 * count)?;
        let key_switch = SeededKeySwitchKey {
            mask_seed: seed(&container, "key_switch_seed")?,
            bodies: bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        };
        Ok(Self::from_parts(params, SecretId(id), bootstrap, key_switch))
    }
}

fn tensor<'a>(container: &'a Container, name: &str, len: usize) -> Result<&'a [u8], Error> {
    let bytes = container.bytes(name)?;
    if bytes.len() == len {
        return Ok(bytes);
    }
    Err(wrong(name, &format!("{} bytes", bytes.len()), format!("{len} bytes, by the parameters")))
}
