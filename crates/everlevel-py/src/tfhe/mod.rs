//! TFHE: parameters, keys, and arrays of ciphertexts. Arrays are flat here; shapes are the façade's affair.

mod context;
mod error;
mod files;
mod objects;

pub use context::{TfheContext, tfhe_sets};
pub use objects::{TfheCiphertext, TfheEvaluationKey, TfheSecretKey};
