//! The functions of `include/everlevel_spqlios.h`: vectors of integer and of real polynomials, and of numbers, for
//! programs in C that are written for spqlios-arithmetic's `vec_znx_arithmetic.h`, `vec_rnx_arithmetic.h` and
//! `zn_arithmetic.h`.
//!
//! *Vectors.* A vector of `size` polynomials is a pointer and the words from one to the next; those that an operand
//! lacks are 0, those that a result has no place for are dropped. Results may be operands of the same place; other
//! overlaps are copied before they are read.
//!
//! *Modules.* `FFT64` multiplies in doubles, `NTT120` modulo three primes below `2^48`, so that its sums may have 142
//! bits. Degrees of `FFT64` below 256, which have no complex transform here, use three primes too, and the schoolbook's
//! product for real polynomials. Prepared objects have layouts of their own, and a module's objects are its alone.
//!
//! *Faults.* Debug builds check pointers and sizes. What can't be answered ends the process with a line on stderr;
//! nothing unwinds into C.
//!
//! *Map.* `memory` modules, objects and slices of pointers · `functions` of the same arguments · integer polynomials:
//! `coefficients` vectors of words, `big` what transforms leave, `transforms` and products · real polynomials: `ring`
//! transforms of one degree, `rnx` vectors of doubles, `rnx_products` · `gadgets` digits of torus elements ·
//! `conversions` of doubles · `zn` vectors of numbers.
//!
//! # Safety
//! The contract of every function that takes pointers. A module or a gadget is from the function of this library that
//! makes such, and not deleted. A vector of `size` polynomials is readable, and a result writable, for `n` words of its
//! type each, `sl` words apart, aligned to such words. An object is from this library, or as many bytes of an allocator
//! as its `bytes_of_` function says, aligned to words of 64 bits, and is given to functions of its own module and shape
//! alone. During a call nobody else writes to operands, or uses the result. Prepared matrices and scalars don't overlap
//! results.

mod big;
mod coefficients;
mod conversions;
mod functions;
mod gadgets;
mod memory;
mod ring;
mod rnx;
mod rnx_products;
mod transforms;
mod zn;

pub use big::*;
pub use coefficients::*;
pub use conversions::*;
pub use gadgets::*;
pub use memory::*;
pub use rnx::*;
pub use rnx_products::*;
pub use transforms::*;
pub use zn::*;
