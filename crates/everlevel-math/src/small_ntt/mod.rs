//! The negacyclic number theoretic transform over a small prime, on floats, for `n = 2^4 … 2^11`.
//!
//! Residues are integers in [`f32`] for moduli below `2^21`, in [`f64`] for moduli below `2^28`: a float's multiplier
//! and a fused operation give both halves of a product. Twice as many 32-bit lanes as 64-bit ones do that.
//!
//! *Ranges.* What goes in and comes out is in `(−q/2, q/2)`; the bits are the same on every backend. Inside, values
//! are any representatives that a float holds exactly.
//!
//! *Map.* `transform` the plan [`SmallNtt`] and its transforms · `product` the step of a blind rotation,
//! [`NtruProduct`], which `sweep` does, with the digits of `gadget`, `products` with keys and the
//! factors of `monomials` · `passes` the
//! transforms themselves, on the tables and ranges of `plan` · `float` the two widths · `vector`, `avx2`, `avx512` the
//! vectors that all of it is generic over, `integers` those of inner steps with AVX-512 · `work`, `operation` its run
//! on those of a backend.
//!
#![doc = include_str!("../../notes/small-ntt.md")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod float;
mod gadget;
#[cfg(target_arch = "x86_64")]
mod integers;
mod lanes;
mod monomials;
mod operation;
mod passes;
mod plan;
mod product;
mod products;
mod sweep;
mod transform;
mod vector;
mod work;

pub use gadget::Gadget;
pub use lanes::Float;
pub use product::{KeyWord, NtruProduct};
pub use transform::SmallNtt;
