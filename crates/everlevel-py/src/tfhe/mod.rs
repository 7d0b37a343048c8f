//! TFHE: parameters, keys, and arrays of ciphertexts. Arrays are flat here; shapes are the façade's affair.

mod arrays;
mod context;
mod files;
mod keys;
mod operations;

pub use arrays::{TfheBoolArray, TfheCiphertext, TfheUintArray};
pub use context::{TfheContext, tfhe_sets};
pub use keys::{TfheEvaluationKey, TfheSecretKey};
