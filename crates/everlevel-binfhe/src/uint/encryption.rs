//! Encryption and decryption of arrays of integers and of truth values, with a [`SecretKey`]; encryption and
//! re-randomisation with a [`PublicKey`].

use super::{BoolArray, Radix, UintArray, Width};
use crate::{EncryptionKey, Error, PublicKey, SecretKey};

impl EncryptionKey<'_> {
    /// Encrypts integers, of [`Width::words`] words each, least significant first.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits or of integers below 4 bits, [`Error::ValueTooLarge`] with the
    /// first value that the width does not hold, [`Error::LengthMismatch`] for words that make no whole integers,
    /// [`Error::Random`] without entropy.
    pub fn encrypt_uints(self, width: Width, values: &[u64]) -> Result<UintArray, Error> {
        let op = "encrypt_uints";
        let radix = Radix::of(op, self.params().space)?;
        let digits = radix.all_digits(op, width, values)?;
        let blocks = self.encrypt_integers(&digits, radix.base() - 1)?;
        Ok(UintArray { width, per: radix.blocks(width), blocks })
    }

    /// Encrypts truth values for [`super::Integers::select`] and its like; bits for gates are
    /// [`EncryptionKey::encrypt_bits`].
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_uints`].
    pub fn encrypt_bools(self, values: &[bool]) -> Result<BoolArray, Error> {
        Radix::of("encrypt_bools", self.params().space)?;
        let values: Vec<u64> = values.iter().map(|&value| u64::from(value)).collect();
        Ok(BoolArray(self.encrypt_integers(&values, 1)?))
    }
}

impl SecretKey {
    /// Encrypts integers.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_uints`].
    pub fn encrypt_uints(&self, width: Width, values: &[u64]) -> Result<UintArray, Error> {
        EncryptionKey::from(self).encrypt_uints(width, values)
    }

    /// Decrypts integers, to [`Width::words`] words each.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn decrypt_uints(&self, integers: &UintArray) -> Result<Vec<u64>, Error> {
        let op = "decrypt_uints";
        let radix = Radix::of(op, self.params().space)?;
        radix.words(op, integers.width, &self.decrypt_integers(&integers.blocks)?)
    }

    /// Encrypts truth values; bits for gates are [`SecretKey::encrypt_bits`].
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_uints`].
    pub fn encrypt_bools(&self, values: &[bool]) -> Result<BoolArray, Error> {
        EncryptionKey::from(self).encrypt_bools(values)
    }

    /// Decrypts truth values.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt_uints`].
    pub fn decrypt_bools(&self, values: &BoolArray) -> Result<Vec<bool>, Error> {
        Ok(self.decrypt_integers(&values.0)?.into_iter().map(|value| value != 0).collect())
    }
}

impl PublicKey {
    /// Encrypts integers.
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_uints`].
    pub fn encrypt_uints(&self, width: Width, values: &[u64]) -> Result<UintArray, Error> {
        EncryptionKey::from(self).encrypt_uints(width, values)
    }

    /// Encrypts truth values; bits for gates are [`PublicKey::encrypt_bits`].
    ///
    /// # Errors
    /// As [`EncryptionKey::encrypt_uints`].
    pub fn encrypt_bools(&self, values: &[bool]) -> Result<BoolArray, Error> {
        EncryptionKey::from(self).encrypt_bools(values)
    }

    /// [`PublicKey::rerandomize`] of integers.
    ///
    /// # Errors
    /// As there.
    pub fn rerandomize_uints(&self, all: &UintArray) -> Result<UintArray, Error> {
        Ok(all.with(self.rerandomize(&all.blocks)?))
    }

    /// [`PublicKey::rerandomize`] of truth values.
    ///
    /// # Errors
    /// As there.
    pub fn rerandomize_bools(&self, all: &BoolArray) -> Result<BoolArray, Error> {
        Ok(BoolArray(self.rerandomize(&all.0)?))
    }
}
