//! TFHE: parameters, keys, and arrays of ciphertexts. Arrays are flat here; shapes are the façade's affair.

mod bools;
mod context;
mod error;
mod files;
mod objects;
mod uints;

pub use bools::TfheBoolArray;
pub use context::{TfheContext, tfhe_sets};
pub use objects::{TfheCiphertext, TfheEvaluationKey, TfheSecretKey};
pub use uints::TfheUintArray;
