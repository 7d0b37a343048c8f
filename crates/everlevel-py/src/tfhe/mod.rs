//! TFHE's part of the extension module: parameters, keys, and arrays of ciphertexts. Arrays are flat here; the Python
//! package gives them shapes.

mod arrays;
mod compression;
mod context;
mod files;
mod keys;
mod lookups;
mod operations;
mod ring_switch;

pub use arrays::{TfheBoolArray, TfheCiphertext, TfheUintArray};
pub use compression::TfheCompressedList;
pub use context::{TfheContext, tfhe_sets};
pub use keys::{
    TfheCompressionKey, TfheEvaluationKey, TfheLookupKey, TfhePackingKey, TfhePublicKey, TfheRingSwitchKey,
    TfheSecretKey,
};
