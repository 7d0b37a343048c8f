//! BFV's part of the extension module: parameters, and encrypted vectors of integers.

mod context;
mod files;
mod objects;

pub use context::{BfvContext, bfv_sets};
pub use objects::BfvCiphertext;
