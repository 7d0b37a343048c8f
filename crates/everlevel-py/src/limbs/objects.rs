//! Classes of keys over limbs, and of CKKS's ciphertexts: immutable, with the properties that Python shows.

use everlevel_ckks::limbs;
use pyo3::prelude::*;

use crate::properties::properties;

/// Encrypts and decrypts.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsSecretKey(pub limbs::SecretKey);

/// Encrypts, and can't decrypt.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsPublicKey(pub limbs::PublicKey);

/// A key to encrypt with.
#[derive(FromPyObject)]
pub enum EncryptionKey {
    Secret(Py<LimbsSecretKey>),
    Public(Py<LimbsPublicKey>),
}

impl<'a> From<&'a EncryptionKey> for limbs::EncryptionKey<'a> {
    fn from(key: &'a EncryptionKey) -> Self {
        match key {
            EncryptionKey::Secret(key) => (&key.get().0).into(),
            EncryptionKey::Public(key) => (&key.get().0).into(),
        }
    }
}

/// Multiplies and moves slots.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsEvaluationKey(pub limbs::EvalKeys);

/// Bootstraps.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsBootstrapKey(pub limbs::BootstrapKey);

/// An encrypted vector of complex numbers.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsCiphertext(pub limbs::Ciphertext);

/// Turns ciphertexts of levels into ones over limbs, and back.
#[pyclass(frozen, module = "everlevel._native")]
pub struct LimbsBridge(pub limbs::Bridge);

properties! { [LimbsBridge] as bridge {
    nbytes: usize = bridge.0.nbytes();
} }

properties! { [LimbsBootstrapKey] as key {
    secret_id: u64 = key.0.secret_id().0;
    is_seeded: bool = key.0.is_seeded();
    nbytes: usize = key.0.nbytes();
} }

properties! { [LimbsSecretKey] as key {
    secret_id: u64 = key.0.id().0;
    nbytes: usize = key.0.nbytes();
} }

properties! { [LimbsPublicKey] as key {
    secret_id: u64 = key.0.secret_id().0;
    nbytes: usize = key.0.nbytes();
} }

properties! { [LimbsEvaluationKey] as key {
    secret_id: u64 = key.0.secret_id().0;
    nbytes: usize = key.0.nbytes();
    is_seeded: bool = key.0.is_seeded();
    rotations: Vec<i64> = key.0.rotations();
    has_inversion: bool = key.0.has_inversion();
} }

properties! { [LimbsCiphertext] as ciphertext {
    secret_id: u64 = ciphertext.0.secret_id().0;
    nbytes: usize = ciphertext.0.nbytes();
    budget_bits: u32 = ciphertext.0.budget_bits();
    bound: f64 = ciphertext.0.bound();
    limbs: usize = ciphertext.0.limbs();
    log2_error: f64 = ciphertext.0.log2_error();
} }
