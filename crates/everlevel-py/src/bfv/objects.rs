//! Classes of BFV's keys and ciphertexts: immutable, with the properties that Python shows.

use everlevel_bfv as bfv;
use pyo3::prelude::*;

use crate::properties::properties;

/// Encrypts and decrypts.
#[pyclass(frozen, module = "everlevel._native")]
pub struct BfvSecretKey(pub bfv::SecretKey);

/// Multiplies and rotates.
#[pyclass(frozen, module = "everlevel._native")]
pub struct BfvEvaluationKey(pub Box<bfv::EvalKeys>);

/// An encrypted vector of integers.
#[pyclass(frozen, module = "everlevel._native")]
pub struct BfvCiphertext(pub bfv::Ciphertext);

properties! { [BfvSecretKey] as key {
    secret_id: u64 = key.0.id();
    nbytes: usize = key.0.nbytes();
} }

properties! { [BfvEvaluationKey] as key {
    secret_id: u64 = key.0.secret_id();
    nbytes: usize = key.0.nbytes();
    rotations: Vec<i64> = key.0.rotations();
    has_swap_rows: bool = key.0.has_swap_rows();
} }

properties! { [BfvCiphertext] as ciphertext {
    secret_id: u64 = ciphertext.0.secret_id();
    nbytes: usize = ciphertext.0.nbytes();
    budget_bits: f64 = ciphertext.0.budget_bits();
    log2_noise: f64 = ciphertext.0.log2_noise();
} }
