//! Circuits: what is composed of an evaluator's operations and of bootstraps.
//!
//! [`Circuits`] holds a context and the keys of one secret. Its methods are in the circuits' files: [`mod@sign`] and
//! comparisons · [`mod@extrema`] · [`mod@deep`] polynomials deeper than a bootstrap's levels. [`mod@refresh`] evaluates
//! programs of any depth, whose operands it bootstraps where they lack levels.
//!
//! All take and give [`crate::Units`]; a ciphertext alone is one unit, `Units::from(ciphertext)`.

pub mod deep;
pub mod evaluator;
pub mod extrema;
pub mod refresh;
pub mod sign;

pub use deep::Imaginary;
pub use evaluator::{Circuits, Operand, Rotations};
pub use refresh::{AutoBootstrap, Value};
pub use sign::{SignPlan, SignPrecision};
