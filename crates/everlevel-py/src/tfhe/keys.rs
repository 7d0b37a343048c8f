//! Classes of TFHE's keys: immutable, with the properties that Python shows.

use everlevel_binfhe as tfhe;
use pyo3::prelude::*;

use crate::properties::properties;

/// Decrypts.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheSecretKey(pub tfhe::SecretKey);

properties! { [TfheSecretKey] as key {
    secret_id: u64 = key.0.id().0;
    nbytes: usize = key.0.small().len() + key.0.big().len();
} }

/// Encrypts, and can't decrypt.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfhePublicKey(pub tfhe::PublicKey);

properties! { [TfhePublicKey] as key {
    secret_id: u64 = key.0.id().0;
    nbytes: usize = key.0.nbytes();
} }

/// A key to encrypt with.
#[derive(FromPyObject)]
pub enum EncryptionKey {
    Secret(Py<TfheSecretKey>),
    Public(Py<TfhePublicKey>),
}

impl EncryptionKey {
    /// The core's key.
    pub fn get(&self) -> tfhe::EncryptionKey<'_> {
        match self {
            Self::Secret(key) => (&key.get().0).into(),
            Self::Public(key) => (&key.get().0).into(),
        }
    }
}

/// Computes: prepared, and what files need beside that.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheEvaluationKey(pub tfhe::KeptEvalKeys);

impl TfheEvaluationKey {
    /// The keys ready for use.
    pub fn ready(&self) -> &tfhe::EvalKeys {
        self.0.ready()
    }
}

/// An evaluation key, as calls take it.
pub type Key<'py> = &'py TfheEvaluationKey;

properties! { [TfheEvaluationKey] as key {
    secret_id: u64 = key.ready().id().0;
    nbytes: usize = key.0.nbytes();
    bootstrap_nbytes: usize = key.ready().bootstrap_key().nbytes();
    key_switch_nbytes: usize = key.ready().key_switch_nbytes();
    /// Bootstraps that were done with the key.
    bootstrap_count: usize = key.ready().bootstrap_count();
} }

/// Looks values up in large tables, beside an evaluation key: prepared, and what files need beside that.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheLookupKey(pub tfhe::KeptCircuitKey);

properties! { [TfheLookupKey] as key {
    secret_id: u64 = key.0.ready().id().0;
    nbytes: usize = key.0.nbytes();
    prepared_nbytes: usize = key.0.ready().nbytes();
    /// Rotations that were done with the key.
    rotation_count: usize = key.0.ready().rotation_count();
    /// Security of the secret that look-ups alone have.
    security_bits: f64 = key.0.ready().params().security_bits();
    /// log2 of the probability that a rotation of a look-up of 16 bits fails, at most.
    log2_p_fail: f64 = key.0.ready().params().log2_p_fail();
} }

/// Puts results into compressed lists: prepared, and what files need beside that.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheCompressionKey(pub tfhe::KeptCompressionKey);

properties! { [TfheCompressionKey] as key {
    secret_id: u64 = key.0.ready().id().0;
    nbytes: usize = key.0.nbytes();
    prepared_nbytes: usize = key.0.ready().nbytes();
    /// Bits of a ciphertext in a long list: of its share of masks, and of its body.
    bits: (u32, u32) = key.0.ready().params().bits();
} }

/// Takes ciphertexts of bulk: prepared, and what files need beside that.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfheRingSwitchKey(pub tfhe::KeptRingSwitchKey);

properties! { [TfheRingSwitchKey] as key {
    secret_id: u64 = key.0.ready().id().0;
    /// The secret of bulk.
    source_id: u64 = key.0.ready().from().0;
    nbytes: usize = key.0.nbytes();
    prepared_nbytes: usize = key.0.ready().nbytes();
} }

/// Takes ciphertexts to bulk: prepared, and what files need beside that.
#[pyclass(frozen, module = "everlevel._native")]
pub struct TfhePackingKey(pub tfhe::KeptPackingKey);

properties! { [TfhePackingKey] as key {
    secret_id: u64 = key.0.ready().id().0;
    /// The secret that ciphertexts go to.
    target_id: u64 = key.0.ready().to().0;
    nbytes: usize = key.0.nbytes();
    prepared_nbytes: usize = key.0.ready().nbytes();
} }
