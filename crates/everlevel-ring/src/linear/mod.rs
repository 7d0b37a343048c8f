//! The inner loops of linear transforms and of products with matrices: sums of rotated ciphertexts times plaintext
//! diagonals.

mod diagonal;
mod on_device;
mod steps;
mod tiled;

pub use diagonal::Diagonal;
pub use steps::{BabySteps, GiantSteps};
pub use tiled::PackedTerm;
