//! Encryption of messages, whichever key does it: what is refused of them, and what they are encrypted as.

use crate::ciphertext::wrong_space;
use crate::common::Space;
use crate::{Ciphertext, Error, Params, PublicKey, SecretKey};

/// A key to encrypt with: a secret one, whose ciphertexts have the smaller noise, or a public one.
#[derive(Debug, Clone, Copy)]
pub enum EncryptionKey<'k> {
    /// The secret itself.
    Secret(&'k SecretKey),
    /// A public key of it.
    Public(&'k PublicKey),
}

impl<'k> From<&'k SecretKey> for EncryptionKey<'k> {
    fn from(key: &'k SecretKey) -> Self {
        Self::Secret(key)
    }
}

impl<'k> From<&'k PublicKey> for EncryptionKey<'k> {
    fn from(key: &'k PublicKey) -> Self {
        Self::Public(key)
    }
}

impl<'k> EncryptionKey<'k> {
    /// The parameters.
    pub(crate) fn params(self) -> &'k Params {
        match self {
            Self::Secret(key) => key.params(),
            Self::Public(key) => key.params(),
        }
    }

    /// Encrypts bits.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of integers, [`Error::Random`] without entropy.
    pub fn encrypt_bits(self, bits: &[bool]) -> Result<Vec<Ciphertext>, Error> {
        match self.params().space {
            Space::Bit => self.encrypt(bits.len(), 1, |i| u64::from(bits[i])),
            space @ Space::Integer { .. } => Err(wrong_space("encrypt_bits", space, "bits")),
        }
    }

    /// Encrypts integers below `2^bits` of the parameters' space. What a ciphertext may hold is then taken to be at
    /// most `max_value`, which must be at least every value; a message of fewer bits leaves room for carries.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits, [`Error::ValueOutOfSpace`] with the first value above `max_value`
    /// or `max_value` itself where it is above the space, [`Error::Random`] without entropy.
    pub fn encrypt_integers(self, values: &[u64], max_value: u64) -> Result<Vec<Ciphertext>, Error> {
        let op = "encrypt_integers";
        let space @ Space::Integer { .. } = self.params().space else {
            return Err(wrong_space(op, self.params().space, "integers"));
        };
        let max = space.max();
        if max_value > max {
            return Err(Error::ValueOutOfSpace { op, index: 0, value: max_value, max });
        }
        if let Some((index, &value)) = values.iter().enumerate().find(|&(_, &value)| value > max_value) {
            return Err(Error::ValueOutOfSpace { op, index, value, max: max_value });
        }
        self.encrypt(values.len(), max_value, |i| values[i])
    }

    /// Ciphertexts of messages of the space, which may hold `max_value` at most.
    fn encrypt(self, len: usize, max_value: u64, message: impl Fn(usize) -> u64) -> Result<Vec<Ciphertext>, Error> {
        let space = self.params().space;
        let phase = |i| space.encode(message(i));
        match self {
            Self::Secret(key) => key.encrypt(len, max_value, phase),
            Self::Public(key) => key.encrypt(len, max_value, phase),
        }
    }
}

impl SecretKey {
    /// Encrypts bits.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_bits`].
    pub fn encrypt_bits(&self, bits: &[bool]) -> Result<Vec<Ciphertext>, Error> {
        EncryptionKey::from(self).encrypt_bits(bits)
    }

    /// Encrypts integers of a few bits, which are at most `max_value`.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_integers`].
    pub fn encrypt_integers(&self, values: &[u64], max_value: u64) -> Result<Vec<Ciphertext>, Error> {
        EncryptionKey::from(self).encrypt_integers(values, max_value)
    }
}

impl PublicKey {
    /// Encrypts bits.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_bits`].
    pub fn encrypt_bits(&self, bits: &[bool]) -> Result<Vec<Ciphertext>, Error> {
        EncryptionKey::from(self).encrypt_bits(bits)
    }

    /// Encrypts integers of a few bits, which are at most `max_value`.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_integers`].
    pub fn encrypt_integers(&self, values: &[u64], max_value: u64) -> Result<Vec<Ciphertext>, Error> {
        EncryptionKey::from(self).encrypt_integers(values, max_value)
    }
}
