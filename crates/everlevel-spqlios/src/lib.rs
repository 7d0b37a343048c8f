//! The functions of `include/everlevel_spqlios.h`: vectors of integer polynomials for programs in C that are written
//! for spqlios-arithmetic's `vec_znx_arithmetic.h`.
//!
//! *Vectors.* A vector of `size` polynomials is a pointer and the words from one to the next; those that an operand
//! lacks are 0, those that a result has no place for are dropped. Results may be operands of the same place; other
//! overlaps are copied before they are read.
//!
//! *Modules.* `FFT64` multiplies in doubles, `NTT120` modulo three primes below `2^48`, so that its sums may have 142
//! bits. Degrees of `FFT64` below 256, which have no complex transform here, use three primes too. Prepared objects
//! have layouts of their own, and a module's objects are its alone.
//!
//! *Faults.* Debug builds check pointers and sizes. What can't be answered ends the process with a line on stderr;
//! nothing unwinds into C.
//!
//! *Map.* `memory` modules, objects and slices of pointers · `coefficients` vectors of words · `big` what transforms
//! leave · `transforms` and products.

mod big;
mod coefficients;
mod memory;
mod transforms;

pub use big::*;
pub use coefficients::*;
pub use memory::*;
pub use transforms::*;
