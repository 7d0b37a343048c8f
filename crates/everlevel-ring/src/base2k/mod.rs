//! Polynomials over the torus to any precision, as limbs in base `2^K`, with one arithmetic for every scheme.
//!
//! *Vocabulary.* An element of `T[X]/(X^n + 1)` is [`Limbs`]: `Σ_j x_j·2^(−(j+1)·K)`, signed words, the most
//! significant limb first, **normalised** where they are balanced. A [`Module`] has the transforms of one degree; it
//! knows no base. What comes out of a transform are **big** coefficients: signed words, or residues modulo two or three
//! primes, that carries turn into limbs. A [`LimbRing`] has a module and a base, and is a
//! [`Representation`](crate::Representation) of key material.
//!
//! *Slices.* Operations take lists of polynomials as slices, of any counts: limbs that an operand lacks are zero, and
//! those that a result has no place for are dropped. Transforms and big coefficients are lists of slices too, of
//! [`Module::width`] for each polynomial, one after another.
//!
//! *Products.* By a scalar polynomial ([`Module::multiply_scalar`]), of a row vector by a prepared matrix
//! ([`Module::multiply_matrix`]), and of two vectors as polynomials in `2^−K` ([`Module::convolve`]). Prepared forms
//! belong to a process, and are never written to files.
//!
//! *Exactness.* [`Module::max_log2_base`] has the largest base whose sums of products are right; products of larger
//! ones would be wrong without a sign, so that makers of parameters have to ask it.
//!
//! *Map.* `layout` of limbs, and of blocks of slices · `coefficients` sums, shifts, bases, automorphisms, degrees ·
//! `module` transforms and carries · `bounds` of the bases · `products` · `ring` the representation, `half_product` its
//! hot path · `clear` sums of products with polynomials in the clear, `turned` of automorphisms of these · `conversion`
//! from residues modulo many primes, and to them.

mod bounds;
mod clear;
pub mod coefficients;
mod conversion;
mod half_product;
mod layout;
mod module;
mod products;
mod ring;
mod turned;

pub use bounds::{Error, Operands, Transform, log2_sum};
pub use clear::{ClearPoly, ClearSum};
pub use half_product::{LimbRows, LimbSum};
pub use layout::{LimbDigits, Limbs};
pub use module::Module;
pub use products::PreparedMatrix;
pub use ring::{LimbGadget, LimbRing, LimbSecret, LimbTensor};
pub use turned::TurnedSum;
