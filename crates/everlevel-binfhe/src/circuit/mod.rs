//! Circuit bootstraps, which turn LWE ciphertexts into GGSW ciphertexts, and large tables on them
//! (`docs/notes/circuit-bootstrap.md`).
//!
//! A digit of two bits takes one blind rotation, whose tables are the rows' messages of both bits in every level.
//! Automorphisms leave each of these alone in a polynomial ([`expansion`]), a half product with the key of the secret's
//! square gives the rows of the masks ([`ggsw`]), and CMux trees select from tables of up to `2^16` entries ([`tree`]).
//! The key is of one secret with an evaluation key's, and has parameters that follow from its ([`params`]).

mod cmux;
mod expansion;
mod ggsw;
mod key;
mod lookup;
mod noise;
mod params;
mod tree;

pub use ggsw::EncryptedBits;
pub use key::{CircuitKey, SeededCircuitKey};
pub use lookup::Indices;
pub use noise::CircuitNoise;
pub use params::CircuitParams;
