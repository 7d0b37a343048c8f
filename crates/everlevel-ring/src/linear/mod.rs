//! The inner loops of linear transforms: sums of rotated ciphertexts times plaintext diagonals.

mod baby_steps;
mod diagonal;
mod row_sums;

pub use baby_steps::BabySteps;
pub use diagonal::Diagonal;
