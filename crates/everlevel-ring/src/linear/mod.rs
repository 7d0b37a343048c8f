//! The inner loops of linear transforms and of products with matrices: sums of rotated ciphertexts times plaintext
//! diagonals.

mod baby_steps;
mod diagonal;
mod giant_steps;
mod on_device;
mod row_sums;
mod tiled;

pub use baby_steps::BabySteps;
pub use diagonal::Diagonal;
pub use giant_steps::GiantSteps;
pub use tiled::PackedTerm;
