//! Objects in files of their own.
//!
//! Keys read the parameters that their files say. Arrays of ciphertexts are read for the parameters of the keys that
//! they are used with.

use std::path::Path;
use std::sync::Arc;

use everlevel_io::{Access, Container, Stored};

use super::{Reading, UNNAMED, rows_from_container, rows_to_container};
use crate::params::{Literal, Params};
use crate::uint::{BoolArray, UintArray};
use crate::{
    Ciphertext, CompressedList, Error, PublicKey, SecretKey, SeededCircuitKey, SeededCompressionKey, SeededEvalKeys,
    SeededPackingKey, SeededRingSwitchKey,
};

impl SecretKey {
    /// Writes the key, as its seed, to a file that its owner alone can read. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// [`Error::Io`] for what is wrong with the file, [`Error::Parameter`] and its like for parameters that are not
    /// sound.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl PublicKey {
    /// Writes the key. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`]; [`Error::NoPublicKey`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl SeededEvalKeys {
    /// Writes the keys. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().into())?.write(path)?)
    }

    /// Reads keys, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl SeededCircuitKey {
    /// Writes the key. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().outer().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`]; those of [`CircuitParams::of`](crate::CircuitParams::of).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl SeededRingSwitchKey {
    /// Writes the key. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().outer().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`]; those of [`RingSwitchParams::of`](crate::RingSwitchParams::of).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl SeededPackingKey {
    /// Writes the key. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().outer().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`]; those of [`PackingParams::of`](crate::PackingParams::of).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl SeededCompressionKey {
    /// Writes the key. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&self.params().outer().into())?.write(path)?)
    }

    /// Reads a key, of the parameters that the file says.
    ///
    /// # Errors
    /// As [`SecretKey::read`]; those of [`CompressionParams::of`](crate::CompressionParams::of).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (container, params) = open_key(path, Self::KIND)?;
        Self::from_container(&(&params).into(), &container)
    }
}

impl CompressedList {
    /// Writes the list. Returns the file's size in bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, params: &Arc<Params>, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&params.into())?.write(path)?)
    }

    /// Reads a list of these parameters.
    ///
    /// # Errors
    /// As [`Ciphertext::read_all`]; [`Error::WrongSpace`] for integers that the parameters don't have.
    pub fn read(params: &Arc<Params>, path: &Path) -> Result<Self, Error> {
        Self::from_container(&params.into(), &open(path)?)
    }
}

impl Ciphertext {
    /// Writes ciphertexts of one secret, and what is known of their noise. Returns the file's size in bytes.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use everlevel_binfhe::{Ciphertext, Error, Params, SecretKey, SeededEvalKeys, sets};
    /// # fn main() -> Result<(), Error> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (keys_path, bits_path) = (folder.path().join("keys"), folder.path().join("bits"));
    /// # let (keys_path, bits_path) = (keys_path.as_path(), bits_path.as_path());
    /// # let params = Arc::new(Params::try_from(sets::find("gate-64")?.insecure_literal(9))?);
    /// let secret = SecretKey::generate(params)?;
    /// SeededEvalKeys::generate(&secret)?.write(keys_path)?;
    /// let bits = secret.encrypt_bits(&[true, false])?;
    /// Ciphertext::write_all(&bits, secret.params(), bits_path)?;
    ///
    /// let keys = SeededEvalKeys::read(keys_path)?.prepare(); // elsewhere
    /// let bits = Ciphertext::read_all(keys.params(), bits_path)?;
    /// # assert_eq!(secret.decrypt_bits(&bits)?, [true, false]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`] for ciphertexts of different secrets, [`Error::Io`].
    pub fn write_all(all: &[Self], params: &Params, path: &Path) -> Result<u64, Error> {
        Ok(rows_to_container(Vec::<Self>::KIND, params, all, UNNAMED)?.write(path)?)
    }

    /// Reads ciphertexts of these parameters.
    ///
    /// # Errors
    /// [`Error::Io`] for what is wrong with the file, other parameters among it.
    pub fn read_all(params: &Params, path: &Path) -> Result<Vec<Self>, Error> {
        rows_from_container(Vec::<Self>::KIND, Reading { params, max_bytes: None }, &open(path)?)
    }
}

impl UintArray {
    /// Writes the integers. Returns the file's size in bytes.
    ///
    /// # Errors
    /// As [`Ciphertext::write_all`].
    pub fn write(&self, params: &Arc<Params>, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&params.into())?.write(path)?)
    }

    /// Reads integers of these parameters.
    ///
    /// # Errors
    /// As [`Ciphertext::read_all`]; [`Error::WrongSpace`] for parameters without integers of 8 to 64 bits.
    pub fn read(params: &Arc<Params>, path: &Path) -> Result<Self, Error> {
        Self::from_container(&params.into(), &open(path)?)
    }
}

impl BoolArray {
    /// Writes the truth values. Returns the file's size in bytes.
    ///
    /// # Errors
    /// As [`Ciphertext::write_all`].
    pub fn write(&self, params: &Arc<Params>, path: &Path) -> Result<u64, Error> {
        Ok(self.to_container(&params.into())?.write(path)?)
    }

    /// Reads truth values of these parameters.
    ///
    /// # Errors
    /// As [`UintArray::read`].
    pub fn read(params: &Arc<Params>, path: &Path) -> Result<Self, Error> {
        Self::from_container(&params.into(), &open(path)?)
    }
}

fn open(path: &Path) -> Result<Container, Error> {
    Ok(Container::open(path, Access::default())?)
}

/// Opens the file of a key, and reads its parameters, which are validated again.
fn open_key(path: &Path, kind: &str) -> Result<(Container, Arc<Params>), Error> {
    let container = open(path)?;
    container.check_kind(kind)?;
    let literal: Literal = container.json("params")?;
    Ok((container, Arc::new(Params::of_keys(literal)?)))
}
