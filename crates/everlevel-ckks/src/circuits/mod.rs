//! Circuits, which are composed of a context's operations and of bootstraps.
//!
//! `polynomial`, by `elements` of any arithmetic, that of residues among them (`roundings` is that of errors, `counts`
//! that of levels), `matrix`, `sums` of slots and `bootstrap` are calls of a [`crate::Context`] and a
//! [`crate::Bootstrapper`].
//!
//! [`Circuits`] holds a bootstrapper and the keys of one secret. Its methods are in the circuits' files: [`mod@sign`]
//! and comparisons · [`mod@extrema`] · [`mod@argmax`] · [`mod@deep`] polynomials deeper than a bootstrap's levels ·
//! [`mod@table`] look-ups of integers. [`mod@refresh`] bootstraps operands of any operation that lacks levels.
//! `evaluator` has the operations that all of them are made of.
//!
//! All take and give [`crate::Units`]; a ciphertext alone is one unit, `Units::from(ciphertext)`.

pub mod argmax;
pub mod deep;
pub mod extrema;
pub mod refresh;
pub mod sign;
pub mod table;

pub(crate) mod bootstrap;
pub(crate) mod counts;
pub(crate) mod elements;
pub(crate) mod matrix;
pub(crate) mod polynomial;
pub(crate) mod roundings;
mod sizes;
mod sums;

mod evaluator;
mod operand;

pub use evaluator::Circuits;
pub use operand::{Operand, Rotations};
